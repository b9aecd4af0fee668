import { auctionNumberSql, firstKeySql } from '../../domain/auction/key.ts'
import type { FeePolicy } from '../../domain/fee/policy.ts'
import { orderAuctions } from '../models/auction/auction.ts'
import { feePolicies, feePolicyKinds } from '../models/auction/fee-policy.ts'
import { auctionReport, execution, executionRow, unknownOfReport } from '../models/auction/report.ts'
import { settlementAttempt, settlementAttemptRow } from '../models/auction/settlement-attempt.ts'
import { areAuctionsComplete, membersWhere } from '../models/completeness.ts'
import { areEventsComplete, orderEvent, orderEventRow } from '../models/order/event.ts'
import { hookCall, orderHook, orderHooks } from '../models/order/hook.ts'
import { debugReport } from '../models/order/relations.ts'
import { trade } from '../models/trade.ts'
import { address, enumOf, rowKey } from '../query/codec.ts'
import { aliasField, column, derived, type Field } from '../query/model.ts'
import { ownParam } from '../query/selection.ts'
import { absent, type Body, fieldsOf, listOf, type Member, modelOf, rowsOf, share, textOf } from './body.ts'
import { nativePricesBody } from './competition.ts'
import { fullOrder } from './order.ts'

/** A factor of one kind of policy; left out of policies of the other kinds. */
const factor = (kind: FeePolicy['kind'], column: string, field: string): Member =>
  absent({
    codec: share,
    sql: `(CASE WHEN p.kind = '${kind}' THEN p.${column} END)`,
    nullable: true,
    description: textOf(feePolicies[kind](), field),
  })

export const reportedFeePolicy: Body = {
  kind: column(enumOf('FeePolicyKind', feePolicyKinds), 'p.kind', 'The base of the policy.'),
  surplusFactor: factor('surplus', 'factor', 'factor'),
  surplusMaxVolumeFactor: factor('surplus', 'max_volume_factor', 'maxVolumeFactor'),
  volumeFactor: factor('volume', 'factor', 'factor'),
  priceImprovementFactor: factor('priceImprovement', 'factor', 'factor'),
  priceImprovementMaxVolumeFactor: factor('priceImprovement', 'max_volume_factor', 'maxVolumeFactor'),
}

export const reportedExecution: Body = {
  executedFee: executionRow.executedFee,
  executedFeeToken: executionRow.executedFeeToken,
  blockNumber: executionRow.blockNumber,
  protocolFees: listOf(execution, 'protocolFees', {
    token: column(address, 'pf.token', textOf(modelOf(execution, 'protocolFees'), 'token')),
    ...fieldsOf(modelOf(execution, 'protocolFees'), 'amount'),
  }),
}

export const reportedAttempt: Body = {
  ...fieldsOf(settlementAttempt, 'solver', 'solutionUid', 'startTimestamp', 'startBlock', 'deadlineBlock'),
  endTimestamp: absent(settlementAttemptRow.endTimestamp),
  endBlock: absent(settlementAttemptRow.endBlock),
  outcome: absent(aliasField(settlementAttemptRow.outcome, 'success, timeout or “driver failed: …”.')),
}

/** Auction `a` as far as it concerns order `o`. */
export const reportedAuction: Body = {
  id: derived(rowKey, auctionNumberSql('a.id'), textOf(auctionReport, 'auction')),
  ...fieldsOf(auctionReport, 'block', 'deadline'),
  nativePrices: nativePricesBody(
    'auction_prices np WHERE np.auction_id = a.id AND np.token IN (o.sell_token, o.buy_token)',
  ),
  proposedSolutions: listOf(auctionReport, 'proposedSolutions'),
  executions: listOf(auctionReport, 'executions', reportedExecution),
  settlementAttempts: listOf(auctionReport, 'settlementAttempts', reportedAttempt),
  feePolicies: listOf(auctionReport, 'feePolicies', reportedFeePolicy),
}

export const reportedEvent: Body = {
  ...fieldsOf(orderEvent, 'label', 'timestamp'),
  reason: absent(
    aliasField(orderEventRow.reason, 'Why, for filtered and invalid, and for cancellations by policy.'),
  ),
}

export const reportedTrade: Body = {
  ...fieldsOf(trade, 'blockNumber', 'logIndex', 'sellAmount', 'sellAmountBeforeFees', 'buyAmount'),
  txHash: absent(trade.fields.txHash as Field),
  auctionId: absent(trade.fields.auctionId as Field),
}

const reportedHookCall: Body = {
  ...fieldsOf(hookCall, 'txHash', 'blockNumber'),
  outcome: absent(hookCall.fields.outcome as Field),
  unknownReason: absent(hookCall.fields.unknownReason as Field),
  reason: absent(hookCall.fields.reason as Field),
  gasUsed: absent(hookCall.fields.gasUsed as Field),
}

const reportedHook: Body = {
  ...fieldsOf(orderHook, 'phase', 'target', 'callData', 'gasLimit'),
  calls: listOf(orderHook, 'calls', reportedHookCall),
}

/** Limit of trades in a report: an order can have any number of them. */
const maxTrades = 100

/** Default limit of auctions in a report. */
export const defaultReportAuctions = 200

/**
 * SQL for the parameters of a report: the newest `maxAuctions` auctions with a number below the first one;
 * null stands for no bound. `before` is the key of that number.
 */
const before = `coalesce(${ownParam(0)}::bigint + CASE WHEN EXISTS (SELECT FROM order_books ob WHERE ob.chain_id = o.chain_id)
  THEN ${firstKeySql('o.chain_id')} ELSE 0 END, 9223372036854775807)`
const maxAuctions = `${ownParam(1)}::int`

const reportedAuctions = `(SELECT a.* FROM ${orderAuctions} AND a.id < ${before} ORDER BY a.id DESC LIMIT ${maxAuctions}) a`

/** SQL for the lowest auction number in the report if there are older auctions, else null. */
export const oldestReported = `(SELECT CASE WHEN count(*) = 2 THEN ${auctionNumberSql('max(ends.id)')}::text END FROM (
  SELECT a.id FROM ${orderAuctions} AND a.id < ${before} ORDER BY a.id DESC LIMIT 2 OFFSET ${maxAuctions} - 1) ends)`

/** SQL for members of the report that are not known. */
export const unknownOfReports = `(SELECT ${membersWhere({
  events: `NOT (${areEventsComplete})`,
  auctions: `NOT (${areAuctionsComplete})`,
  ...Object.fromEntries(
    Object.entries(unknownOfReport).map(([member, condition]) => [
      `auctions.${member}`,
      `coalesce(bool_or(${condition}), false)`,
    ]),
  ),
})} FROM ${reportedAuctions})`

/** The report of order `o`. */
export const debugReportBody: Body = {
  ...fieldsOf(debugReport, 'orderUid'),
  order: { object: fullOrder },
  events: {
    ...listOf(debugReport, 'events', reportedEvent),
    rows: `${rowsOf(debugReport, 'events')} ORDER BY ev.timestamp, ev.id`,
  },
  auctions: {
    ...listOf(debugReport, 'auctions', reportedAuction),
    rows: `${reportedAuctions} ORDER BY a.id`,
  },
  trades: {
    ...listOf(debugReport, 'trades', reportedTrade),
    rows: `${rowsOf(debugReport, 'trades')} ORDER BY tr.block_number DESC, tr.log_index DESC LIMIT ${maxTrades}`,
  },
  // Not in the published interface: reports of orders without calls of their own are as they were.
  hooks: {
    perhaps: reportedHook,
    rows: rowsOf(debugReport, 'hooks'),
    unless: 'o.interactions IS NULL',
    description: orderHooks.description,
  },
}
