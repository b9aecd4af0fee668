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
  description: 'The needed and the present amount of a token.',
  fields: (t) => ({
    token: t.field({
      type: TokenRef,
      description: 'The token.',
      resolve: ({ chainId, token }, _args, context, info) => tokenOfAddress(chainId, token, context, info),
    }),
    needed: t.expose('needed', { type: 'Uint256', description: 'Atoms that the order needs.' }),
    available: t.expose('available', { type: 'Uint256', description: 'Atoms that there are.' }),
    missing: t.expose('missing', { type: 'Uint256', description: 'Atoms that are missing.' }),
  }),
})

TokenEvidenceRef.implement({
  description: 'A token that the reason is about.',
  fields: (t) => ({
    token: t.field({
      type: TokenRef,
      description: 'The token.',
      resolve: ({ chainId, token }, _args, context, info) => tokenOfAddress(chainId, token, context, info),
    }),
  }),
})

PoolEvidenceRef.implement({
  description: 'A pool that the reason is about.',
  fields: (t) => ({ pool: t.expose('pool', { type: 'Address', description: 'Its contract.' }) }),
})

PriceAmountsRef.implement({
  description: 'A price as an exact fraction: buy atoms for sell atoms.',
  fields: (t) => ({
    decimal: t.field({
      type: 'Decimal',
      description: 'Buy atoms for one sell atom: 36 digits behind the point, rounded down.',
      resolve: ({ sell, buy }) => formatPriceDown({ numerator: buy, denominator: sell }),
    }),
    sellAmount: t.expose('sell', { type: 'Uint256', description: 'Sell atoms.' }),
    buyAmount: t.expose('buy', { type: 'Uint256', description: 'Buy atoms for them.' }),
  }),
})

PriceEvidenceRef.implement({
  description: 'The limit of an order against the market.',
  fields: (t) => ({
    limit: t.expose('limit', { type: PriceAmountsRef, description: 'The limit of the order.' }),
    best: t.expose('best', {
      type: PriceAmountsRef,
      nullable: true,
      description: 'The best price that was seen for it; null where none was.',
    }),
    foundAt: t.expose('at', {
      type: 'DateTime',
      nullable: true,
      description: 'The time at which the best was seen.',
    }),
    foundAtBlock: t.expose('block', {
      type: 'SafeInt',
      nullable: true,
      description: 'The block at which it was seen.',
    }),
    foundBy: t.expose('solver', {
      type: 'Address',
      nullable: true,
      description: 'The solver that proposed it; null for the router of the service.',
    }),
    foundInAuction: t.expose('auctionId', {
      type: 'SafeInt',
      nullable: true,
      description: 'The auction in which it was proposed; null for the router.',
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
      description: 'The time at which that gap was seen. One that moved little since is not written again.',
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
        'The time that the market would need for the gap at that movement, rounded up; null where it moves away, or is not known.',
    }),
  }),
})

FeeEvidenceRef.implement({
  description: 'The fee of the network against what the price leaves for it.',
  fields: (t) => ({
    token: t.field({
      type: TokenRef,
      description: 'The token that is sold.',
      resolve: ({ chainId, token }, _args, context, info) => tokenOfAddress(chainId, token, context, info),
    }),
    fee: t.expose('fee', {
      type: 'Uint256',
      description: 'Atoms that a settlement of the order alone would cost.',
    }),
    left: t.expose('left', { type: 'Uint256', description: 'Atoms that the price leaves for it.' }),
    leastAmount: t.expose('leastAmount', {
      type: 'Uint256',
      nullable: true,
      description:
        'Atoms to sell from which it would pay at the same price and the same fee; null where no size would.',
    }),
  }),
})

CompetitionEvidenceRef.implement({
  description: 'A solution for the order, and what became of it.',
  fields: (t) => ({
    auctionId: t.expose('auctionId', { type: 'SafeInt', description: 'The auction.' }),
    solver: t.expose('solver', { type: 'Address', description: 'The solver of the solution.' }),
    score: t.expose('score', {
      type: 'Uint256',
      nullable: true,
      description: 'Its score in native atoms; null where it was refused before.',
    }),
    winningScore: t.expose('winningScore', {
      type: 'Uint256',
      nullable: true,
      description: 'The score of the best winner; null where there was none.',
    }),
    scoreGap: t.expose('scoreGap', {
      type: 'Uint256',
      nullable: true,
      description: 'The distance of its score below that; null if it is not below.',
    }),
    refusal: t.exposeString('refusal', {
      nullable: true,
      description: 'The reason why it was refused; null if it was not.',
    }),
  }),
})

BlocksEvidenceRef.implement({
  description: 'A block that the reason is about.',
  fields: (t) => ({
    number: t.expose('number', {
      type: 'SafeInt',
      description: 'The last block that was seen, or that counts.',
    }),
    at: t.expose('at', { type: 'DateTime', nullable: true, description: 'Its time, where it is known.' }),
    head: t.expose('head', {
      type: 'SafeInt',
      nullable: true,
      description: 'The newest block, where it is known.',
    }),
  }),
})

TransactionEvidenceRef.implement({
  description: 'A transaction that the reason is about.',
  fields: (t) => ({
    txHash: t.expose('txHash', { type: 'Bytes32', description: 'Its hash.' }),
    block: t.expose('block', {
      type: 'SafeInt',
      nullable: true,
      description: 'Its block; null while it is in none, or where that is not known.',
    }),
  }),
})

OrderEvidenceRef.implement({
  description: 'Another order that the reason is about.',
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
  fields: (t) => ({
    reason: t.exposeString('reason', { description: 'The contract’s text; hex if it has none.' }),
  }),
})

HookEvidenceRef.implement({
  description: 'A hook of the order, in a settlement or in a simulation of one.',
  fields: (t) => ({
    phase: t.expose('phase', {
      type: HookPhase,
      description: 'The time at which it runs: before or after the trade.',
    }),
    index: t.expose('index', {
      type: 'SafeInt',
      description: 'Its place among the hooks of that phase; 0 is the first.',
    }),
    target: t.expose('target', { type: 'Address', description: 'The contract called.' }),
    outcome: t.expose('outcome', { type: HookOutcome, description: 'The outcome of the hook.' }),
    gasLimit: t.expose('gasLimit', {
      type: 'Uint256',
      nullable: true,
      description: 'Gas units that it may use, as signed; null where that is not at hand: see `Order.hooks`.',
    }),
    gasUsed: t.expose('gasUsed', {
      type: 'Uint256',
      nullable: true,
      description: 'Gas units that it used; null where that is not known.',
    }),
  }),
})

ValidityEvidenceRef.implement({
  description: 'The time in which the order may be traded.',
  fields: (t) => ({
    from: t.expose('from', { type: 'DateTime', nullable: true, description: 'Not before; null: at once.' }),
    until: t.expose('until', { type: 'DateTime', description: 'Not later.' }),
    offeredUntil: t.expose('offeredUntil', {
      type: 'DateTime',
      description: 'The end of its time in auctions: `until`, less the present ORDER_MIN_VALIDITY.',
    }),
  }),
})

CancellationEvidenceRef.implement({
  description: 'The cancellation of the order.',
  fields: (t) => ({
    by: t.expose('by', { type: CancellationSource, description: 'The source of the cancellation.' }),
    detail: t.exposeString('detail', {
      nullable: true,
      description: 'More about it, as text; null where there is none.',
    }),
  }),
})

RefusalEvidenceRef.implement({
  description: 'The error with which the service would refuse to place the order.',
  fields: (t) => ({
    code: t.exposeString('code', { description: 'Its code, of the list of errors.' }),
    field: t.exposeString('field', {
      nullable: true,
      description: 'The member of the order that is at fault; null where it is none.',
    }),
    message: t.exposeString('message', { description: 'The fault, in words.' }),
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
