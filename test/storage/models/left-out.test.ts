import { expect, test } from 'vitest'
import { competition, competitionSolution } from '../../../src/storage/bodies/competition.ts'
import {
  reportedAttempt,
  reportedEvent,
  reportedExecution,
} from '../../../src/storage/bodies/debug-report.ts'
import { notificationBody } from '../../../src/storage/bodies/notification.ts'
import { fullOrder } from '../../../src/storage/bodies/order.ts'
import { listedTrade } from '../../../src/storage/bodies/trade.ts'
import { affiliate, affiliateRow } from '../../../src/storage/models/affiliate.ts'
import { auction } from '../../../src/storage/models/auction/auction.ts'
import { execution, executionRow } from '../../../src/storage/models/auction/report.ts'
import {
  settlementAttempt,
  settlementAttemptRow,
} from '../../../src/storage/models/auction/settlement-attempt.ts'
import { solution, solutionRow } from '../../../src/storage/models/auction/solution.ts'
import { notification } from '../../../src/storage/models/notification/notification.ts'
import { orderEvent, orderEventRow } from '../../../src/storage/models/order/event.ts'
import { order, orderRow } from '../../../src/storage/models/order/order.ts'
import { orderQuote, orderQuoteRow } from '../../../src/storage/models/order/relations.ts'
import { trade, tradeRow } from '../../../src/storage/models/trade.ts'
import type { Field, Model } from '../../../src/storage/query/model.ts'

/** Each body of the interface, its model, and the model's fields that the interface lacks. */
const bodies: [string, object, Model, string[]][] = [
  ['an order', fullOrder, order, ['id', 'appCode', 'referrer', 'executedFraction', 'effectiveReceiver']],
  ['a trade', listedTrade, trade, ['id', 'auctionId', 'isReverted', 'timestamp']],
  ['a notification', notificationBody, notification, ['notificationId', 'isReverted', 'readAt', 'orderUid']],
  [
    'a competition',
    competition,
    auction,
    ['id', 'block', 'deadline', 'createdAt', 'isFinished', 'solutionCount', 'orderCount'],
  ],
  ['a solution', competitionSolution, solution, ['id', 'solutionUid', 'solver']],
  [
    'an attempt',
    reportedAttempt,
    settlementAttempt,
    [
      'auctionId',
      'txHash',
      'detail',
      'submission',
      'revertedGas',
      'revertedGasCost',
      'replacedBlock',
      'cancellationGas',
      'cancellationGasCost',
    ],
  ],
  ['an event', reportedEvent, orderEvent, ['times', 'detail', 'source', 'txHash']],
  ['an execution', reportedExecution, execution, ['networkFee']],
]

test.each(bodies)('the body of %s has each field of its model, except those listed here', (...given) => {
  const [, body, model, unknown] = given
  // Over REST a header names the lists that are not complete.
  const names = Object.keys(model.fields).filter((name) => !name.startsWith('hasAll'))
  expect(names.filter((name) => !(name in body))).toEqual(unknown)
})

/** Each row type of the program, its model, and members that the model has as a relation or hides. */
const rows: [string, object, Model, string[]][] = [
  ['an order', orderRow, order, []],
  ['a quote of an order', orderQuoteRow, orderQuote, []],
  ['an event', orderEventRow, orderEvent, []],
  ['a trade', tradeRow, trade, []],
  ['a solution', solutionRow, solution, []],
  ['an attempt', settlementAttemptRow, settlementAttempt, []],
  ['an execution', executionRow, execution, []],
  ['an affiliate', affiliateRow, affiliate, []],
]

test.each(rows)('the model of %s has each column of its row, except those listed here', (...given) => {
  const [, row, model, hidden] = given
  const shown = [...sqlOf(model.fields), ...relationsOf(model)].join(' ')
  const members = Object.entries<Field>({ ...row } as Record<string, Field>)
  const missing = members.filter(([, { column }]) => column && !new RegExp(`\\.${column}\\b`).test(shown))
  expect(missing.map(([name]) => name).sort()).toEqual(hidden)
})

const sqlOf = (fields: Model['fields']) =>
  Object.values(fields).map(({ sql }) => (typeof sql === 'string' ? sql : sql('stored')))

/** What a relation makes of a column, such as a token of its address. */
const relationsOf = ({ relations = {} }: Model) =>
  Object.values(relations).flatMap((relation) =>
    relation.kind === 'same' ? sqlOf(relation.model().fields) : [],
  )
