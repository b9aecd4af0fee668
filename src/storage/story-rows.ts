import type { Address } from '../domain/address.ts'
import type { OrderExecution, ProtocolFee, SettlementAttempt, StoredSolution } from '../domain/competition.ts'
import type { OrderEventLabel } from '../domain/event.ts'
import type { FeePolicy } from '../domain/fee-policy.ts'
import type { Bytes32, Hex } from '../domain/hex.ts'
import type { OrderUid } from '../domain/order-uid.ts'
import type { Trade } from '../domain/trade.ts'
import { dateOrNull, json } from './columns.ts'

const { hex, amount, time } = json

/** One fragment and one mapping for each noun of an order's story; every read of the noun uses them. Aliases are fixed. */
export const eventJson = `json_build_object('label', ev.label, 'reason', ev.reason, 'timestamp', ${time('ev.timestamp')})`

export const solutionJson = `json_build_object('auctionId', s.auction_id::text, 'uid', s.uid, 'ranking', s.ranking,
  'solver', ${hex('s.solver')}, 'isWinner', s.is_winner, 'filteredOut', s.filtered_out, 'score', ${amount('s.score')},
  'referenceScore', ${amount('s.reference_score')})`

export const executionJson = `json_build_object('auctionId', x.auction_id::text, 'executedFee', ${amount('x.executed_fee')},
  'executedFeeToken', ${hex('x.executed_fee_token')}, 'blockNumber', x.block_number,
  'protocolFees', (SELECT coalesce(json_agg(json_build_object('token', ${hex('pf.token')}, 'amount', ${amount('pf.amount')})
    ORDER BY pf.position), '[]') FROM unnest(x.protocol_fee_tokens, x.protocol_fee_amounts)
    WITH ORDINALITY AS pf(token, amount, position)))`

export const attemptJson = `json_build_object('auctionId', t.auction_id::text, 'solutionUid', t.solution_uid,
  'solver', ${hex('t.solver')}, 'startTimestamp', ${time('t.started_at')}, 'startBlock', t.start_block,
  'deadlineBlock', t.deadline_block, 'txHash', ${hex('t.tx_hash')}, 'endTimestamp', ${time('t.ended_at')},
  'endBlock', t.end_block, 'outcome', t.outcome)`

export const policyJson = `json_build_object('kind', p.kind, 'factor', p.factor, 'maxVolumeFactor', p.max_volume_factor)`

export const tradeJson = `json_build_object('chainId', tr.chain_id, 'blockNumber', tr.block_number, 'logIndex', tr.log_index,
  'orderUid', ${hex('tr.order_uid')}, 'owner', ${hex('tr.owner')}, 'sellToken', ${hex('tr.sell_token')},
  'buyToken', ${hex('tr.buy_token')}, 'sellAmount', ${amount('tr.sell_amount')}, 'buyAmount', ${amount('tr.buy_amount')},
  'feeAmount', ${amount('tr.fee_amount')}, 'txHash', ${hex('tr.tx_hash')}, 'auctionId', tr.auction_id::text)`

/** The rows of `query`, whose column is `json`, as one JSON list. */
export function listOf(query: string): string {
  return `(SELECT coalesce(json_agg(rows.json), '[]') FROM (${query}) AS rows)`
}

export interface EventJson {
  label: OrderEventLabel
  reason: string | null
  timestamp: number
}

export const toEvent = (row: EventJson) => ({ ...row, timestamp: new Date(row.timestamp) })

export type SolutionJson = Omit<StoredSolution, 'auctionId' | 'score' | 'referenceScore'> & {
  auctionId: string
  score: string
  referenceScore: string | null
}

export const toSolution = (row: SolutionJson): StoredSolution => ({
  ...row,
  auctionId: BigInt(row.auctionId),
  score: BigInt(row.score),
  referenceScore: row.referenceScore === null ? null : BigInt(row.referenceScore),
})

export interface ExecutionJson {
  auctionId: string
  executedFee: string
  executedFeeToken: Address
  blockNumber: number
  protocolFees: { token: Address; amount: string }[]
}

export const toExecution = (row: ExecutionJson): OrderExecution => ({
  ...row,
  auctionId: BigInt(row.auctionId),
  executedFee: BigInt(row.executedFee),
  protocolFees: row.protocolFees.map(toProtocolFee),
})

export function toProtocolFee(row: { token: Address; amount: string }): ProtocolFee {
  return { token: row.token, amount: BigInt(row.amount) }
}

export type AttemptJson = Omit<SettlementAttempt, 'auctionId' | 'startTimestamp' | 'endTimestamp'> & {
  auctionId: string
  startTimestamp: number
  endTimestamp: number | null
}

export const toAttempt = (row: AttemptJson): SettlementAttempt => ({
  ...row,
  auctionId: BigInt(row.auctionId),
  startTimestamp: new Date(row.startTimestamp),
  endTimestamp: dateOrNull(row.endTimestamp),
})

export interface PolicyJson {
  kind: FeePolicy['kind']
  factor: number
  maxVolumeFactor: number | null
}

export function toPolicy(row: PolicyJson): FeePolicy {
  const factor = BigInt(row.factor)
  return row.kind === 'volume'
    ? { kind: row.kind, factor }
    : { kind: row.kind, factor, maxVolumeFactor: BigInt(row.maxVolumeFactor ?? 0) }
}

type TradeAmounts = 'sellAmount' | 'buyAmount' | 'feeAmount'

export type TradeJson = Omit<Trade, TradeAmounts | 'auctionId'> &
  Record<TradeAmounts, string> & { auctionId: string | null; orderUid: OrderUid; txHash: Bytes32; owner: Hex }

export const toTrade = (row: TradeJson): Trade => ({
  ...row,
  sellAmount: BigInt(row.sellAmount),
  buyAmount: BigInt(row.buyAmount),
  feeAmount: BigInt(row.feeAmount),
  auctionId: row.auctionId === null ? null : BigInt(row.auctionId),
})
