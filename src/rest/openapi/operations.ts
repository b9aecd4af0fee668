import { channelOperations } from '../account/channel-documentation.ts'
import { accountOperations } from '../account/documentation.ts'
import { sessionOperations } from '../account/session-documentation.ts'
import { affiliateOperations } from '../affiliate/documentation.ts'
import { statisticsOperations } from '../affiliate/statistics-documentation.ts'
import { appDataOperations } from '../app-data/documentation.ts'
import { balanceOperations } from '../balances/documentation.ts'
import { balanceSessionOperations } from '../balances/session-documentation.ts'
import { currentAuctionOperations } from '../competition/current-auction-documentation.ts'
import { competitionOperations } from '../competition/documentation.ts'
import { noticeOperations } from '../competition/notices.ts'
import { type Family, statusOf, toErrorBody } from '../errors/body.ts'
import { marketDataOperations } from '../market/documentation.ts'
import { networkOperations } from '../network/documentation.ts'
import { bundleOperations } from '../order/bundle-documentation.ts'
import { cancellationOperations } from '../order/cancellation-documentation.ts'
import { debugReportOperations } from '../order/debug-report-documentation.ts'
import { diagnosisOperations } from '../order/diagnosis/documentation.ts'
import { orderOperations } from '../order/documentation.ts'
import { simulationOperations } from '../order/simulation-documentation.ts'
import { quoteOperations } from '../quote/documentation.ts'
import type { RowTraits } from '../row/route.ts'
import { tokenDataOperations } from '../token/data-documentation.ts'
import { marketOperations } from '../token/documentation.ts'
import { poolOperations } from '../token/pools/documentation.ts'
import { tradeOperations } from '../trade/documentation.ts'
import type { Operation, Operations, WrittenExample, WrittenOperation } from './operation.ts'
import type { Tag } from './tags.ts'

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
  ...tagged('Orders', simulationOperations),
  ...tagged('Trades', tradeOperations),
  ...tagged('App data', appDataOperations),
  ...tagged('Competitions', competitionOperations),
  ...tagged('Competitions', currentAuctionOperations),
  ...tagged('Competitions', noticeOperations),
  ...tagged('Market', marketOperations),
  ...tagged('Networks', networkOperations),
  ...tagged('Accounts', accountOperations),
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

/** The documentation of a route. Its examples get status and body. */
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
  if (message === undefined) throw new Error(`${on} has no message for what is missing`)
  return ['NotFound', message]
}
