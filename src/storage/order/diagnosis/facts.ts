import type { DiagnosisFacts, StandingFacts } from '../../../domain/diagnosis/facts.ts'
import type { Address } from '../../../domain/evm/address.ts'
import { unixSeconds } from '../../../domain/log.ts'
import type { OrderUid } from '../../../domain/order/uid.ts'
import { bytea } from '../../database/columns.ts'
import type { Db } from '../../database/database.ts'
import { derived } from '../../query/model.ts'
import { type RowFields, rowSql, toRow } from '../../query/row.ts'
import { ownParam } from '../../query/selected.ts'
import { numberParameters, runStatement } from '../../query/statement.ts'
import { sql } from '../../query/text.ts'
import {
  attemptFields,
  bestBid,
  bidFields,
  cancellation,
  cancellationFields,
  failedHook,
  failedHookFields,
  lastTrade,
  newestAttempt,
  newestBid,
  newestRefusal,
  orderFields,
  pairFields,
  pairPrice,
  refusalFields,
  type StandingRow,
  serviceFields,
  standingFields,
  tokenFields,
  tokenRow,
  tradeFields,
} from './rows.ts'

/** What is stored about an order, and whose funds it needs. */
export type StoredFacts = Pick<
  DiagnosisFacts,
  | 'order'
  | 'tokens'
  | 'cancellation'
  | 'lastTrade'
  | 'failedHook'
  | 'standing'
  | 'bid'
  | 'bestBid'
  | 'attempt'
  | 'refusal'
  | 'market'
> & {
  owner: Address
  /** Whether a contract of its own decides what its account has: its wallet, or its hooks. */
  hasOwnCode: boolean
  service: Pick<DiagnosisFacts['service'], 'indexed' | 'head' | 'auctionAt'>
}

const orNothing = (text: string) => sql(`coalesce(${text}, 'null')`)

/** What is stored about the tokens of `o` and about its network, also where `o` is no stored order. */
export const surroundings = {
  sell: orNothing(tokenRow('o.sell_token')),
  buy: orNothing(tokenRow('o.buy_token')),
  newest: orNothing(pairPrice('DESC')),
  oldest: orNothing(pairPrice('ASC')),
  service: sql(rowSql(serviceFields)),
}

/** JSON text, in SQL: one expression over a dozen tables, for order `o`. */
const factsSql = `(SELECT ${rowSql(orderFields, {
  ...surroundings,
  standing: orNothing(`CASE WHEN sd.order_id IS NOT NULL THEN ${rowSql(standingFields)} END`),
  cancellation: orNothing(cancellation),
  lastTrade: orNothing(lastTrade),
  failedHook: orNothing(failedHook),
  bid: orNothing(newestBid),
  bestBid: orNothing(bestBid),
  attempt: orNothing(newestAttempt),
  refusal: orNothing(newestRefusal),
})}
  FROM (SELECT 1) one LEFT JOIN order_standings sd ON sd.order_id = o.id LEFT JOIN checkpoints cp ON cp.chain_id = o.chain_id
    LEFT JOIN auction_rounds ar ON ar.chain_id = o.chain_id)`

const unwritten = () => {
  throw new TypeError('facts are read only')
}

/** What is stored about an order, for reads of orders: see `toFacts`. */
export const diagnosisFacts = derived<SurroundingsJson>(
  {
    type: 'JSON',
    text: (expression) => sql(expression),
    read: (json) => json as never,
    column: 'text',
    write: unwritten,
  },
  factsSql,
  '',
)

const statement = numberParameters(
  `SELECT ${factsSql} FROM orders o WHERE o.chain_id = ${ownParam(0)}::int4 AND o.uid = ${ownParam(1)}::bytea`,
)

export interface FactsQuestion {
  chainId: number
  uid: OrderUid
  now: Date
  hidesCompetitions: boolean
}

/** Undefined for an order that is not stored. @throws Outage */
export async function readDiagnosisFacts(
  db: Db,
  { chainId, uid, now, hidesCompetitions }: FactsQuestion,
): Promise<StoredFacts | undefined> {
  const ambient = { now: unixSeconds(now.getTime()), hidesCompetitions }
  const [text] = await runStatement(db, statement, ambient, [chainId, bytea(uid)], [])
  return text === undefined ? undefined : toFacts(JSON.parse(text))
}

export type SurroundingsJson = Record<string, Record<string, unknown> | null>

function read<Row>(json: SurroundingsJson, key: string, fields: RowFields<Row>): Row | null {
  return json[key] ? toRow(fields, json[key]) : null
}

export function toSurroundings(json: SurroundingsJson): Pick<StoredFacts, 'tokens' | 'market' | 'service'> {
  const [newest, oldest] = [read(json, 'newest', pairFields), read(json, 'oldest', pairFields)]
  const { block, blockAt, head, auctionAt } = toRow(serviceFields, json.service ?? {})
  return {
    tokens: { sell: read(json, 'sell', tokenFields), buy: read(json, 'buy', tokenFields) },
    market: newest && oldest && { newest, oldest },
    service: { indexed: block === null ? null : { block, at: blockAt }, head, auctionAt },
  }
}

/** The facts of parsed JSON that `diagnosisFacts` wrote. */
export function toFacts(json: SurroundingsJson): StoredFacts {
  const { owner, hasOwnCode, ...order } = toRow(orderFields, json)
  const standing = read(json, 'standing', standingFields)
  return {
    ...{ owner, hasOwnCode, order },
    ...toSurroundings(json),
    standing: standing && toStanding(standing),
    cancellation: read(json, 'cancellation', cancellationFields),
    lastTrade: read(json, 'lastTrade', tradeFields),
    failedHook: read(json, 'failedHook', failedHookFields),
    bid: read(json, 'bid', bidFields),
    bestBid: read(json, 'bestBid', bidFields),
    attempt: read(json, 'attempt', attemptFields),
    refusal: read(json, 'refusal', refusalFields),
  }
}

function failingOf({ failingToken, failingPool }: StandingRow): StandingFacts['failing'] {
  if (failingToken) return { kind: 'token', address: failingToken }
  return failingPool && { kind: 'pool', address: failingPool }
}

function toStanding(row: StandingRow): StandingFacts {
  const { balance, allowance, routedSell, routedBuy, routedBlock: routedAt, bestSell, bestBuy } = row
  const { bestBlock, bestAt } = row
  const found = routedSell !== null && routedBuy !== null && { sell: routedSell, buy: routedBuy }
  return {
    reason: row.reason,
    since: row.since,
    at: row.at,
    marketGap: row.marketGap,
    feeShare: row.feeShare,
    policyShare: row.policyShare,
    missing: row.missing,
    funds: balance === null || allowance === null ? null : { balance, allowance },
    takenBy: row.takenBy,
    revert: row.revert,
    failing: failingOf(row),
    unpriced: (row.unpriced?.split(',') ?? []) as Address[],
    routed: routedAt === null ? null : found ? { ...found, block: routedAt } : 'none',
    best:
      bestSell === null || bestBuy === null || bestBlock === null || bestAt === null
        ? null
        : { sell: bestSell, buy: bestBuy, block: bestBlock, at: bestAt },
  }
}
