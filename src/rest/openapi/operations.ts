import { channelOperations } from '../account/channels-documentation.ts'
import { notificationOperations } from '../account/notifications.ts'
import { sessionOperations } from '../account/sessions.ts'
import { affiliateOperations } from '../affiliate/affiliates.ts'
import { statisticsOperations } from '../affiliate/statistics.ts'
import { appDataOperations } from '../app-data.ts'
import { balanceOperations } from '../balances/balances.ts'
import { balanceSessionOperations } from '../balances/sessions.ts'
import { competitionOperations } from '../competition/competition.ts'
import { currentAuctionOperations } from '../competition/current-auction.ts'
import { noticeOperations } from '../competition/solver-notices.ts'
import { type Family, statusOf, toErrorBody } from '../errors.ts'
import { marketDataOperations } from '../market.ts'
import { bundleOperations } from '../order/bundle.ts'
import { cancellationOperations } from '../order/cancellation-documentation.ts'
import { diagnosisOperations } from '../order/diagnosis.ts'
import { feedOperations } from '../order/feed.ts'
import { debugReportOperations, orderOperations } from '../order/orders.ts'
import { simulationOperations } from '../order/simulation.ts'
import { quoteOperations } from '../quote.ts'
import type { RowTraits } from '../routing/route.ts'
import { serviceOperations } from '../service.ts'
import { tokenOperations } from '../token/native-price.ts'
import { poolOperations } from '../token/pools.ts'
import { tokenDataOperations } from '../token/tokens.ts'
import { tradeOperations } from '../trades.ts'
import type { Operation, Operations, Tag, WrittenExample, WrittenOperation } from './operation.ts'

type Refused = NonNullable<WrittenExample['refused']>
type Tagged = WrittenOperation & Pick<Operation, 'tag'>

const tagged = (tag: Tag, operations: Operations): Operations<Tagged> =>
  Object.fromEntries(Object.entries(operations).map(([on, operation]) => [on, { ...operation, tag }]))

/** Documentation of every route, of both families. */
export const operations: Operations<Tagged> = {
  ...tagged('Quotes', quoteOperations),
  ...tagged('Orders', orderOperations),
  ...tagged('Orders', cancellationOperations),
  ...tagged('Orders', debugReportOperations),
  ...tagged('Orders', diagnosisOperations),
  ...tagged('Orders', feedOperations),
  ...tagged('Orders', simulationOperations),
  ...tagged('Trades', tradeOperations),
  ...tagged('App data', appDataOperations),
  ...tagged('Competitions', competitionOperations),
  ...tagged('Competitions', currentAuctionOperations),
  ...tagged('Competitions', noticeOperations),
  ...tagged('Market', tokenOperations),
  ...tagged('Networks', serviceOperations),
  ...tagged('Accounts', notificationOperations),
  ...tagged('Accounts', balanceOperations),
  ...tagged('Accounts', balanceSessionOperations),
  ...tagged('Channels', channelOperations),
  ...tagged('Sessions', sessionOperations),
  ...tagged('Token data', tokenDataOperations),
  ...tagged('Market', marketDataOperations),
  ...tagged('Pools', poolOperations),
  ...tagged('Simulations', bundleOperations),
  ...tagged('Affiliates', affiliateOperations),
  ...tagged('Statistics', statisticsOperations),
}

/** Returns the documentation of a route, whose examples get status and body. */
export function operationOf(row: RowTraits, family: Family): Operation | undefined {
  const operation = operations[row.on]
  if (!operation) return undefined
  const examples = Object.entries(operation.examples).map(([name, { refused, ...example }]) => [
    name,
    {
      ...example,
      ...(refused ? refusal(refused, row, family) : { status: example.status ?? firstSuccess(operation) }),
    },
  ])
  return { ...operation, examples: Object.fromEntries(examples) }
}

const firstSuccess = ({ answers }: WrittenOperation) => Number(Object.keys(answers)[0])

function refusal(refused: Refused, row: RowTraits, family: Family) {
  const [code, message, data] = refused === 'missing' ? missing(row) : refused
  return {
    status: row.statuses?.[code] ?? statusOf[code],
    answer: toErrorBody(family, { code, message, data }),
  }
}

function missing({ on, missing: message }: RowTraits): Exclude<Refused, 'missing'> {
  if (message === undefined) throw new Error(`${on} has no message for its 404`)
  return ['NotFound', message]
}
