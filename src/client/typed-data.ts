import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import type { PlaceOrderInput } from './documents.generated.ts'

/** An EIP-712 payload. */
export interface TypedData {
  domain: SigningDomain
  types: Record<string, { name: string; type: string }[]>
  primaryType: string
  message: Record<string, unknown>
}

/** The signing domain of a network’s settlement contract. */
export interface SigningDomain {
  name: string
  version: string
  chainId: number
  verifyingContract: string
}

/** An order as a quote returns it, perhaps changed. Other members are ignored, `__typename` as well. */
export interface OrderToSign {
  sellToken: string
  buyToken: string
  /** The owner if it is null or left out. */
  receiver?: string | null
  sellAmount: string | bigint
  buyAmount: string | bigint
  /** Unix seconds. */
  validTo: number
  /** The hash of the app data document. */
  appData: string
  feeAmount?: string | bigint
  kind: 'SELL' | 'BUY'
  partiallyFillable?: boolean
  sellTokenBalance?: PlaceOrderInput['sellTokenBalance']
  buyTokenBalance?: PlaceOrderInput['buyTokenBalance']
  /** The payload of the quote: only its domain is used, so that changed members are signed as they are. */
  typedData?: unknown
}

/** An order in the form that is signed. */
export interface SignedOrder {
  sellToken: string
  buyToken: string
  receiver: string
  sellAmount: string
  buyAmount: string
  validTo: number
  appData: string
  feeAmount: string
  kind: string
  partiallyFillable: boolean
  sellTokenBalance: string
  buyTokenBalance: string
}

/** The members of the signed struct, and nothing else. Addresses in lower case need no checksum. */
export function signedForm(order: OrderToSign, owner: string): SignedOrder {
  return {
    sellToken: order.sellToken.toLowerCase(),
    buyToken: order.buyToken.toLowerCase(),
    receiver: (order.receiver ?? owner).toLowerCase(),
    sellAmount: String(order.sellAmount),
    buyAmount: String(order.buyAmount),
    validTo: order.validTo,
    appData: order.appData.toLowerCase(),
    feeAmount: String(order.feeAmount ?? 0),
    kind: order.kind.toLowerCase(),
    partiallyFillable: order.partiallyFillable ?? false,
    sellTokenBalance: (order.sellTokenBalance ?? 'ERC20').toLowerCase(),
    buyTokenBalance: (order.buyTokenBalance ?? 'ERC20').toLowerCase(),
  }
}

const orderMembers: { name: keyof SignedOrder; type: string }[] = [
  { name: 'sellToken', type: 'address' },
  { name: 'buyToken', type: 'address' },
  { name: 'receiver', type: 'address' },
  { name: 'sellAmount', type: 'uint256' },
  { name: 'buyAmount', type: 'uint256' },
  { name: 'validTo', type: 'uint32' },
  { name: 'appData', type: 'bytes32' },
  { name: 'feeAmount', type: 'uint256' },
  { name: 'kind', type: 'string' },
  { name: 'partiallyFillable', type: 'bool' },
  { name: 'sellTokenBalance', type: 'string' },
  { name: 'buyTokenBalance', type: 'string' },
]

const domainMembers: { name: keyof SigningDomain; type: string }[] = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
]

/** The domain of a settlement contract. */
export const domainOf = (chainId: number, settlementContract: string): SigningDomain => ({
  name: 'Gnosis Protocol',
  version: 'v2',
  chainId,
  verifyingContract: settlementContract.toLowerCase(),
})

/** The payload that the owner of an order signs. */
export const orderTypedData = (domain: SigningDomain, order: SignedOrder): TypedData => ({
  domain,
  types: { EIP712Domain: domainMembers, Order: orderMembers },
  primaryType: 'Order',
  message: { ...order },
})

/** The payload that cancels orders. */
export const cancellationTypedData = (domain: SigningDomain, orderUids: readonly string[]): TypedData => ({
  domain,
  types: { EIP712Domain: domainMembers, OrderCancellations: [{ name: 'orderUids', type: 'bytes[]' }] },
  primaryType: 'OrderCancellations',
  message: { orderUids },
})

/** The UID of an order: its EIP-712 digest, its owner, and validTo. */
export function orderUid(domain: SigningDomain, order: SignedOrder, owner: string): string {
  const digest = keccak_256(
    concatBytes(
      Uint8Array.of(0x19, 0x01),
      structHash('EIP712Domain', domainMembers, { ...domain }),
      structHash('Order', orderMembers, { ...order }),
    ),
  )
  return `0x${bytesToHex(digest)}${owner.slice(2).toLowerCase()}${word(order.validTo).slice(-8)}`
}

/** The hash of an app data document: of its exact text. */
export const appDataHash = (document: string): string => `0x${hashText(document)}`

function structHash(
  name: string,
  members: readonly { name: string; type: string }[],
  values: Record<string, unknown>,
): Uint8Array {
  const signature = `${name}(${members.map((member) => `${member.type} ${member.name}`).join(',')})`
  const words = members.map((member) => wordOf(member.type, values[member.name]))
  return keccak_256(hexToBytes([hashText(signature), ...words].join('')))
}

function wordOf(type: string, value: unknown): string {
  if (type === 'string') return hashText(String(value))
  if (type === 'address' || type === 'bytes32') return String(value).slice(2).toLowerCase().padStart(64, '0')
  return word(type === 'bool' ? Number(value) : (value as string | number))
}

const word = (value: string | number): string => BigInt(value).toString(16).padStart(64, '0')

const hashText = (text: string): string => bytesToHex(keccak_256(utf8ToBytes(text)))
