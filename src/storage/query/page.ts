import type { ArgumentSlot } from './argument-slot.ts'
import { membersText, textOrNull } from './json.ts'
import type { PageField, PageRows, PageSource } from './model.ts'
import { cursorSql, type Page, type PageKey } from './page-key.ts'
import { param, type Selected, type Selection, type StatementContext, withParameters } from './selection.ts'
import { literal, sqlExpression, type Text, toSql } from './sql-text.ts'
import { refusalMark } from './stored-refusals.ts'

/** Limit of `totalCount`. */
export const countLimit = 10_000

/** SQL parameters of a page, in the order of the slot's values: see `slotOf`. */
interface PageParameters {
  limit: string
  after: string[]
  before: string[]
  ranges: string[]
  condition: string | undefined
  subject: string
  /** Undefined for a list that is always complete. */
  isComplete: string | undefined
}

/** The member of a page that reports whether its list is complete. */
const completeness = 'isComplete'

/**
 * JSON text of a connection. One subquery reads the page's rows; the parts of the connection aggregate its
 * columns.
 */
export function pageText(list: PageRows, item: Selected, context: StatementContext): Text {
  const slot = item.slot === undefined ? undefined : context.slots[item.slot]
  if (item.slot === undefined || !slot?.page || !slot.source)
    throw new TypeError('a page needs its arguments')
  const relation = slot.source.ordered ? { ...list, ...slot.source.ordered } : list
  const parameters = parametersOf(relation.key, slot, context.offsets[item.slot] ?? 0)
  const { fields = {} } = relation
  const readsOneMore = item.selection.some(({ field }) => field === 'pageInfo' || field in fields)
  const query = new PageQuery(relation, slot.page, slot.source, parameters, context, readsOneMore)
  const members = item.selection.map((part): [string, Text] => [part.key, query.partText(part)])
  const saysSo = item.selection.some(({ field }) => field === completeness)
  const shown = toSql(membersText(members))
  const isRefused = saysSo || slot.source.mayBeEmpty ? undefined : query.isEmptyByMistake()
  const answer = isRefused ? `CASE WHEN ${isRefused} THEN '${refusalMark('l')}' ELSE ${shown} END` : shown
  // HAVING makes it one row, also if no part of the selection aggregates.
  const text = `(SELECT ${answer} FROM (${query.rows()}) p HAVING true)`
  if (!relation.faults || parameters.after.length === 0) return sqlExpression(text)
  const cases = relation
    .faults(parameters.after, parameters.subject)
    .map(([condition, fault, cursor = `''`]) => `WHEN ${condition} THEN '${refusalMark(fault)}' || ${cursor}`)
  return sqlExpression(`CASE ${cases.join(' ')} ELSE ${text} END`)
}

const boolText = (condition: string) => sqlExpression(`CASE WHEN ${condition} THEN 'true' ELSE 'false' END`)

const casts = { time: '::timestamptz', number: '::bigint', bytes: '::bytea' }

function parametersOf(
  { parts }: PageKey,
  { page, source, values }: ArgumentSlot,
  from: number,
): PageParameters {
  let next = from
  const take = (strings: readonly string[]) => {
    const text = withParameters(strings, next)
    next += strings.length - 1
    return text
  }
  const cast = (index: number) => casts[parts[index]?.type ?? 'number']
  const boundOf = (key: unknown[] | null | undefined) =>
    (key ?? []).map((_, index) => `${param(next++)}${cast(index)}`)
  const limit = `${param(next++)}::int`
  const after = boundOf(page?.after)
  const before = boundOf(page?.before)
  const ranges = (source?.ranges ?? []).map(({ strings }) => take(strings))
  const condition = source?.scan && take(source.scan.condition.strings)
  const subject = source?.subject ? take(source.subject.strings) : ''
  const isComplete = source?.isComplete && take(source.isComplete.strings)
  if (next - from !== values.length) throw new TypeError('a page needs one value for each parameter')
  return { limit, after, before, ranges, condition, subject, isComplete }
}

/** Builds the SQL of one page. Parts of the connection add the columns that they need. */
class PageQuery {
  private readonly columns: string[] = []
  private readonly cursor: string

  constructor(
    private readonly relation: PageRows,
    private readonly page: Page,
    private readonly source: PageSource,
    private readonly parameters: PageParameters,
    private readonly context: StatementContext,
    /** Reads one row beyond the limit, which decides whether there is another page. */
    private readonly readsOneMore: boolean,
  ) {
    this.cursor = cursorSql(relation.key)
  }

  partText(item: Selected): Text {
    const { field, selection } = item
    const { fields = {} } = this.relation
    if (field === '__typename') return literal(`"${this.connectionName}"`)
    if (field === 'nodes') return this.list(this.itemText(item))
    if (field === 'edges') return this.list(this.edgeText(selection))
    if (field === 'pageInfo') {
      return membersText(selection.map((part): [string, Text] => [part.key, this.infoText(part.field)]))
    }
    if (field === 'totalCount') return sqlExpression(this.count())
    if (field === completeness) return boolText(this.parameters.isComplete ?? 'true')
    const connectionField = fields[field]
    if (!connectionField) throw new TypeError(`${this.connectionName} has no stored field ${field}`)
    return this.connectionFieldText(connectionField)
  }

  /** SQL condition: the page has no item, and its list may lack some. Undefined for a complete list. */
  isEmptyByMistake(): string | undefined {
    const { isComplete } = this.parameters
    if (isComplete === undefined) return undefined
    const isScanned = this.source.scan ? ` AND ${this.scanEnd()} IS NULL` : ''
    return `count(*) = 0${isScanned} AND NOT (${isComplete})`
  }

  /** The subquery of the page's rows. Call it after all parts have added their columns. */
  rows(): string {
    const { key } = this.relation
    const { limit } = this.parameters
    const size = this.readsOneMore ? `${limit} + 1` : limit
    const order = this.orderBy(this.page.backwards)
    const columns = this.columns.length > 0 ? this.columns : ['1 AS c0']
    if (!this.page.backwards)
      return `SELECT ${columns.join(', ')} FROM ${this.from(size)} ORDER BY ${order} LIMIT ${size}`
    const sorted = key.parts.map(({ sql }, index) => `${sql} AS k${index}`)
    const listOrder = key.parts.map((_, index) => `k${index} ${key.order}`).join(', ')
    return `SELECT * FROM (SELECT ${[...columns, ...sorted].join(', ')} FROM ${this.from(size)} ORDER BY ${order} LIMIT ${size}) q
      ORDER BY ${listOrder}`
  }

  private get connectionName(): string {
    return this.relation.connection ?? `${this.relation.model().name}Connection`
  }

  private itemText(item: Selection): Text {
    return this.context.objectText(this.relation.model(), item, this.context)
  }

  private edgeText(selection: readonly Selected[]): Text {
    const edge = this.connectionName.replace(/Connection$/, 'Edge')
    const member = ({ field, selection: inner, variants }: Selected): Text => {
      if (field === '__typename') return literal(`"${edge}"`)
      return field === 'cursor'
        ? textOrNull(this.cursor)
        : this.itemText({ selection: inner, ...(variants && { variants }) })
    }
    return membersText(selection.map((item): [string, Text] => [item.key, member(item)]))
  }

  private infoText(field: string): Text {
    const { backwards, after, before } = this.page
    if (field === '__typename') return literal('"PageInfo"')
    if (field === 'startCursor') return textOrNull(this.startCursor())
    if (field === 'endCursor') return textOrNull(this.endCursor())
    if (field === 'hasNextPage')
      return backwards ? literal(String(before !== null)) : boolText(this.hasMore())
    return backwards ? boolText(this.hasMore()) : literal(String(after !== null))
  }

  private connectionFieldText(field: PageField): Text {
    const { backwards, before } = this.page
    const expression = field.sql({
      end: this.endCursor(),
      hasNext: backwards ? String(before !== null) : this.hasMore(),
      after: this.parameters.after,
      isLast: backwards && before === null,
      isOpen: before === null,
    })
    return field.codec.text(expression, this.context.spelling)
  }

  private column(expression: string): string {
    const at = this.columns.findIndex((column) => column.startsWith(`${expression} AS c`))
    const index = at < 0 ? this.columns.push(`${expression} AS c${this.columns.length}`) - 1 : at
    return `p.c${index}`
  }

  /** A JSON list of the page's items, in the order of the list. */
  private list(item: Text): Text {
    const column = this.column(toSql(item))
    const items = this.readsOneMore
      ? `array_to_string((array_agg(${column}))[${this.shownRange()}], ',')`
      : `string_agg(${column}, ',')`
    return [...literal('['), ...sqlExpression(`coalesce(${items}, '')`), ...literal(']')]
  }

  private shownRange(): string {
    const { limit } = this.parameters
    return this.page.backwards ? `greatest(count(*) - ${limit}, 0)::int + 1:` : `:${limit}`
  }

  private hasMore(): string {
    const more = `count(*) > ${this.parameters.limit}`
    return this.source.scan ? `(${more} OR ${this.scanEnd()} IS NOT NULL)` : more
  }

  private startCursor(): string {
    const { limit } = this.parameters
    const cursors = `array_agg(${this.column(this.cursor)})`
    if (!this.page.backwards) return `(${cursors})[1]`
    const first = `(${cursors})[greatest(count(*) - ${limit}, 0)::int + 1]`
    return this.source.scan ? this.orScanEnd(first) : first
  }

  private endCursor(): string {
    const { limit } = this.parameters
    const cursors = `array_agg(${this.column(this.cursor)})`
    if (this.page.backwards) return `(${cursors})[count(*)::int]`
    const last = `(${cursors})[least(count(*), ${limit})::int]`
    return this.source.scan ? this.orScanEnd(last) : last
  }

  /** A page that is not full ends at the end of the scan. */
  private orScanEnd(cursor: string): string {
    return `CASE WHEN count(*) > ${this.parameters.limit} THEN ${cursor} ELSE coalesce(${this.scanEnd()}, ${cursor}) END`
  }

  /** The cursor of the last scanned row; null if the scan did not reach its limit. */
  private scanEnd(): string {
    const { scan } = this.source
    const { alias } = this
    return `(SELECT ${this.cursor} FROM (${this.scannedRows(String(scan?.limit))}) ${alias}
      ORDER BY ${this.orderBy(this.page.backwards)} LIMIT 1 OFFSET ${(scan?.limit ?? 1) - 1})`
  }

  private get alias(): string {
    return this.relation.key.parts[0]?.sql.split('.')[0] ?? ''
  }

  private from(size: string): string {
    const { scan } = this.source
    const [only, second] = this.parameters.ranges
    if (only !== undefined && second === undefined && !scan) return `${only}${this.bounds()}`
    const where = scan ? ` WHERE ${this.parameters.condition}` : ''
    return `(${this.scannedRows(scan ? String(scan.limit) : size)}) ${this.alias}${where}`
  }

  /** The first `size` rows of the page. */
  private scannedRows(size: string): string {
    return this.rowsOf(size, this.bounds(), this.orderBy(this.page.backwards))
  }

  /** The first `size` rows of all ranges merged; each range contributes up to `size`. */
  private rowsOf(size: string, bounds: string, order: string): string {
    const { alias } = this
    const ranges = this.parameters.ranges.map(
      (range) => `(SELECT ${alias}.* FROM ${range}${bounds} ORDER BY ${order} LIMIT ${size})`,
    )
    const [only, second] = ranges
    if (only !== undefined && second === undefined) return only
    return `SELECT ${alias}.* FROM (${ranges.join(' UNION ALL ')}) ${alias} ORDER BY ${order} LIMIT ${size}`
  }

  private bounds(): string {
    const { parts, order } = this.relation.key
    const columns = `(${parts.map(({ sql }) => sql).join(', ')})`
    const bound = (sign: string, key: readonly string[]) =>
      key.length > 0 ? ` AND ${columns} ${sign} (${key.join(', ')})` : ''
    const [afterSign, beforeSign] = order === 'ASC' ? ['>', '<'] : ['<', '>']
    return `${bound(afterSign, this.parameters.after)}${bound(beforeSign, this.parameters.before)}`
  }

  private orderBy(backwards: boolean): string {
    const { parts, order } = this.relation.key
    const direction = (order === 'ASC') === backwards ? 'DESC' : 'ASC'
    return parts.map(({ sql }) => `${sql} ${direction}`).join(', ')
  }

  private count(): string {
    const { scan } = this.source
    if (scan) {
      const bounds = this.source.ordered ? this.bounds() : ''
      const scanned = this.rowsOf(String(scan.limit), bounds, this.orderBy(false))
      return `(SELECT count(*)::text FROM (${scanned}) ${this.alias} WHERE ${this.parameters.condition})`
    }
    const ranges = this.parameters.ranges.map((range) => `SELECT 1 FROM ${range}`)
    return `(SELECT count(*)::text FROM (${ranges.join(' UNION ALL ')} LIMIT ${countLimit}) t)`
  }
}
