import type { Address } from '../../domain/address.ts'
import type { OrderUid } from '../../domain/order-uid.ts'
import { bytea } from '../columns.ts'
import { type Db, readPrepared } from '../database.ts'
import type { OrderPosition } from '../order-ranges.ts'
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
  /** The networks to look on. */
  chainIds: readonly number[]
  after: OrderPosition | null
  limit: number
  /** Unix seconds. */
  now: number
}

export interface HotRow extends OrderPosition {
  json: string
}

/** Rows of the tokens of order `o`, where a selection needs them. A plain join would read and hash all of a small table for one order. */
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
  const pages = new Map<string, string>()
  const pageOn = (networks: number, goesOn: boolean): string => {
    const key = `${networks} ${goesOn}`
    const page = pages.get(key) ?? pageSql(compiled, networks, goesOn)
    pages.set(key, page)
    return page
  }
  return {
    async one(db, { uid, chainId, now }) {
      const [row] = await readPrepared<[string, boolean]>(db, one, [now, bytea(uid), chainId])
      if (!row) return undefined
      return row[1] ? row[0] : 'incomplete'
    },
    async page(db, { owner, chainIds, after, limit, now }) {
      const place = after ? [after.createdAt, after.id] : []
      const given = [now, bytea(owner), limit, ...chainIds, ...place]
      const page = pageOn(chainIds.length, after !== null)
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

/** The first page and the others are two statements: a condition that may be left out is none that a kept plan has in its index. */
function pageSql(compiled: SelectionSql, networks: number, goesOn: boolean): string {
  const place = 4 + networks
  const behind = goesOn ? `AND (o.created_at, o.id) < ($${place}::timestamptz, $${place + 1}::bigint)` : ''
  const onNetwork = (index: number) =>
    `WHERE o.owner = $2 AND o.chain_id = $${4 + index}::int AND $1::bigint IS NOT NULL ${behind}`
  const newest = 'ORDER BY o.created_at DESC, o.id DESC LIMIT $3'
  const tokens = compiled.needsTokens ? lookUpTokens : ''
  const select = `SELECT ${columnsOf(compiled)}, o.created_at, o.id FROM`
  if (networks === 1) return `${select} orders o ${tokens} ${onNetwork(0)} ${newest}`
  const parts = Array.from(
    { length: networks },
    (_, index) => `(SELECT o.* FROM orders o ${onNetwork(index)} ${newest})`,
  )
  return `${select} (${parts.join(' UNION ALL ')}) o ${tokens} ${newest}`
}

function columnsOf({ text, needsTokens }: SelectionSql): string {
  return `${toSql(text)}, ${needsTokens ? complete : 'true'}`
}
