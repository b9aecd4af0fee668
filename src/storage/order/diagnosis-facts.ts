import type { DiagnosisInput, ObservedStanding } from '../../domain/diagnosis/diagnosis.ts'
import type { Address } from '../../domain/evm/address.ts'
import { unixSeconds } from '../../domain/log.ts'
import type { OrderUid } from '../../domain/order/order.ts'
import { bytea } from '../database/columns.ts'
import type { Db } from '../database/database.ts'
import { boolean } from '../query/codec.ts'
import { type RowFields, rowSql, toRow } from '../query/json.ts'
import { derived } from '../query/model.ts'
import { ownParam } from '../query/selection.ts'
import { sqlExpression } from '../query/sql-text.ts'
import { numberParameters, runStatement } from '../query/statement.ts'
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
  programmaticFields,
  programmaticRow,
  refusalFields,
  type StandingRow,
  serviceFields,
  standingFields,
  tokenFields,
  tokenRow,
  tradeFields,
} from './diagnosis-rows.ts'

/** Stored facts about an order, and the account whose funds it needs. */
export type StoredFacts = Pick<
  DiagnosisInput,
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
  | 'programmatic'
  | 'market'
> & {
  owner: Address
  /** True if own code, of its wallet or its hooks, decides about its account's funds. */
  hasOwnCode: boolean
  /** False if it is of a followed order book, and its account has not confirmed its signature. */
  isVerified: boolean
  service: Pick<DiagnosisInput['service'], 'indexed' | 'head' | 'auctionAt'>
}

const orNothing = (text: string) => sqlExpression(`coalesce(${text}, 'null')`)

/** Stored facts about the tokens of `o` and about its network, even if `o` is not a stored order. */
const contextFields = {
  sell: orNothing(tokenRow('o.sell_token')),
  buy: orNothing(tokenRow('o.buy_token')),
  newest: orNothing(pairPrice('DESC')),
  oldest: orNothing(pairPrice('ASC')),
  service: sqlExpression(rowSql(serviceFields)),
}

/** JSON text, in SQL: one expression over a dozen tables, for order `o`. */
const factsSql = `(SELECT ${rowSql(orderFields, {
  ...contextFields,
  standing: orNothing(`CASE WHEN sd.order_id IS NOT NULL THEN ${rowSql(standingFields)} END`),
  cancellation: orNothing(cancellation),
  lastTrade: orNothing(lastTrade),
  failedHook: orNothing(failedHook),
  bid: orNothing(newestBid),
  bestBid: orNothing(bestBid),
  attempt: orNothing(newestAttempt),
  refusal: orNothing(newestRefusal),
  programmatic: orNothing(programmaticRow),
})}
  FROM (SELECT 1) one LEFT JOIN order_standings sd ON sd.order_id = o.id LEFT JOIN checkpoints cp ON cp.chain_id = o.chain_id
    LEFT JOIN auction_rounds ar ON ar.chain_id = o.chain_id)`

const unwritten = () => {
  throw new TypeError('facts are read only')
}

/** Stored facts about an order, for reads of orders: see `toFacts`. */
export const diagnosisFacts = derived<ContextJson>(
  {
    type: 'JSON',
    text: (expression) => sqlExpression(expression),
    read: (json) => json as ContextJson,
    column: 'text',
    write: unwritten,
  },
  factsSql,
  '',
)

const diagnosisStatement = numberParameters(
  `SELECT ${factsSql} FROM orders o WHERE o.chain_id = ${ownParam(0)}::int4 AND o.uid = ${ownParam(1)}::bytea`,
)

interface DiagnosisQuery {
  chainId: number
  uid: OrderUid
  now: Date
  hidesCompetitions: boolean
}

/** Undefined for an order that is not stored. @throws Outage */
export async function readDiagnosisFacts(
  db: Db,
  { chainId, uid, now, hidesCompetitions }: DiagnosisQuery,
): Promise<StoredFacts | undefined> {
  const ambient = { now: unixSeconds(now.getTime()), hidesCompetitions }
  const [text] = await runStatement(db, diagnosisStatement, ambient, [chainId, bytea(uid)], [])
  return text === undefined ? undefined : toFacts(JSON.parse(text))
}

export type ContextJson = Record<string, Record<string, unknown> | null>

function read<Row>(json: ContextJson, key: string, fields: RowFields<Row>): Row | null {
  return json[key] ? toRow(fields, json[key]) : null
}

function toContext(json: ContextJson): Pick<StoredFacts, 'tokens' | 'market' | 'service'> {
  const [newest, oldest] = [read(json, 'newest', pairFields), read(json, 'oldest', pairFields)]
  const { block, blockAt, head, auctionAt } = toRow(serviceFields, json.service ?? {})
  return {
    tokens: { sell: read(json, 'sell', tokenFields), buy: read(json, 'buy', tokenFields) },
    market: newest && oldest && { newest, oldest },
    service: { indexed: block === null ? null : { block, at: blockAt }, head, auctionAt },
  }
}

/** The facts of parsed JSON that `diagnosisFacts` wrote. */
export function toFacts(json: ContextJson): StoredFacts {
  const { owner, hasOwnCode, isVerified, ...order } = toRow(orderFields, json)
  const standing = read(json, 'standing', standingFields)
  return {
    owner,
    hasOwnCode,
    isVerified,
    order,
    ...toContext(json),
    standing: standing && toStanding(standing),
    cancellation: read(json, 'cancellation', cancellationFields),
    lastTrade: read(json, 'lastTrade', tradeFields),
    failedHook: read(json, 'failedHook', failedHookFields),
    bid: read(json, 'bid', bidFields),
    bestBid: read(json, 'bestBid', bidFields),
    attempt: read(json, 'attempt', attemptFields),
    refusal: read(json, 'refusal', refusalFields),
    programmatic: read(json, 'programmatic', programmaticFields),
  }
}

function failingOf({ failingToken, failingPool }: StandingRow): ObservedStanding['failing'] {
  if (failingToken) return { kind: 'token', address: failingToken }
  return failingPool && { kind: 'pool', address: failingPool }
}

function toStanding(row: StandingRow): ObservedStanding {
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

/** Stored facts that affect an order before it is placed. */
export type UnplacedOrderFacts = Pick<StoredFacts, 'tokens' | 'market' | 'service'> & {
  /** True if it is already signed on chain. */
  presigned: boolean
}

interface UnplacedOrderQuery {
  chainId: number
  sellToken: Address
  buyToken: Address
  /** Null where it is not known yet. */
  uid: OrderUid | null
  now: Date
}

const aheadFields: RowFields<Pick<UnplacedOrderFacts, 'presigned'>> = {
  presigned: derived(
    boolean,
    `coalesce((SELECT p.signed FROM presignatures p WHERE p.order_uid = o.uid AND p.chain_id = o.chain_id
      ORDER BY p.block_number DESC, p.log_index DESC LIMIT 1), false)`,
    '',
  ),
}

const unplacedOrderStatement = numberParameters(`SELECT ${rowSql(aheadFields, contextFields)}
  FROM (SELECT ${ownParam(0)}::int4 AS chain_id, ${ownParam(1)}::bytea AS sell_token, ${ownParam(2)}::bytea AS buy_token,
    ${ownParam(3)}::bytea AS uid) o
  LEFT JOIN checkpoints cp ON cp.chain_id = o.chain_id LEFT JOIN auction_rounds ar ON ar.chain_id = o.chain_id`)

/** @throws Outage */
export async function readUnplacedOrderFacts(
  db: Db,
  { chainId, sellToken, buyToken, uid, now }: UnplacedOrderQuery,
): Promise<UnplacedOrderFacts> {
  const own = [chainId, bytea(sellToken), bytea(buyToken), uid && bytea(uid)]
  const ambient = { now: unixSeconds(now.getTime()), hidesCompetitions: true }
  const [text = '{}'] = await runStatement(db, unplacedOrderStatement, ambient, own, [])
  const json = JSON.parse(text) as ContextJson
  return { ...toRow(aheadFields, json), ...toContext(json) }
}
