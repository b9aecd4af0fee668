import { auctionNumberSql } from '../../domain/auction/key.ts'
import type {
  DiagnosedOrder,
  FailedHookFacts,
  ObservedAttempt,
  ObservedBid,
  ObservedProgrammaticOrder,
  ObservedRefusal,
  PairPrice,
} from '../../domain/diagnosis/diagnosis.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Bytes32 } from '../../domain/evm/hex.ts'
import { type CancellationSource, cancellationSources, standingReasons } from '../../domain/order/event.ts'
import type { OrderUid } from '../../domain/order/order.ts'
import { generatorStatuses } from '../../domain/programmatic/statuses.ts'
import { hookOutcomes } from '../../domain/settlement/hooks.ts'
import type { TokenLabel } from '../../domain/text/readable.ts'
import { generatorStatusNames, isOf, programmaticStatusSql } from '../chain/programmatic-status.ts'
import { isShown } from '../models/auction/auction.ts'
import { cancellationSourceOf } from '../models/order/event.ts'
import { orderRow } from '../models/order/order.ts'
import { newestBids } from '../models/order/standing.ts'
import {
  address,
  amount,
  boolean,
  bytes32,
  enumOf,
  orderUid,
  rowKey,
  safeInt,
  signedAmount,
  smallInt,
  string,
  time,
} from '../query/codec.ts'
import { type RowFields, rowSql } from '../query/json.ts'
import { derived, orNull } from '../query/model.ts'
import { now } from '../query/selection.ts'
import { isVerified } from './mirror.ts'

/** Fields of order `o` and of its related rows, each as JSON text. */

export const orderFields: RowFields<
  DiagnosedOrder & { owner: Address; hasOwnCode: boolean; isVerified: boolean }
> = {
  owner: orderRow.owner,
  sellToken: orderRow.sellToken,
  buyToken: orderRow.buyToken,
  sellAmount: orderRow.sellAmount,
  buyAmount: orderRow.buyAmount,
  kind: orderRow.kind,
  partiallyFillable: orderRow.partiallyFillable,
  signingScheme: orderRow.signingScheme,
  creationDate: orderRow.creationDate,
  validFrom: orderRow.validFrom,
  effectiveValidTo: orderRow.effectiveValidTo,
  executedSellAmount: orderRow.executedSellAmount,
  executedBuyAmount: orderRow.executedBuyAmount,
  executedFeeAmount: orderRow.executedFeeAmount,
  cancelledAt: orderRow.cancelledAt,
  invalidatedOnChain: orderRow.invalidatedOnChain,
  presigned: orderRow.presigned,
  placementError: orderRow.placementError,
  placementDetail: orderRow.placementDetail,
  hasPreHooks: derived(boolean, `coalesce(jsonb_array_length(to_jsonb(o.interactions) -> 'pre'), 0) > 0`, ''),
  hasOwnCode: derived(boolean, `o.signing_scheme = 'eip1271' OR o.interactions IS NOT NULL`, ''),
  isVerified: derived(
    boolean,
    `NOT EXISTS (SELECT FROM mirrored_orders m WHERE m.order_id = o.id AND NOT ${isVerified})`,
    '',
  ),
}

export const tokenFields: RowFields<TokenLabel> = {
  symbol: orNull(derived(string, 'tk.symbol', '')),
  decimals: orNull(derived(smallInt, 'tk.decimals', '')),
}
/** Fields of a stored token. */
export const tokenRow = (token: string) =>
  `(SELECT ${rowSql(tokenFields)} FROM tokens tk WHERE tk.chain_id = o.chain_id AND tk.address = ${token})`

export interface StandingRow {
  reason: (typeof standingReasons)[number] | null
  since: Date
  at: Date
  marketGap: bigint | null
  feeShare: bigint | null
  policyShare: bigint | null
  missing: bigint | null
  balance: bigint | null
  allowance: bigint | null
  takenBy: OrderUid | null
  revert: string | null
  failingToken: Address | null
  failingPool: Address | null
  /** Addresses with commas between them. */
  unpriced: string | null
  routedSell: bigint | null
  routedBuy: bigint | null
  routedBlock: number | null
  bestSell: bigint | null
  bestBuy: bigint | null
  bestBlock: number | null
  bestAt: Date | null
}

export const standingFields: RowFields<StandingRow> = {
  reason: orNull(derived(enumOf('OrderStandingReason', standingReasons), 'sd.reason', '')),
  since: derived(time, 'sd.since', ''),
  at: derived(time, 'sd.updated_at', ''),
  marketGap: orNull(derived(signedAmount, 'sd.market_gap', '')),
  feeShare: orNull(derived(signedAmount, 'sd.fee_share', '')),
  policyShare: orNull(derived(signedAmount, 'sd.policy_share', '')),
  missing: orNull(derived(amount, 'sd.missing', '')),
  balance: orNull(derived(amount, 'sd.balance', '')),
  allowance: orNull(derived(amount, 'sd.allowance', '')),
  takenBy: orNull(derived(orderUid, '(SELECT fo.uid FROM orders fo WHERE fo.id = sd.funds_taken_by)', '')),
  revert: orNull(derived(string, 'sd.revert', '')),
  failingToken: orNull(derived(address, 'sd.failing_token', '')),
  failingPool: orNull(derived(address, 'sd.failing_pool', '')),
  unpriced: orNull(
    derived(string, `(SELECT string_agg('0x' || encode(u, 'hex'), ',') FROM unnest(sd.unpriced) AS u)`, ''),
  ),
  routedSell: orNull(derived(amount, 'sd.routed_sell', '')),
  routedBuy: orNull(derived(amount, 'sd.routed_buy', '')),
  routedBlock: orNull(derived(safeInt, 'sd.routed_block', '')),
  bestSell: orNull(derived(amount, 'sd.best_sell', '')),
  bestBuy: orNull(derived(amount, 'sd.best_buy', '')),
  bestBlock: orNull(derived(safeInt, 'sd.best_block', '')),
  bestAt: orNull(derived(time, 'sd.best_at', '')),
}

export const bidFields: RowFields<ObservedBid> = {
  auctionId: derived(rowKey, auctionNumberSql('b.auction_id'), ''),
  at: derived(time, 'a.created_at', ''),
  block: derived(safeInt, 'a.block', ''),
  solver: derived(address, 'bs.solver', ''),
  score: derived(amount, 'bs.score', ''),
  isWinner: derived(boolean, 'bs.is_winner', ''),
  filteredOut: derived(boolean, 'bs.filtered_out', ''),
  sell: derived(amount, 'b.executed_sell', ''),
  buy: derived(amount, 'b.executed_buy', ''),
  winningScore: orNull(
    derived(
      amount,
      '(SELECT max(ws.score) FROM solutions ws WHERE ws.auction_id = b.auction_id AND ws.is_winner)',
      '',
    ),
  ),
}

/** The first solution for the order by this sort, among those that may be shown. */
const bidRow = (order: string) => `(SELECT ${rowSql(bidFields)}
  FROM ${newestBids} b JOIN auctions a ON a.id = b.auction_id AND ${isShown}
    JOIN solutions bs ON bs.auction_id = b.auction_id AND bs.uid = b.solution_uid ORDER BY ${order} LIMIT 1)`
/** The best one of the newest auction. */
export const newestBid = bidRow('b.auction_id DESC, bs.ranking')
export const bestBid = bidRow(
  'b.executed_buy / nullif(b.executed_sell, 0) DESC NULLS LAST, b.auction_id DESC, bs.ranking',
)

export const attemptFields: RowFields<ObservedAttempt> = {
  auctionId: derived(rowKey, auctionNumberSql('t.auction_id'), ''),
  solver: derived(address, 't.solver', ''),
  startedAt: derived(time, 't.started_at', ''),
  endedAt: orNull(derived(time, 't.ended_at', '')),
  outcome: orNull(derived(string, 't.outcome', '')),
  txHash: orNull(derived(bytes32, 't.tx_hash', '')),
  deadlineBlock: derived(safeInt, 't.deadline_block', ''),
  revertedBlock: orNull(derived(safeInt, 't.reverted_block', '')),
  replacedBlock: orNull(derived(safeInt, 't.replaced_block', '')),
}

/** One that is sent is known to clients also where competitions are hidden: see `pendingSettlements`. */
export const newestAttempt = `(SELECT ${rowSql(attemptFields)}
  FROM ${newestBids} b JOIN auctions a ON a.id = b.auction_id
    JOIN settlement_attempts t ON t.auction_id = b.auction_id AND t.solution_uid = b.solution_uid
  WHERE ${isShown} OR t.outcome IS NULL AND (t.tx_hash IS NOT NULL OR t.driver_solution IS NOT NULL)
  ORDER BY t.auction_id DESC, t.solution_uid DESC LIMIT 1)`

export const cancellationFields: RowFields<{
  by: CancellationSource
  detail: string | null
  at: Date | null
}> = {
  by: derived(
    enumOf('CancellationSource', cancellationSources),
    `CASE WHEN ce.id IS NOT NULL THEN ${cancellationSourceOf('ce')} WHEN o.cancelled_at IS NULL THEN 'chain' ELSE 'api' END`,
    '',
  ),
  detail: orNull(derived(string, 'ce.reason', '')),
  at: orNull(derived(time, 'coalesce(ce.timestamp, o.cancelled_at)', '')),
}
export const cancellation = `CASE WHEN o.cancelled_at IS NOT NULL OR o.invalidated THEN (SELECT ${rowSql(cancellationFields)}
  FROM (VALUES (1)) AS one LEFT JOIN LATERAL (SELECT e.id, e.reason, e.timestamp FROM order_events e
    WHERE e.order_id = o.id AND e.label = 'cancelled' ORDER BY e.timestamp DESC, e.id DESC LIMIT 1) ce ON true) END`

export const tradeFields: RowFields<{ txHash: Bytes32; block: number; at: Date | null }> = {
  txHash: derived(bytes32, 'tr.tx_hash', ''),
  block: derived(safeInt, 'tr.block_number', ''),
  at: orNull(
    derived(
      time,
      `(SELECT max(te.timestamp) FROM order_events te WHERE te.order_id = o.id AND te.label = 'traded'
        AND te.block_number = tr.block_number)`,
      '',
    ),
  ),
}
export const lastTrade = `(SELECT ${rowSql(tradeFields)} FROM trades tr WHERE tr.order_id = o.id
  ORDER BY tr.block_number DESC, tr.log_index DESC LIMIT 1)`

export const failedHookFields: RowFields<FailedHookFacts> = {
  index: derived(smallInt, 'hc.position', ''),
  target: derived(address, 'hc.target', ''),
  outcome: derived(enumOf('HookOutcome', hookOutcomes), 'hc.outcome', ''),
  reason: orNull(derived(string, 'hc.reason', '')),
  gasUsed: orNull(derived(amount, 'hc.gas_used', '')),
  txHash: derived(bytes32, 'hc.tx_hash', ''),
  block: derived(safeInt, 'hc.block_number', ''),
  failed: derived(smallInt, 'hc.failed', ''),
}
/** A failed hook of the newest trade with one. */
export const failedHook = `(SELECT ${rowSql(failedHookFields)} FROM (SELECT fh.*, count(*) OVER () AS failed FROM hook_calls fh
    WHERE fh.order_id = o.id AND fh.phase = 'post' AND fh.outcome <> 'succeeded') hc
  ORDER BY hc.block_number DESC, hc.log_index DESC, hc.position LIMIT 1)`

export const pairFields: RowFields<PairPrice> = {
  at: derived(time, 'ms.at', ''),
  sell: derived(amount, 'ms.price', ''),
  buy: derived(amount, 'mb.price', ''),
}

const seriesOf = (token: string) =>
  `(SELECT se.id FROM price_series se WHERE se.chain_id = o.chain_id AND se.token = ${token})`

/** Market prices of both tokens within a day: the first in this order. */
export const pairPrice = (order: 'ASC' | 'DESC') => `(SELECT ${rowSql(pairFields)}
  FROM market_prices ms JOIN market_prices mb ON mb.at = ms.at AND mb.series_id = ${seriesOf('o.buy_token')}
  WHERE ms.series_id = ${seriesOf('o.sell_token')} AND ms.at >= to_timestamp(${now}) - interval '1 day 5 minutes'
  ORDER BY ms.at ${order} LIMIT 1)`

export const serviceFields: RowFields<{
  block: number | null
  blockAt: Date | null
  head: number | null
  auctionAt: Date | null
}> = {
  block: orNull(derived(safeInt, 'cp.block_number', '')),
  blockAt: orNull(derived(time, 'cp.block_time', '')),
  head: orNull(derived(safeInt, 'cp.head_number', '')),
  auctionAt: orNull(derived(time, 'ar.at', '')),
}

export const programmaticFields: RowFields<ObservedProgrammaticOrder> = {
  owner: derived(address, 'pp.owner', ''),
  hash: derived(bytes32, 'pp.hash', ''),
  status: orNull(
    derived(
      enumOf('ProgrammaticOrderStatus', generatorStatuses),
      `CASE WHEN g.id IS NOT NULL THEN ${programmaticStatusSql(now, generatorStatusNames)} END`,
      '',
    ),
  ),
  removedBlock: orNull(derived(safeInt, 'g.removed_block', '')),
  newerPart: orNull(
    derived(
      orderUid,
      `(SELECT newer.uid FROM programmatic_parts np JOIN orders newer ON newer.id = np.order_id
        WHERE np.chain_id = pp.chain_id AND np.owner = pp.owner AND np.hash = pp.hash AND np.order_id > pp.order_id
        ORDER BY np.order_id DESC LIMIT 1)`,
      '',
    ),
  ),
}
export const programmaticRow = `(SELECT ${rowSql(programmaticFields)} FROM programmatic_parts pp
  LEFT JOIN programmatic_orders g ON ${isOf('pp')} WHERE pp.order_id = o.id)`

export const refusalFields: RowFields<ObservedRefusal> = {
  auctionId: derived(rowKey, auctionNumberSql('rs.auction_id'), ''),
  solver: derived(address, 'rs.solver', ''),
  reason: derived(string, 'rs.message', ''),
  at: derived(time, 'rs.at', ''),
}
/** The auction need not be stored: `a` has the columns of the condition. */
export const newestRefusal = `(SELECT ${rowSql(refusalFields)} FROM refused_solutions rs
  CROSS JOIN LATERAL (SELECT rs.chain_id, rs.deadline_block) a
  WHERE rs.order_ids @> ARRAY[o.id] AND ${isShown} ORDER BY rs.id DESC LIMIT 1)`
