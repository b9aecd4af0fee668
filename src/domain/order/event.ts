import type { Address } from '../evm/address.ts'
import type { Bytes32 } from '../evm/hex.ts'
import type { OrderUid } from './order.ts'

/** Event types of an order's history. */
export const orderEventLabels = [
  'created',
  'ready',
  'filtered',
  'invalid',
  'executing',
  'considered',
  'traded',
  'cancelled',
  'expired',
  'refunded',
  'hook_failed',
] as const
export type OrderEventLabel = (typeof orderEventLabels)[number]

export const orderEventTexts: Record<OrderEventLabel, string> = {
  created: 'Accepted and stored.',
  ready: 'Put into an auction.',
  filtered: 'Left out of an auction for a passing reason.',
  invalid: 'Left out of an auction for a reason that its owner has to mend.',
  executing: 'Part of a winning solution that is on its way to the chain.',
  considered: 'Part of a solution that did not win.',
  traded: 'Traded on chain.',
  cancelled: 'Cancelled; source says by whom.',
  expired: 'Its time passed before it was filled.',
  refunded: 'The unsold rest of an ended order was paid back on chain.',
  hook_failed: 'A call of its own after a trade failed: see hooks.',
}

export const exclusionReasons = [
  'in_flight',
  'banned_user',
  'invalid_signature',
  'unsupported_token',
  'insufficient_balance',
  'dust_order',
  'missing_native_price',
] as const
/** The reason why an order is not in an auction. */
export type ExclusionReason = (typeof exclusionReasons)[number]

/**
 * Reasons why an order has no place in auctions.
 * - `auction_full`: other orders come first, although this order can be settled as well as they can.
 * - `fee_exceeds_value`: the gas of the order alone in a batch, without swaps, costs more than the sold
 *   amount is worth.
 * - `settlement_failed`: the order returns after some blocks. A settlement may have failed because of it or
 *   of another order with code of the same owner, its owner cancelled another order that was about to be
 *   settled, or one of its tokens makes trades fail.
 * - `failed_gas_spent`: transactions with the order, with others of its account or with one of its tokens
 *   failed on chain, and used the gas that the service spends on such within a day.
 * - `document_refused`: its document came after it, and an order that is placed with it would be refused.
 */
export const standingReasons = [
  ...exclusionReasons,
  'auction_full',
  'fee_exceeds_value',
  'settlement_failed',
  'failed_gas_spent',
  'document_refused',
] as const
export type StandingReason = (typeof standingReasons)[number]

export const exclusionTexts: Record<ExclusionReason, string> = {
  in_flight: 'A settlement of it is on its way to the chain.',
  banned_user: 'Its owner or receiver is denied.',
  invalid_signature: 'It is not signed yet, or its contract wallet does not accept the signature any more.',
  unsupported_token: 'One of its tokens is denied or can’t be traded.',
  insufficient_balance: 'Its owner’s balance or allowance is too low.',
  dust_order: 'Its rest is too small to trade.',
  missing_native_price: 'A token has no price in the chain’s coin.',
}

export const standingTexts: Record<StandingReason, string> = {
  ...exclusionTexts,
  fee_exceeds_value:
    'The gas of one more order in a batch costs more than what it sells is worth. It comes back when gas is cheap enough.',
  auction_full: 'Others, to which the market is nearer, have the places.',
  settlement_failed: 'A settlement with it failed, maybe because of it; it comes back after some blocks.',
  failed_gas_spent:
    'Transactions with it, with its account or with one of its tokens failed on chain, and used the gas that the service spends on such within a day.',
  document_refused:
    'Its appData document came after it, and the service refuses orders with this document: the diagnosis has the reason.',
}

/** The token or pool that makes trades fail when it is tried apart from orders. */
export interface Failing {
  kind: 'token' | 'pool'
  address: Address
}

/** Why something waits that made settlements fail. */
export interface Pause {
  /** The reason in an order's standing. */
  reason: StandingReason | null
  /** The answer of a contract. */
  revert?: string | undefined
  failing?: Failing | undefined
}

export function isExclusion(reason: StandingReason | null): reason is ExclusionReason {
  return exclusionReasons.some((each) => each === reason)
}

export interface OrderEvent {
  label: OrderEventLabel
  timestamp: Date
  reason: string | null
}

/** The label of an exclusion. `filtered` is temporary; `invalid` lasts until the trader fixes its cause. */
export function exclusionLabel(reason: ExclusionReason): 'filtered' | 'invalid' {
  return reason === 'in_flight' || reason === 'dust_order' || reason === 'missing_native_price'
    ? 'filtered'
    : 'invalid'
}

export const cancellationSources = ['api', 'policy', 'replacement', 'chain'] as const
/**
 * The source of a cancellation: the owner through the service, the operator, a newer order, or a log of the
 * settlement contract.
 */
export type CancellationSource = (typeof cancellationSources)[number]

export type Cancellation =
  | { by: 'api' }
  | { by: 'policy'; reason: string | null }
  | { by: 'replacement'; uid: OrderUid }
  | { by: 'chain'; blockNumber: number; txHash: Bytes32 }

/**
 * The reason of the event `cancelled`: the source and, after a colon, its detail. It is null for a
 * cancellation by the owner through the service, for which clients expect no reason.
 */
export function cancellationReason(cancellation: Cancellation): string | null {
  const { by } = cancellation
  if (by === 'api') return null
  if (by === 'policy') return cancellation.reason === null ? by : `${by}: ${cancellation.reason}`
  return `${by}: ${by === 'chain' ? cancellation.txHash : cancellation.uid}`
}
