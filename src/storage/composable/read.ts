import { Refusal } from '../../domain/errors/error.ts'
import { toHex } from '../../domain/evm/hex.ts'
import { type TwapSchedule, windowOf } from '../../domain/programmatic/twap.ts'
import { partsOfOrder } from '../chain/programmatic-status.ts'
import { bytea, raw } from '../database/columns.ts'
import { type Db, sql } from '../database/database.ts'
import { Prisma } from '../generated/client.ts'
import type { List, ListField } from './lists.ts'

/** Operators of filters: the suffix after the name of a field; true if it takes a list. */
const anyOperators = { '': false, _not: false, _in: true, _not_in: true } as const
const numberOperators = { _gt: '>', _lt: '<', _gte: '>=', _lte: '<=' } as const
const textOperators = ['_contains', '_starts_with', '_ends_with'] as const

/** The filters of a field: suffixes, and whether they take a list. */
export function operatorsOf({ kind }: ListField): [suffix: string, isList: boolean][] {
  const any = Object.entries(anyOperators)
  if (kind === 'int' || kind === 'bigint')
    return [...any, ...Object.keys(numberOperators).map((suffix): [string, boolean] => [suffix, false])]
  if (kind === 'enum') return any
  return [
    ...any,
    ...textOperators.flatMap((suffix): [string, boolean][] => [
      [suffix, false],
      [`_not${suffix}`, false],
    ]),
  ]
}

/** A filter as a client writes it: members with suffixes, `AND` and `OR`. */
export type Where = Readonly<Record<string, unknown>>

export interface ListQuery {
  where?: Where | undefined
  /** The name of a field; the key by default. */
  orderBy?: string | undefined
  isDescending: boolean
  limit: number
  offset: number
  /** The place of the last row of the page before, or of the first of the page after: see `placeOf`. */
  after?: readonly string[] | undefined
  before?: readonly string[] | undefined
  /** Fields of the rows; those of the order are always there. */
  fields: readonly string[]
  counts: boolean
  /** Orders that are no parts of the arithmetic of these terms. */
  strays?: TwapSchedule | undefined
}

/** Values by the names of fields; `facts` where the list has them. */
export type ListRow = Readonly<Record<string, unknown>>

export interface ListPage {
  rows: ListRow[]
  /** True if rows follow in the direction that was read. */
  hasMore: boolean
  total: number
}

interface Environment {
  chainIds: readonly number[]
  /** Unix seconds. */
  now: number
}

const text = (expression: string) => `(${expression})::text`
const writtenOf = ({ kind, sql: expression }: ListField): string => {
  if (kind === 'hex') return `'0x' || encode(${expression}, 'hex')`
  return kind === 'int' ? `(${expression})::float8` : text(expression)
}
const orderOf = ({ kind, sql: expression }: ListField) =>
  kind === 'hex' || kind === 'int' || kind === 'bigint' ? expression : `(${expression}) COLLATE "C"`

const eventIdPattern = /^([0-9]{10})([0-9]{16})([0-9]{16})[0-9]{16}5([0-9]{16})$/
const maxInt = 2_147_483_647

/**
 * The creations of event ids, which an index finds. The place of the transaction is not compared: it is not
 * stored. What is no event id is that of no creation.
 */
function isOneOfEvents(ids: readonly unknown[]): Prisma.Sql {
  const places = ids.flatMap((id) => {
    const [time, chain = 0, block, log = 0] = eventIdPattern.exec(String(id))?.slice(1).map(Number) ?? []
    return time !== undefined && chain <= maxInt && log <= maxInt && Number.isSafeInteger(block)
      ? [{ time, chain, block: Number(block), log }]
      : []
  })
  return Prisma.sql`(g.chain_id, g.owner, g.hash, c.block_number, c.log_index, extract(epoch FROM c.block_time)::bigint) IN (
    SELECT k.chain_id, k.owner, k.hash, k.block_number, k.log_index, u.time
    FROM unnest(${places.map(({ time }) => time)}::bigint[], ${places.map(({ chain }) => chain)}::int[],
      ${places.map(({ block }) => block)}::bigint[], ${places.map(({ log }) => log)}::int[]) AS u(time, chain, block, log)
    JOIN programmatic_creations k ON k.chain_id = u.chain AND k.block_number = u.block AND k.log_index = u.log)`
}

/** A field has one of these values, none of which is null. */
function isOneOf(field: ListField, values: readonly unknown[], environment: Environment): Prisma.Sql {
  if (field.kind === 'eventId') return isOneOfEvents(values)
  if (field.kind === 'hex' && !field.narrows)
    return Prisma.sql`(${raw(field.sql)}) = ANY(${values.flatMap((value) => {
      const hex = toHex(String(value))
      return hex ? [bytea(hex)] : []
    })}::bytea[])`
  return joined(
    values.map((one) => isEqual(field, one, environment)),
    ' OR ',
    Prisma.sql`false`,
  )
}

function isEqual(field: ListField, value: unknown, { chainIds }: Environment): Prisma.Sql {
  const expression = raw(field.sql)
  if (value === null) return Prisma.sql`(${expression}) IS NULL`
  if (field.kind === 'eventId') return isOneOfEvents([value])
  if (field.kind !== 'hex') {
    const isValue = Prisma.sql`(${expression}) = ${bound(field, value)}`
    return field.mayBe ? Prisma.sql`(${raw(field.mayBe(String(value)))} AND ${isValue})` : isValue
  }
  const hex = toHex(String(value))
  if (!hex) return Prisma.sql`false`
  const equal = Prisma.sql`(${expression}) = ${bytea(hex)}`
  if (field.narrows !== 'resolvedOwner') return equal
  return Prisma.sql`(${equal} AND g.owner = ANY(array_append(ARRAY(SELECT sh.shed FROM sheds sh
    WHERE sh.chain_id = ANY(${[...chainIds]}::int[]) AND sh.account = ${bytea(hex)}), ${bytea(hex)}::bytea)))`
}

function bound({ kind }: ListField, value: unknown): Prisma.Sql {
  return kind === 'int' || kind === 'bigint'
    ? Prisma.sql`${String(value)}::numeric`
    : Prisma.sql`${String(value)}`
}

const joined = (conditions: Prisma.Sql[], how: ' AND ' | ' OR ', none: Prisma.Sql) =>
  conditions.length > 0 ? Prisma.sql`(${Prisma.join(conditions, how)})` : none

/** @throws Refusal InvalidParameter for null where a value must be */
function conditionOf(
  field: ListField,
  name: string,
  suffix: string,
  value: unknown,
  environment: Environment,
) {
  const isNegated = suffix.startsWith('_not')
  const operator = isNegated ? suffix.slice('_not'.length) : suffix
  const sense = (condition: Prisma.Sql) => (isNegated ? Prisma.sql`NOT (${condition})` : condition)
  if (operator === '') return sense(isEqual(field, value, environment))
  if (value === null)
    throw new Refusal('InvalidParameter', `${name}${suffix} must not be null`, { field: `${name}${suffix}` })
  if (operator === '_in') {
    const values = value as unknown[]
    const given = isOneOf(
      field,
      values.filter((one) => one !== null),
      environment,
    )
    return sense(
      values.includes(null) ? Prisma.sql`(${given} OR ${isEqual(field, null, environment)})` : given,
    )
  }
  const comparison = numberOperators[operator as keyof typeof numberOperators]
  if (comparison) return Prisma.sql`(${raw(field.sql)}) ${raw(comparison)} ${bound(field, value)}`
  const found = raw(writtenOf(field))
  const wanted = Prisma.sql`${field.kind === 'hex' ? String(value).toLowerCase() : String(value)}::text`
  if (operator === '_contains') return sense(Prisma.sql`strpos(${found}, ${wanted}) > 0`)
  if (operator === '_starts_with') return sense(Prisma.sql`starts_with(${found}, ${wanted})`)
  return sense(Prisma.sql`right(${found}, length(${wanted})) = ${wanted}`)
}

function filterOf(list: List, where: Where, environment: Environment): Prisma.Sql {
  const conditions = Object.entries(where).flatMap(([member, value]) => {
    if (value === undefined) return []
    if (member === 'AND' || member === 'OR') {
      if (value === null) return []
      const each = (value as Where[]).map((one) => filterOf(list, one, environment))
      return [joined(each, member === 'AND' ? ' AND ' : ' OR ', Prisma.sql`true`)]
    }
    const [name = ''] = /^[A-Za-z]+/.exec(member) ?? []
    const field = list.fields[name]
    return field ? [conditionOf(field, name, member.slice(name.length), value, environment)] : []
  })
  return joined(conditions, ' AND ', Prisma.sql`true`)
}

/** The fields that order a list: ties are broken by the key. @throws Refusal InvalidParameter */
function orderFields(list: List, orderBy: string | undefined): string[] {
  const field = orderBy === undefined ? undefined : list.fields[orderBy]
  if (orderBy !== undefined && (!field || field.isPlain || field.isNullable))
    throw new Refusal('InvalidParameter', 'orderBy is no field by which this list can be ordered', {
      field: 'orderBy',
    })
  return [...new Set([...(orderBy === undefined ? [] : [orderBy]), ...list.key])]
}

/** The place of a row in the order of its list, for `after` and `before`. */
export function placeOf(list: List, orderBy: string | undefined, row: ListRow): string[] {
  return orderFields(list, orderBy).map((name) => String(row[name]))
}

/** @throws Refusal InvalidParameter for a place of another order */
function beyond(
  list: List,
  names: readonly string[],
  place: readonly string[],
  isGreater: boolean,
): Prisma.Sql {
  const fields = names.flatMap((name) => list.fields[name] ?? [])
  const values = fields.map((field, index): Prisma.Sql => {
    const value = place[index] ?? ''
    const isNumber = field.kind === 'int' || field.kind === 'bigint'
    const fits =
      field.kind === 'hex' ? toHex(value) !== undefined : !isNumber || /^-?[0-9]{1,80}$/.test(value)
    if (place.length !== fields.length || !fits)
      throw new Refusal('InvalidParameter', 'the cursor is of another list', { field: 'after' })
    return field.kind === 'hex' ? Prisma.sql`${bytea(value as `0x${string}`)}` : bound(field, value)
  })
  const columns = raw(fields.map(orderOf).join(', '))
  return Prisma.sql`(${columns}) ${raw(isGreater ? '>' : '<')} (${Prisma.join(values)})`
}

/** The terms by which ends of parts are found; of an order without a schedule, there are none. */
const endsOf = (schedule: TwapSchedule | null) => ({
  first: schedule ? Number(windowOf(schedule.input)) + schedule.start : 0,
  t: schedule ? Number(schedule.input.t) : 1,
  count: schedule ? schedule.signableParts : 0,
})

/** Condition: `twapPartByEnd` of the domain has no part for the end of order `o`; a test compares the two. */
const isStray = ({ first, t, count }: Record<keyof ReturnType<typeof endsOf>, number | Prisma.Sql>) =>
  Prisma.sql`NOT ((o.valid_to + 1 - ${first}::bigint) % ${t}::bigint = 0 AND o.valid_to + 1 >= ${first}::bigint
    AND (o.valid_to + 1 - ${first}::bigint) / ${t}::bigint < ${count}::bigint)`

/**
 * Reads a page of a list for each of these programmatic orders, or one of all rows without any, in at most
 * two statements.
 * @throws Refusal InvalidParameter
 */
export async function readPages(
  db: Db,
  list: List,
  query: ListQuery,
  environment: Environment,
  parents?: readonly string[],
): Promise<ListPage[]> {
  const { where = {}, orderBy, limit, offset, after, before, strays } = query
  const names = orderFields(list, orderBy)
  const isDescending = query.isDescending !== Boolean(before)
  const [chainId, ...others] = environment.chainIds
  const scope = joined(
    [
      // Equal to one value, an index by network has the order of its other columns.
      chainId !== undefined && others.length === 0
        ? Prisma.sql`g.chain_id = ${chainId}`
        : Prisma.sql`g.chain_id = ANY(${[...environment.chainIds]}::int[])`,
      ...(parents ? [Prisma.sql`g.id = n.parent`] : []),
      ...(strays ? [isStray(endsOf(strays))] : []),
      filterOf(list, where, environment),
    ],
    ' AND ',
    Prisma.sql`true`,
  )
  const fromClock = (rows: string) =>
    Prisma.sql`FROM (SELECT ${environment.now}::bigint AS now) clock CROSS JOIN ${raw(rows)}`
  const from = fromClock(list.from)
  const parentRows = Prisma.sql`unnest(${parents ? [...parents] : ['0']}::bigint[]) WITH ORDINALITY AS n(parent, place)`
  const fields = [...new Set([...names, ...query.fields])].filter((name) => list.fields[name])
  const columns = fields.map((name) => `${writtenOf(list.fields[name] as ListField)} AS "${name}"`)
  if (list.facts) columns.push(`${list.facts} AS facts`)
  const place = after ?? before
  const page = place ? Prisma.sql`${scope} AND ${beyond(list, names, place, !isDescending)}` : scope
  const order = raw(
    names
      .flatMap((name, index) => {
        const field = list.fields[name] as ListField
        const isOfOneNetwork = others.length === 0 || names.slice(0, index).includes('chainId')
        return isOfOneNetwork && field.order ? field.order : [orderOf(field)]
      })
      .map((expression) => `${expression} ${isDescending ? 'DESC' : 'ASC'}`)
      .join(', '),
  )
  const pages = (parents ?? ['0']).map((): ListPage => ({ rows: [], hasMore: false, total: 0 }))
  const found = await sql(db).$queryRaw<(ListRow & { page_place: bigint })[]>`
    SELECT n.place AS page_place, q.* FROM ${parentRows} CROSS JOIN LATERAL (
      SELECT ${raw(columns.join(', '))}, row_number() OVER (ORDER BY ${order}) AS row_place ${from}
      WHERE ${page} ORDER BY ${order} LIMIT ${limit + 1} OFFSET ${offset}) q ORDER BY n.place, q.row_place`
  for (const { page_place, ...row } of found) pages[Number(page_place) - 1]?.rows.push(row as ListRow)
  for (const each of pages) {
    each.hasMore = each.rows.length > limit
    each.rows = each.rows.slice(0, limit)
    if (before) each.rows.reverse()
  }
  if (query.counts) {
    const joins = scope.strings.some((part) => /\b[cs]\./.test(part))
    const counted = list.rows && !joins ? fromClock(list.rows) : from
    const totals = await sql(db).$queryRaw<{ place: bigint; total: bigint }[]>`
      SELECT n.place, (SELECT count(*) ${counted} WHERE ${scope}) AS total FROM ${parentRows}`
    for (const { place, total } of totals) {
      const page = pages[Number(place) - 1]
      if (page) page.total = Number(total)
    }
  }
  return pages
}

/** A programmatic order by its row, and its terms if its parts are known in advance. */
interface Scheduled {
  id: string
  schedule: TwapSchedule | null
}

/** Counts, for each programmatic order, those of its orders in the book that the arithmetic does not have. */
export async function countStrays(db: Db, orders: readonly Scheduled[]): Promise<number[]> {
  const terms = orders.map(({ schedule }) => endsOf(schedule))
  const ofRow = isStray({ first: raw('n.first'), t: raw('n.t'), count: raw('n.count') })
  const rows = await sql(db).$queryRaw<{ strays: bigint }[]>`
    SELECT (SELECT count(*) FROM programmatic_orders g, ${raw(partsOfOrder)} AND g.id = n.id AND ${ofRow}) AS strays
    FROM unnest(${orders.map(({ id }) => id)}::bigint[], ${terms.map(({ first }) => first)}::bigint[],
      ${terms.map(({ t }) => t)}::bigint[], ${terms.map(({ count }) => count)}::bigint[])
      WITH ORDINALITY AS n(id, first, t, count, place) ORDER BY n.place`
  return rows.map(({ strays }) => Number(strays))
}

/** Reads, for each programmatic order, the ends of its orders in the book that have not passed, in order. */
export async function readPostedEnds(db: Db, ids: readonly string[], now: number): Promise<number[][]> {
  const rows = await sql(db).$queryRaw<{ ends: bigint[] }[]>`
    SELECT ARRAY(SELECT o.valid_to FROM programmatic_orders g, ${raw(partsOfOrder)} AND g.id = n.id AND o.valid_to >= ${now}
      ORDER BY o.valid_to LIMIT 1000) AS ends
    FROM unnest(${[...ids]}::bigint[]) WITH ORDINALITY AS n(id, place) ORDER BY n.place`
  return rows.map(({ ends }) => ends.map(Number))
}

/** The number of rows that a list without a filter by an index reads. */
export async function countRows(db: Db, { table }: List): Promise<number> {
  const [row] = await sql(db).$queryRaw<{ rows: bigint }[]>`SELECT count(*) AS rows FROM ${raw(table)}`
  return Number(row?.rows ?? 0)
}

interface ChainPosition {
  chainId: number
  number: number
  timestamp: number | null
}

/** Reads the newest indexed block of each chain. */
export async function readPositions(db: Db, chainIds: readonly number[]): Promise<ChainPosition[]> {
  const rows = await sql(db).checkpoint.findMany({ where: { chainId: { in: [...chainIds] } } })
  return rows.map(({ chainId, blockNumber, blockTime }) => ({
    chainId,
    number: Number(blockNumber),
    timestamp: blockTime && blockTime.getTime() / 1_000,
  }))
}
