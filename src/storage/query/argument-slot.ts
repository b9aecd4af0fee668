import { Prisma } from '../generated/client.ts'
import type { PageSource, Relation } from './model.ts'
import { type Page, type PageArguments, pageOf } from './page-key.ts'

/** A part of a statement that depends on arguments: its values, and its text. */
export interface ArgumentSlot {
  /** Equal for slots with the same SQL text. */
  shape: string
  /** Parameter values, in the order in which `param` numbers them. */
  values: readonly unknown[]
  rows?: Prisma.Sql
  source?: PageSource
  page?: Page
}

/**
 * The slot of a relation in one request.
 * @param args its arguments, as `rows` takes them, with `PageArguments` for a page
 * @throws Refusal for invalid page arguments
 */
export function argumentSlotOf(relation: Relation, args: unknown): ArgumentSlot {
  if (relation.kind !== 'page') {
    const rows = rowsOf(relation, args)
    return rows ? { shape: rows.strings.join('?'), values: rows.values, rows } : { shape: '', values: [] }
  }
  const source = sourceOf(relation, args)
  const { ranges, scan, subject, isComplete, ordered } = source
  const page = pageOf(ordered?.key ?? relation.key, args as PageArguments)
  const parts = [...ranges, ...[scan?.condition, subject, isComplete].filter((part) => part !== undefined)]
  const bounds = `${page.backwards} ${page.after !== null} ${page.before !== null}`
  return {
    shape: [bounds, ...parts.map(({ strings }) => strings.join('?'))].join('|'),
    values: [
      page.limit,
      ...(page.after ?? []),
      ...(page.before ?? []),
      ...parts.flatMap(({ values }) => values),
    ],
    source,
    page,
  }
}

function rowsOf(relation: Relation, args: unknown): Prisma.Sql | undefined {
  if (relation.kind === 'same' || typeof relation.rows === 'string') return undefined
  return relation.rows(args) as Prisma.Sql
}

function sourceOf(relation: Relation & { kind: 'page' }, args: unknown): PageSource {
  const { rows, isComplete, mayBeEmpty = false } = relation
  if (typeof rows !== 'string') return rows(args)
  return { ranges: [Prisma.raw(rows)], ...(isComplete && { isComplete: Prisma.raw(isComplete), mayBeEmpty }) }
}
