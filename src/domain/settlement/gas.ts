import { divUp, mulDivDown, mulDivUp } from '../amount.ts'
import type { Hook, ParsedAppData } from '../app-data/document.ts'
import { duePreInteractions, type Order } from '../order/order.ts'
import type { NativeRate } from '../token/prices.ts'
import { dueHooks, type HookedOrder } from './hooks.ts'

/** Gas units for estimates. The first four and the conversions were measured on the settlement contract. */
export const gasUnits = {
  transaction: 32_000n,
  solverCheck: 7_365n,
  /** The storage refunds that every settlement gets; subtracted. */
  refunds: 13_000n,
  trade: 44_000n,
  transfer: 27_513n,
  /** One swap of a constant-product pool, its token transfer included. */
  hop: 80_000n,
  wrapNative: 24_038n,
  unwrapNative: 9_223n,
  /** The default estimate of a contract's signature check. */
  contractSignature: 27_000n,
} as const

/** The gas limit of one transaction (EIP-7825). */
export const maxTransactionGas = 2n ** 24n

/** The gas of a settlement before its first trade. */
export const settlementBaseGas = gasUnits.transaction + gasUnits.solverCheck - gasUnits.refunds

/** The gas of one order in a settlement: its trade and two transfers. */
export const tradeGas = gasUnits.trade + 2n * gasUnits.transfer

/** The gas of a settlement of `trades` orders over `hops` swaps; 125,391 with one trade and no swap. */
export function settlementGas(trades: number, hops: number): bigint {
  return settlementBaseGas + BigInt(trades) * tradeGas + BigInt(hops) * gasUnits.hop
}

/** The gas of each of `trades` orders that share a settlement and its `hops` swaps. */
export function sharedGasUp(trades: number, hops: number): bigint {
  return divUp(settlementGas(trades, hops), BigInt(trades))
}

/**
 * The gas of one order's next fill beyond its trade: a contract's signature check, wrapping, the hooks that
 * run, and unwrapping.
 * @param signatureGas measured gas of the signature check
 */
export function extraOrderGas(
  order: HookedOrder & Pick<Order, 'signingScheme' | 'onchainUser'>,
  buysNative: boolean,
  signatureGas: bigint = gasUnits.contractSignature,
): bigint {
  const signature = order.signingScheme === 'eip1271' ? signatureGas : 0n
  return signature + wrappingGas(order) + dueHooksGas(order) + (buysNative ? gasUnits.unwrapNative : 0n)
}

/** The sum of the gas limits of all pre and post hooks, which run in an order's first fill. */
export function hooksGas({ preHooks, postHooks }: Pick<ParsedAppData, 'preHooks' | 'postHooks'>): bigint {
  return sumOfLimits([...preHooks, ...postHooks])
}

function dueHooksGas(order: HookedOrder): bigint {
  const { pre, post } = dueHooks(order)
  return sumOfLimits([...pre, ...post])
}

const sumOfLimits = (hooks: readonly Hook[]) => hooks.reduce((sum, { gasLimit }) => sum + gasLimit, 0n)

/** A network fee in atoms of the sold or of the bought token; at most one of them is more than 0. */
export interface NetworkFee {
  sold: bigint
  bought: bigint
}

/**
 * The fee for a gas cost in native atoms. It is taken in the sold token; if it is less than one of its atoms,
 * in the bought token; if it is less than an atom of each, not at all. Rounded up. Rounding adds less than
 * one atom to at least one, so a fee is always less than twice its cost.
 */
export function networkFeeUp(cost: bigint, sellRate: NativeRate, buyRate: NativeRate): NetworkFee {
  const sold = wholeAtomsUp(cost, sellRate)
  return { sold, bought: sold > 0n ? 0n : wholeAtomsUp(cost, buyRate) }
}

/** The atoms of a token for a cost, rounded up; 0 for less than one. */
function wholeAtomsUp(cost: bigint, { nativeAmount, tokenAmount }: NativeRate): bigint {
  return cost * tokenAmount < nativeAmount ? 0n : mulDivUp(cost, tokenAmount, nativeAmount)
}

/** The cost of one swap in atoms of a token, rounded down. It only helps to choose routes. */
export function hopCostDown(gasPrice: bigint, { nativeAmount, tokenAmount }: NativeRate): bigint {
  return mulDivDown(gasUnits.hop * gasPrice, tokenAmount, nativeAmount)
}

/** The gas for wrapping: the contract of an order that was placed on chain wraps its coins first. */
function wrappingGas(order: HookedOrder & Pick<Order, 'onchainUser'>): bigint {
  return order.onchainUser !== null && duePreInteractions(order).length > 0 ? gasUnits.wrapNative : 0n
}
