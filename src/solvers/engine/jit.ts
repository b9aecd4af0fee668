import type { AuctionOrder } from '../../domain/auction/auction.ts'
import { type JitOrder, toJitEntry, toLiquidityOrder } from '../../domain/auction/jit.ts'
import { type Address, zeroAddress } from '../../domain/evm/address.ts'
import { type Hex, hexSize } from '../../domain/evm/hex.ts'
import type { OrderData } from '../../domain/order/order.ts'
import { recoverSigner } from '../../domain/signing/signature.ts'
import { type EcdsaScheme, orderDigest, orderUid, type SigningDomain } from '../../domain/signing/signing.ts'
import { wrappedForm } from '../../domain/token/token.ts'
import type { EngineSolution } from './answer.ts'

export type JitTrade = Extract<EngineSolution['trades'][number], { kind: 'jit' }>

export interface JitOptions {
  domain: SigningDomain
  wrappedNative: Address
  /** The time in Unix seconds. */
  now: number
}

const addressBytes = 20

/**
 * Reads an order that an engine adds itself, or returns the reason why it cannot be settled. Balances and
 * contract wallets are left to the simulation.
 */
export function readJitOrder({ order }: JitTrade, options: JitOptions): AuctionOrder | { fault: string } {
  const { domain, wrappedNative, now } = options
  const { signingScheme: scheme, signature, receiver, ...rest } = order
  const data: OrderData = { ...rest, receiver: receiver === zeroAddress ? null : receiver, feeAmount: 0n }
  if (data.sellTokenBalance !== 'erc20' || data.buyTokenBalance !== 'erc20')
    return { fault: 'only balances of kind erc20 are settled' }
  if (data.sellAmount === 0n || data.buyAmount === 0n) return { fault: 'an amount is zero' }
  if (data.validTo <= now) return { fault: 'it has expired' }
  const signed = readSignature(domain, data, scheme, signature)
  if ('fault' in signed) return signed
  if (signed.owner === zeroAddress || signed.owner === domain.settlement)
    return { fault: `${signed.owner} is no owner` }
  const jit: JitOrder = { data, uid: orderUid(domain, data, signed.owner), ...signed }
  const buysNative = wrappedForm(data.buyToken, wrappedNative) !== data.buyToken
  return toJitEntry(toLiquidityOrder(jit, domain), buysNative)
}

type Signed = Pick<JitOrder, 'owner' | 'signingScheme' | 'signature'>

/**
 * Reads the owner and the signature in the settlement contract's form: the owner signs, precedes the
 * signature of a contract, or is the whole signature.
 */
function readSignature(
  domain: SigningDomain,
  data: OrderData,
  scheme: JitTrade['order']['signingScheme'],
  signature: Hex,
): Signed | { fault: string } {
  if (scheme === 'eip712') return recovered(domain, data, 'eip712', signature)
  if (scheme === 'ethSign') return recovered(domain, data, 'ethsign', signature)
  const size = hexSize(signature)
  if (size < addressBytes || (scheme === 'preSign' && size > addressBytes))
    return { fault: 'the signature has no owner of 20 bytes in front' }
  const owner = signature.slice(0, 2 + 2 * addressBytes) as Address
  if (scheme === 'preSign') return { owner, signingScheme: 'presign', signature: '0x' }
  return { owner, signingScheme: 'eip1271', signature: `0x${signature.slice(2 + 2 * addressBytes)}` }
}

function recovered(
  domain: SigningDomain,
  data: OrderData,
  signingScheme: EcdsaScheme,
  given: Hex,
): Signed | { fault: string } {
  const recovery = recoverSigner(signingScheme, orderDigest(domain, data), given)
  if ('fault' in recovery) return { fault: `the signature is not valid: ${recovery.fault}` }
  return { owner: recovery.signer, signingScheme, signature: recovery.signature }
}
