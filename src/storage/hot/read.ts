import type { Address } from '../../domain/address.ts'
import type { OrderUid } from '../../domain/order-uid.ts'
import { bytea } from '../columns.ts'
import { type Db, readPrepared } from '../database.ts'
import type { OrderPosition } from '../orders.ts'
import { type Selected, type SelectionSql, selectionSql } from './noun.ts'
import { order } from './order-nouns.ts'
import { toSql } from './text.ts'

/** A read whose answer the database writes as JSON text, in the shape of one selection. */
export interface HotOrderRead {
  /** undefined: no such order. `incomplete`: a token is not stored, so that others have to answer. */
  one(
    db: Db,
    given: { uid: OrderUid; chainId: number | null; now: number },
  ): Promise<string | undefined | 'incomplete'>
  /** Newest first. */
  page(db: Db, given: PageGiven): Promise<HotRow[] | 'incomplete'>
}

export interface PageGiven {
  owner: Address
  chainId: number | null
  after: OrderPosition | null
  limit: number
  /** Unix seconds. */
  now: number
}

export interface HotRow extends OrderPosition {
  json: string
}

/** Rows of the tokens of order `o`, where a selection needs them: for a page all are read once. */
const joinTokens = `LEFT JOIN tokens ts ON ts.chain_id = o.chain_id AND ts.address = o.sell_token
  LEFT JOIN tokens tb ON tb.chain_id = o.chain_id AND tb.address = o.buy_token`
/** For one order two are looked up. A join would read and hash all of a small table. */
const lookUpTokens = `${lookUpToken('ts', 'o.sell_token')} ${lookUpToken('tb', 'o.buy_token')}`

function lookUpToken(alias: string, column: string): string {
  return `LEFT JOIN LATERAL (
    SELECT * FROM tokens t WHERE t.chain_id = o.chain_id AND t.address = ${column} LIMIT 1) ${alias} ON true`
}

const complete = 'ts.address IS NOT NULL AND tb.address IS NOT NULL'

/** `undefined` when the selection asks for something that is not hot. */
export function hotOrderRead(selection: readonly Selected[]): HotOrderRead | undefined {
  const compiled = selectionSql(order, selection)
  if (!compiled) return undefined
  const one = oneSql(compiled)
  const page = pageSql(compiled)
  return {
    async one(db, { uid, chainId, now }) {
      const [row] = await readPrepared<[string, boolean]>(db, one, [now, bytea(uid), chainId])
      if (!row) return undefined
      return row[1] ? row[0] : 'incomplete'
    },
    async page(db, { owner, chainId, after, limit, now }) {
      const given = [now, bytea(owner), chainId, after?.createdAt ?? null, after?.id ?? null, limit]
      const rows = await readPrepared<[string, boolean, Date, string]>(db, page, given)
      if (!rows.every(([, isComplete]) => isComplete)) return 'incomplete'
      return rows.map(([json, , createdAt, id]) => ({ json, createdAt, id: BigInt(id) }))
    },
  }
}

/** `$1` is the time for the status; it is named also where no status is asked for, so that the parameters stay in place. */
function oneSql(compiled: SelectionSql): string {
  return `SELECT ${columnsOf(compiled)} FROM orders o ${compiled.needsTokens ? lookUpTokens : ''}
    WHERE o.uid = $2 AND ($3::int IS NULL OR o.chain_id = $3) AND $1::bigint IS NOT NULL`
}

function pageSql(compiled: SelectionSql): string {
  return `SELECT ${columnsOf(compiled)}, o.created_at, o.id FROM orders o ${compiled.needsTokens ? joinTokens : ''}
    WHERE o.owner = $2 AND ($3::int IS NULL OR o.chain_id = $3) AND $1::bigint IS NOT NULL
      AND ($4::timestamptz IS NULL OR (o.created_at, o.id) < ($4, $5::bigint))
    ORDER BY o.created_at DESC, o.id DESC LIMIT $6`
}

function columnsOf({ text, needsTokens }: SelectionSql): string {
  return `${toSql(text)}, ${needsTokens ? complete : 'true'}`
}
