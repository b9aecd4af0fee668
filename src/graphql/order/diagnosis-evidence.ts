import { orderTexts } from '../../domain/order/order.ts'
import { formatPriceDown } from '../../domain/order/surplus.ts'
import { formatPercent } from '../../domain/text/readable.ts'
import { orderByUid } from '../../storage/models/keyed.ts'
import { builder } from '../builder.ts'
import { CancellationSource, HookOutcome, HookPhase } from '../enums.ts'
import {
  AmountsEvidenceRef,
  BlocksEvidenceRef,
  CancellationEvidenceRef,
  CompetitionEvidenceRef,
  FeeEvidenceRef,
  HookEvidenceRef,
  OrderEvidenceRef,
  OrderRef,
  PoolEvidenceRef,
  PriceAmountsRef,
  PriceEvidenceRef,
  RefusalEvidenceRef,
  RevertEvidenceRef,
  TokenEvidenceRef,
  TokenRef,
  TransactionEvidenceRef,
  ValidityEvidenceRef,
} from '../refs.ts'
import { resolveKeyed, type StoredValue } from '../stored/resolve.ts'
import { tokenOfAddress } from '../token/token.ts'

AmountsEvidenceRef.implement({
  description: 'The needed and the available amount of a token.',
  fields: (t) => ({
    token: t.field({
      type: TokenRef,
      description: 'The token.',
      resolve: ({ chainId, token }, _args, context, info) => tokenOfAddress(chainId, token, context, info),
    }),
    needed: t.expose('needed', { type: 'Uint256', description: 'Atoms that the order needs.' }),
    available: t.expose('available', { type: 'Uint256', description: 'Atoms that are available.' }),
    missing: t.expose('missing', { type: 'Uint256', description: 'Atoms that are missing.' }),
  }),
})

TokenEvidenceRef.implement({
  description: 'The token of the reason.',
  fields: (t) => ({
    token: t.field({
      type: TokenRef,
      description: 'The token.',
      resolve: ({ chainId, token }, _args, context, info) => tokenOfAddress(chainId, token, context, info),
    }),
  }),
})

PoolEvidenceRef.implement({
  description: 'The pool of the reason.',
  fields: (t) => ({ pool: t.expose('pool', { type: 'Address', description: 'Its contract.' }) }),
})

PriceAmountsRef.implement({
  description: 'A price as an exact fraction: buy atoms for sell atoms.',
  fields: (t) => ({
    decimal: t.field({
      type: 'Decimal',
      description: 'Buy atoms for one sell atom, with 36 decimals, rounded down.',
      resolve: ({ sell, buy }) => formatPriceDown({ numerator: buy, denominator: sell }),
    }),
    sellAmount: t.expose('sell', { type: 'Uint256', description: 'Sell atoms.' }),
    buyAmount: t.expose('buy', { type: 'Uint256', description: 'Buy atoms for them.' }),
  }),
})

PriceEvidenceRef.implement({
  description: 'The limit of an order against the market.',
  fields: (t) => ({
    limit: t.expose('limit', { type: PriceAmountsRef, description: 'The limit price of the order.' }),
    best: t.expose('best', {
      type: PriceAmountsRef,
      nullable: true,
      description: 'The best observed price; null without one.',
    }),
    foundAt: t.expose('at', { type: 'DateTime', nullable: true, description: 'The time of the best price.' }),
    foundAtBlock: t.expose('block', {
      type: 'SafeInt',
      nullable: true,
      description: 'The block of the best price.',
    }),
    foundBy: t.expose('solver', {
      type: 'Address',
      nullable: true,
      description: 'The solver that proposed it; null for the router of the service.',
    }),
    foundInAuction: t.expose('auctionId', {
      type: 'SafeInt',
      nullable: true,
      description: 'The auction of the best price; null for the router.',
    }),
    gapPercent: t.field({
      type: 'Decimal',
      nullable: true,
      description:
        'The distance of the newest price from the limit, in per cent of the limit; negative if the price is better. It comes from the service’s own routes for the whole rest, as in its quotes; outside estimators may find a better one. Null if nothing is known.',
      resolve: ({ gap }) => (gap === null ? null : formatPercent(gap)),
    }),
    gapSeenAt: t.expose('gapSeenAt', {
      type: 'DateTime',
      nullable: true,
      description: 'The time of that gap. Small later changes are not stored.',
    }),
    dayMovementPercent: t.field({
      type: 'Decimal',
      nullable: true,
      description:
        'The move of the market within the last day, in per cent; positive towards the limit. Null if it is not known.',
      resolve: ({ dayMovement }) => (dayMovement === null ? null : formatPercent(dayMovement)),
    }),
    secondsNeeded: t.expose('secondsNeeded', {
      type: 'SafeInt',
      nullable: true,
      description:
        'The seconds that the market needs to close the gap at that rate, rounded up; null if it moves away, or its movement is not known.',
    }),
  }),
})

FeeEvidenceRef.implement({
  description: 'The network fee, and the amount that the price leaves for it.',
  fields: (t) => ({
    token: t.field({
      type: TokenRef,
      description: orderTexts.sellToken,
      resolve: ({ chainId, token }, _args, context, info) => tokenOfAddress(chainId, token, context, info),
    }),
    fee: t.expose('fee', { type: 'Uint256', description: 'Atoms that settling the order alone costs.' }),
    left: t.expose('left', { type: 'Uint256', description: 'Atoms that the price leaves for it.' }),
    leastAmount: t.expose('leastAmount', {
      type: 'Uint256',
      nullable: true,
      description: 'The minimum sell amount that pays the same fee at the same price; null if no size does.',
    }),
  }),
})

CompetitionEvidenceRef.implement({
  description: 'A solution for the order, and its outcome.',
  fields: (t) => ({
    auctionId: t.expose('auctionId', { type: 'SafeInt', description: 'The auction.' }),
    solver: t.expose('solver', { type: 'Address', description: 'The solver of the solution.' }),
    score: t.expose('score', {
      type: 'Uint256',
      nullable: true,
      description: 'Its score in native atoms; null if it was refused before scoring.',
    }),
    winningScore: t.expose('winningScore', {
      type: 'Uint256',
      nullable: true,
      description: 'The score of the best winner; null without one.',
    }),
    scoreGap: t.expose('scoreGap', {
      type: 'Uint256',
      nullable: true,
      description: 'The amount by which its score is below the winning one; null if it is not.',
    }),
    refusal: t.exposeString('refusal', {
      nullable: true,
      description: 'The reason of its refusal; null if it was not refused.',
    }),
  }),
})

BlocksEvidenceRef.implement({
  description: 'The block of the reason.',
  fields: (t) => ({
    number: t.expose('number', { type: 'SafeInt', description: 'The last block that was seen or counts.' }),
    at: t.expose('at', { type: 'DateTime', nullable: true, description: 'Its time; null if unknown.' }),
    head: t.expose('head', { type: 'SafeInt', nullable: true, description: 'The newest; null if unknown.' }),
  }),
})

TransactionEvidenceRef.implement({
  description: 'The transaction of the reason.',
  fields: (t) => ({
    txHash: t.expose('txHash', { type: 'Bytes32', description: 'Its hash.' }),
    block: t.expose('block', {
      type: 'SafeInt',
      nullable: true,
      description: 'Its block; null while it is in none, or if unknown.',
    }),
  }),
})

OrderEvidenceRef.implement({
  description: 'The other order of the reason.',
  fields: (t) => ({
    uid: t.expose('uid', { type: 'OrderUid', description: 'Its UID.' }),
    order: t.field({
      type: OrderRef,
      nullable: true,
      description: 'The order; null where it is not known.',
      resolve: async ({ uid }, _args, context, info) =>
        (await resolveKeyed(orderByUid, uid, context, info)) as StoredValue | null,
    }),
  }),
})

RevertEvidenceRef.implement({
  description: 'The answer of a contract.',
  fields: (t) => ({ reason: t.exposeString('reason', { description: 'The reason as text, or its hex.' }) }),
})

HookEvidenceRef.implement({
  description: 'A hook of the order, in a settlement or in a simulation of one.',
  fields: (t) => ({
    phase: t.expose('phase', { type: HookPhase, description: 'The time: before or after the trade.' }),
    index: t.expose('index', {
      type: 'SafeInt',
      description: 'Its place among hooks of that phase, from 0.',
    }),
    target: t.expose('target', { type: 'Address', description: 'The contract that it calls.' }),
    outcome: t.expose('outcome', { type: HookOutcome, description: 'The outcome of the hook.' }),
    gasLimit: t.expose('gasLimit', {
      type: 'Uint256',
      nullable: true,
      description: 'Gas units that it may use, as signed; null if they are not known.',
    }),
    gasUsed: t.expose('gasUsed', {
      type: 'Uint256',
      nullable: true,
      description: 'Gas units that it used; null if they are not known.',
    }),
  }),
})

ValidityEvidenceRef.implement({
  description: 'The time in which the order may be traded.',
  fields: (t) => ({
    from: t.expose('from', { type: 'DateTime', nullable: true, description: 'The start; null for at once.' }),
    until: t.expose('until', { type: 'DateTime', description: 'The last time.' }),
    offeredUntil: t.expose('offeredUntil', {
      type: 'DateTime',
      description: 'The end of its offer in auctions: `until` minus the current setting ORDER_MIN_VALIDITY.',
    }),
  }),
})

CancellationEvidenceRef.implement({
  description: 'The source of the cancellation.',
  fields: (t) => ({
    by: t.expose('by', { type: CancellationSource, description: 'The source.' }),
    detail: t.exposeString('detail', { nullable: true, description: 'Details as text; null without any.' }),
  }),
})

RefusalEvidenceRef.implement({
  description: 'The error with which the service would refuse to place the order.',
  fields: (t) => ({
    code: t.exposeString('code', { description: 'Its code, of the list of errors.' }),
    field: t.exposeString('field', { nullable: true, description: 'The invalid member; null for none.' }),
    message: t.exposeString('message', { description: 'The description of the error.' }),
  }),
})

const types = {
  amounts: AmountsEvidenceRef,
  token: TokenEvidenceRef,
  pool: PoolEvidenceRef,
  price: PriceEvidenceRef,
  fee: FeeEvidenceRef,
  competition: CompetitionEvidenceRef,
  blocks: BlocksEvidenceRef,
  transaction: TransactionEvidenceRef,
  order: OrderEvidenceRef,
  revert: RevertEvidenceRef,
  hook: HookEvidenceRef,
  validity: ValidityEvidenceRef,
  cancellation: CancellationEvidenceRef,
  refusal: RefusalEvidenceRef,
}

export const DiagnosisEvidence = builder.unionType('DiagnosisEvidence', {
  description: 'A fact behind a reason.',
  types: Object.values(types),
  resolveType: ({ kind }) => types[kind],
})
