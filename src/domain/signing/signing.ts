import {
  address,
  bytes32,
  derived,
  described,
  flag,
  json,
  oneOf,
  safeInt,
  text,
  orderUid as uidField,
  uint32,
  uint256,
  type ValueOf,
} from '../described.ts'
import { type Address, zeroAddress } from '../evm/address.ts'
import { type Bytes32, hexToBytes } from '../evm/hex.ts'
import { keccakHex, keccakText } from '../evm/keccak.ts'
import {
  type OrderData,
  type OrderUid,
  orderTexts,
  packOrderUid,
  type SigningScheme,
} from '../order/order.ts'
import {
  addressWord,
  domainHash,
  hashWords,
  type TypedMember,
  typedDigest,
  typeHash,
  uintWord,
} from './typed-data.ts'

/** The EIP-712 domain of the settlement contract on one chain. */
export interface SigningDomain {
  chainId: number
  settlement: Address
}

export type EcdsaScheme = Extract<SigningScheme, 'eip712' | 'ethsign'>
export const ecdsaSchemes: readonly EcdsaScheme[] = ['eip712', 'ethsign']

export function isEcdsa(signingScheme: SigningScheme): signingScheme is EcdsaScheme {
  return signingScheme === 'eip712' || signingScheme === 'ethsign'
}

export const domainName = 'Gnosis Protocol'
export const domainVersion = 'v2'

export const orderTypes = {
  Order: [
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
  ],
}

const cancellationTypes = {
  OrderCancellation: [{ name: 'orderUid', type: 'bytes' }],
  OrderCancellations: [{ name: 'orderUids', type: 'bytes[]' }],
}

export const orderTypeHash = typeHash('Order', orderTypes.Order)
const cancellationTypeHash = typeHash('OrderCancellation', cancellationTypes.OrderCancellation)
const cancellationsTypeHash = typeHash('OrderCancellations', cancellationTypes.OrderCancellations)
const enumHashes = new Map(
  ['sell', 'buy', 'erc20', 'internal', 'external'].map((value) => [value, keccakText(value)]),
)

const separators = new Map<string, Bytes32>()

export function domainSeparator({ chainId, settlement }: SigningDomain): Bytes32 {
  const key = `${chainId}:${settlement}`
  const cached = separators.get(key)
  if (cached) return cached
  const separator = domainHash({
    name: domainName,
    version: domainVersion,
    chainId,
    verifyingContract: settlement,
  })
  separators.set(key, separator)
  return separator
}

export const signingTerms = described(
  'SigningTerms',
  'The EIP-712 terms of signatures on one network: `eth_signTypedData_v4` takes domain and types as they are.',
  {
    name: text('The name of the domain.'),
    version: text('The version of the domain.'),
    chainId: safeInt('The chain id of the domain.'),
    verifyingContract: address('The contract that verifies the signature: that of settlements.'),
    separator: bytes32('The hash of the domain.'),
    types: json(
      'The types of an order and of cancellations: members with name and type, in the order of the type string.',
    ),
  },
)

export function signingTermsOf({ chainId, settlement }: SigningDomain): ValueOf<typeof signingTerms> {
  return {
    name: domainName,
    version: domainVersion,
    chainId,
    verifyingContract: settlement,
    separator: domainSeparator({ chainId, settlement }),
    types: { EIP712Domain: domainTypes, ...orderTypes, ...cancellationTypes },
  }
}

export function orderStructHash(order: OrderData): Bytes32 {
  return hashWords(orderTypeHash, ...orderWords(order))
}

/** The order's EIP-712 members with their types. */
export function orderMembers(order: OrderData): TypedMember[] {
  const words = orderWords(order)
  return orderTypes.Order.map((member, index) => ({ ...member, word: words[index] ?? '0x' }))
}

/** The words of the members, in the order of `orderTypes`. */
function orderWords(order: OrderData): Bytes32[] {
  return [
    addressWord(order.sellToken),
    addressWord(order.buyToken),
    addressWord(order.receiver),
    uintWord(order.sellAmount),
    uintWord(order.buyAmount),
    uintWord(BigInt(order.validTo)),
    order.appData,
    uintWord(order.feeAmount),
    stringWord(order.kind),
    uintWord(order.partiallyFillable ? 1n : 0n),
    stringWord(order.sellTokenBalance),
    stringWord(order.buyTokenBalance),
  ]
}

/** The digest that an `eip712` signer signs. */
export function orderDigest(domain: SigningDomain, order: OrderData): Bytes32 {
  return typedDigest(domainSeparator(domain), orderStructHash(order))
}

export function orderUid(domain: SigningDomain, order: OrderData, owner: Address): OrderUid {
  return packOrderUid(orderDigest(domain, order), owner, order.validTo)
}

/** The digest of a cancellation of several orders. Client libraries sign this form even for one order. */
export function cancellationsDigest(domain: SigningDomain, uids: readonly OrderUid[]): Bytes32 {
  const list = hashWords(...uids.map((uid) => keccakHex(hexToBytes(uid))))
  return typedDigest(domainSeparator(domain), hashWords(cancellationsTypeHash, list))
}

/** The digest of the older form for a single order. */
export function cancellationDigest(domain: SigningDomain, uid: OrderUid): Bytes32 {
  const word = keccakHex(hexToBytes(uid))
  return typedDigest(domainSeparator(domain), hashWords(cancellationTypeHash, word))
}

/**
 * The digest that an `ethsign` signer signs: the typed digest after the personal-message prefix for 32 bytes.
 */
export function ethsignDigest(digest: Bytes32): Bytes32 {
  return personalDigest(hexToBytes(digest))
}

/** The digest that is signed under `signingScheme`. */
export function signedDigest(signingScheme: EcdsaScheme, digest: Bytes32): Bytes32 {
  return signingScheme === 'ethsign' ? ethsignDigest(digest) : digest
}

/** The digest that a wallet signs for `personal_sign`. */
export function personalDigest(message: Uint8Array): Bytes32 {
  return keccakHex(Buffer.concat([Buffer.from(`\x19Ethereum Signed Message:\n${message.length}`), message]))
}

/** The word of a `string` member, which EIP-712 hashes. The hashes of the enum values are precomputed. */
function stringWord(value: string): Bytes32 {
  return enumHashes.get(value) ?? keccakText(value)
}

const domainTypes = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
]

/** The typed data for `eth_signTypedData_v4`: JSON, with amounts as decimal text. */
export function orderTypedData({ chainId, settlement }: SigningDomain, order: OrderData) {
  return {
    types: { EIP712Domain: domainTypes, ...orderTypes },
    primaryType: 'Order',
    domain: { name: domainName, version: domainVersion, chainId, verifyingContract: settlement },
    message: {
      sellToken: order.sellToken,
      buyToken: order.buyToken,
      receiver: order.receiver ?? zeroAddress,
      sellAmount: order.sellAmount.toString(),
      buyAmount: order.buyAmount.toString(),
      validTo: order.validTo,
      appData: order.appData,
      feeAmount: order.feeAmount.toString(),
      kind: order.kind,
      partiallyFillable: order.partiallyFillable,
      sellTokenBalance: order.sellTokenBalance,
      buyTokenBalance: order.buyTokenBalance,
    },
  }
}

/** The order that a wallet signs, with the contract's domain. */
export type OrderToSign = OrderData & { owner: Address; domain: SigningDomain }

export const signableOrder = described(
  'OrderToSign',
  'An order as its owner signs it: the twelve signed members, and what a wallet is asked to sign. Tokens are bare addresses here, since these are what is signed.',
  {
    sellToken: address(orderTexts.sellToken),
    buyToken: address(orderTexts.buyToken),
    receiver: address.orNull(
      'The account that gets the buy tokens: the owner where the quote named no receiver.',
    ),
    sellAmount: uint256('The sell amount, in atoms; for a buy order its maximum.'),
    buyAmount: uint256('The buy amount, in atoms; for a sell order its minimum, which is never 0.'),
    validTo: uint32(orderTexts.validTo),
    appData: bytes32('The hash of the appData document.'),
    feeAmount: uint256('Always 0: the amounts include fees.'),
    kind: oneOf<OrderData['kind']>('OrderKind')(orderTexts.kind),
    partiallyFillable: flag(orderTexts.neverPartial),
    sellTokenBalance: oneOf<OrderData['sellTokenBalance']>('SellTokenSource')(orderTexts.sellTokenBalance),
    buyTokenBalance: oneOf<OrderData['buyTokenBalance']>('BuyTokenDestination')(orderTexts.buyTokenBalance),
    typedData: derived(
      json(
        'The whole EIP-712 payload, as eth_signTypedData_v4 takes it: types, primaryType, domain, message. Amounts are decimal strings.',
      ),
      ({ domain, ...order }: OrderToSign) => orderTypedData(domain, order),
    ),
    digest: derived(
      bytes32('The digest that an eip712 signature signs.'),
      ({ domain, ...order }: OrderToSign) => orderDigest(domain, order),
    ),
    uid: derived(uidField('The UID that the order will have.'), ({ domain, owner, ...order }: OrderToSign) =>
      orderUid(domain, order, owner),
    ),
  },
)
