import { factorScale } from '../domain/fee-policy.ts'
import { builder } from './builder.ts'
import { FeePolicyKind } from './enums.ts'
import {
  AuctionReportRef,
  DebugReportRef,
  ExecutionRef,
  FeePolicyRef,
  NativePriceRef,
  OrderEventRef,
  OrderRef,
  ProposedSolutionRef,
  ProtocolFeeRef,
  SettlementAttemptRef,
  TradeRef,
} from './refs.ts'

builder.objectField(OrderRef, 'debugReport', (t) =>
  t.field({
    type: DebugReportRef,
    description: 'Everything that happened to this order, in the shape of the REST report.',
    resolve: (order) => order,
  }),
)

DebugReportRef.implement({
  description: 'Everything that happened to one order, read in one statement.',
  fields: (t) => ({
    orderUid: t.expose('uid', { type: 'OrderUid', description: 'The order’s UID.' }),
    order: t.field({ type: OrderRef, description: 'The order.', resolve: (order) => order }),
    events: t.field({
      type: [OrderEventRef],
      description: 'Its story, oldest first.',
      extensions: { items: 5 },
      resolve: async ({ id }, _args, { loaders, spend }) => spend((await loaders.story.load(id)).events),
    }),
    auctions: t.field({
      type: [AuctionReportRef],
      description: 'The auctions that held it, by id, with what concerns it.',
      extensions: { items: 3 },
      resolve: async ({ id }, _args, { loaders, spend }) => spend((await loaders.story.load(id)).auctions),
    }),
    trades: t.field({
      type: [TradeRef],
      description: 'Its newest 100 trades, newest first.',
      extensions: { items: 3 },
      resolve: async ({ id }, _args, { loaders, spend }) => spend((await loaders.story.load(id)).trades),
    }),
  }),
})

AuctionReportRef.implement({
  description: 'One auction as far as it concerns one order.',
  fields: (t) => ({
    id: t.expose('id', { type: 'SafeInt', description: 'The auction.' }),
    block: t.expose('block', { type: 'SafeInt', description: 'The block it was built on.' }),
    deadline: t.expose('deadlineBlock', { type: 'SafeInt', description: 'The last block for a settlement.' }),
    nativePrices: t.expose('nativePrices', {
      type: [NativePriceRef],
      description: 'Of the order’s two tokens, as far as the auction had them.',
      extensions: { items: 2 },
    }),
    proposedSolutions: t.expose('proposedSolutions', {
      type: [ProposedSolutionRef],
      description: 'Solutions that trade the order, best first.',
      extensions: { items: 3 },
    }),
    executions: t.expose('executions', {
      type: [ExecutionRef],
      description: 'What was done on chain.',
      extensions: { items: 2 },
    }),
    settlementAttempts: t.expose('settlementAttempts', {
      type: [SettlementAttemptRef],
      description: 'Tries to settle the auction’s winners, oldest first.',
      extensions: { items: 2 },
    }),
    feePolicies: t.expose('feePolicies', {
      type: [FeePolicyRef],
      description: 'What the protocol may take, in the order it is applied.',
      extensions: { items: 2 },
    }),
  }),
})

NativePriceRef.implement({
  description: 'What a token is worth to an auction.',
  fields: (t) => ({
    token: t.expose('token', { type: 'Address', description: 'The token.' }),
    price: t.expose('price', { type: 'Uint256', description: 'Native atoms for 10^18 token atoms.' }),
  }),
})

ProposedSolutionRef.implement({
  description: 'A solution as far as it concerns one order.',
  fields: (t) => ({
    solutionUid: t.expose('uid', { type: 'SafeInt', description: 'Its index in the stored ranking.' }),
    ranking: t.expose('ranking', { type: 'SafeInt', description: 'Its place, from 1.' }),
    solver: t.expose('solver', { type: 'Address', description: 'Who proposed it.' }),
    isWinner: t.exposeBoolean('isWinner', { description: 'Whether it won.' }),
    filteredOut: t.exposeBoolean('filteredOut', {
      description: 'Left out because it was unfair to an order.',
    }),
    score: t.expose('score', {
      type: 'Uint256',
      description: 'What the whole solution is worth, in native atoms.',
    }),
    executedSell: t.expose('executedSell', {
      type: 'Uint256',
      description: 'What the order sells, all fees included.',
    }),
    executedBuy: t.expose('executedBuy', {
      type: 'Uint256',
      description: 'What the order buys after all fees.',
    }),
  }),
})

ExecutionRef.implement({
  description: 'What a settlement on chain did for an order.',
  fields: (t) => ({
    executedFee: t.expose('executedFee', {
      type: 'Uint256',
      description: 'Network and protocol fee together.',
    }),
    executedFeeToken: t.expose('executedFeeToken', {
      type: 'Address',
      description: 'The token of executedFee.',
    }),
    blockNumber: t.expose('blockNumber', { type: 'SafeInt', description: 'Block of the settlement.' }),
    protocolFees: t.expose('protocolFees', {
      type: [ProtocolFeeRef],
      description: 'The protocol’s part, aligned with the fee policies.',
    }),
  }),
})

ProtocolFeeRef.implement({
  description: 'A fee that the protocol took.',
  fields: (t) => ({
    token: t.expose('token', { type: 'Address', description: 'The token of amount.' }),
    amount: t.expose('amount', { type: 'Uint256', description: 'What was taken.' }),
  }),
})

SettlementAttemptRef.implement({
  description: 'A try to bring a winning solution on chain. The last three fields are null while it runs.',
  fields: (t) => ({
    solver: t.expose('solver', { type: 'Address', description: 'The winner.' }),
    solutionUid: t.expose('solutionUid', { type: 'SafeInt', description: 'Its solution.' }),
    startTimestamp: t.expose('startTimestamp', { type: 'DateTime', description: 'When it began.' }),
    startBlock: t.expose('startBlock', { type: 'SafeInt', description: 'The block at that time.' }),
    deadlineBlock: t.expose('deadlineBlock', { type: 'SafeInt', description: 'The last block for it.' }),
    endTimestamp: t.expose('endTimestamp', {
      type: 'DateTime',
      nullable: true,
      description: 'When it ended.',
    }),
    endBlock: t.expose('endBlock', { type: 'SafeInt', nullable: true, description: 'The block at its end.' }),
    outcome: t.exposeString('outcome', {
      nullable: true,
      description: 'success, timeout or “driver failed: …”.',
    }),
  }),
})

/** Parts per million as a JSON number in 0..1: a setting, never money. */
const factor = (value: bigint | null) => (value === null ? null : Number(value) / Number(factorScale))

FeePolicyRef.implement({
  description: 'A rule for what the protocol may take. Only the factors of its kind are set.',
  fields: (t) => ({
    kind: t.expose('kind', { type: FeePolicyKind, description: 'What it measures.' }),
    surplusFactor: t.float({
      nullable: true,
      description: 'Share of the surplus.',
      resolve: (policy) => factor(policy.kind === 'surplus' ? policy.factor : null),
    }),
    surplusMaxVolumeFactor: t.float({
      nullable: true,
      description: 'The most it takes, as a share of the volume.',
      resolve: (policy) => factor(policy.kind === 'surplus' ? policy.maxVolumeFactor : null),
    }),
    volumeFactor: t.float({
      nullable: true,
      description: 'Share of the volume.',
      resolve: (policy) => factor(policy.kind === 'volume' ? policy.factor : null),
    }),
    priceImprovementFactor: t.float({
      nullable: true,
      description: 'Share of the improvement over the quote.',
      resolve: (policy) => factor(policy.kind === 'priceImprovement' ? policy.factor : null),
    }),
    priceImprovementMaxVolumeFactor: t.float({
      nullable: true,
      description: 'The most it takes, as a share of the volume.',
      resolve: (policy) => factor(policy.kind === 'priceImprovement' ? policy.maxVolumeFactor : null),
    }),
  }),
})
