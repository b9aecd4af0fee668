import { builder } from './builder.ts'
import { OrderStage } from './enums.ts'
import { ExecutedAmountsRef, OrderProgressRef, OrderRef, SolverProposalRef } from './refs.ts'

builder.objectField(OrderRef, 'progress', (t) =>
  t.field({
    type: OrderProgressRef,
    nullable: true,
    description: 'How far the order has come on its way into a settlement; null when nothing is recorded.',
    resolve: ({ id }, _args, { loaders }) => loaders.progress.load(id),
  }),
)

OrderProgressRef.implement({
  description: 'Where an order stands in the competition of solvers.',
  fields: (t) => ({
    stage: t.expose('stage', {
      type: OrderStage,
      description: 'By its trades, and without one by its newest event.',
    }),
    solutions: t.field({
      type: [SolverProposalRef],
      nullable: true,
      description:
        'For SOLVED, EXECUTING and TRADED: every solution of that competition, worst first, winners last. Null when it is not known.',
      extensions: { items: 3 },
      resolve: ({ proposals }, _args, { spend }) => proposals && spend(proposals),
    }),
  }),
})

SolverProposalRef.implement({
  description: 'A solution as far as it concerns one order.',
  fields: (t) => ({
    solver: t.expose('solver', { type: 'Address', description: 'Who proposed it.' }),
    executedAmounts: t.expose('executedAmounts', {
      type: ExecutedAmountsRef,
      nullable: true,
      description: 'What it trades of the order; null when it leaves the order out.',
    }),
  }),
})

ExecutedAmountsRef.implement({
  description: 'What a solution trades of an order.',
  fields: (t) => ({
    sell: t.expose('sell', { type: 'Uint256', description: 'What the order sells, all fees included.' }),
    buy: t.expose('buy', { type: 'Uint256', description: 'What the order buys after all fees.' }),
  }),
})
