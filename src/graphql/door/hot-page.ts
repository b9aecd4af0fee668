import type { SelectionSetNode } from 'graphql'
import type { Address } from '../../domain/address.ts'
import { unixSeconds } from '../../domain/log.ts'
import type { Selected } from '../../storage/hot/noun.ts'
import { type HotRow, hotOrderRead } from '../../storage/hot/read.ts'
import { formatOrderCursor, parseOrderCursor } from '../order-cursor.ts'
import { checkFirst } from '../paging.ts'
import { type HotRoot, hotChainId } from './hot-root.ts'
import { collectSelection, type Fragments } from './hot-selection.ts'

interface Page {
  rows: readonly HotRow[]
  hasNextPage: boolean
}

type Writer = (page: Page) => string

/**
 * Orders of one owner: `orders(owner: …)` without a filter. The nodes are the database's text, the frame
 * around them is written here.
 */
export const hotPage: HotRoot = (sets: readonly SelectionSetNode[], fragments: Fragments) => {
  const selection = collectSelection(sets, fragments)
  const nodes = selection && nodesOf(selection)
  const read = nodes && hotOrderRead(nodes)
  const write = selection && connectionWriter(selection)
  if (!read || !write) return undefined
  return async ({ owner, status, filter, network, first, after }, { db, desks, now }) => {
    const chainId = hotChainId(desks, network)
    if (owner == null || status != null || filter != null || chainId === undefined) return undefined
    const limit = first as number
    checkFirst(limit)
    const position = after == null ? null : parseOrderCursor(String(after))
    const given = {
      owner: owner as Address,
      chainIds: chainId === null ? desks.all.map((desk) => desk.network.chainId) : [chainId],
      after: position,
      limit: limit + 1,
      now: unixSeconds(now()),
    }
    const rows = await read.page(db, given)
    return rows === 'incomplete'
      ? undefined
      : write({ rows: rows.slice(0, limit), hasNextPage: rows.length > limit })
  }
}

/** What is asked of an order: at one place of the connection, or the page is not hot. */
function nodesOf(selection: readonly Selected[]): readonly Selected[] | undefined {
  const places = selection.flatMap(({ field, selection: inner }) =>
    field === 'nodes'
      ? [inner]
      : field === 'edges'
        ? inner.filter((item) => item.field === 'node').map((item) => item.selection)
        : [],
  )
  return places.length === 1 ? places[0] : undefined
}

function connectionWriter(selection: readonly Selected[]): Writer | undefined {
  return objectWriter(selection, ({ field, selection: inner }) => {
    if (field === '__typename') return () => '"OrderConnection"'
    if (field === 'nodes') return ({ rows }) => `[${rows.map(({ json }) => json).join(',')}]`
    if (field === 'edges') return edgesWriter(inner)
    return field === 'pageInfo' ? objectWriter(inner, pageInfoField) : undefined
  })
}

function edgesWriter(selection: readonly Selected[]): Writer {
  const edge = ({ field }: Selected, row: HotRow) =>
    field === 'node' ? row.json : field === 'cursor' ? JSON.stringify(formatOrderCursor(row)) : '"OrderEdge"'
  return ({ rows }) =>
    `[${rows.map((row) => objectText(selection.map((item) => [item.key, edge(item, row)]))).join(',')}]`
}

function pageInfoField({ field }: Selected): Writer | undefined {
  const cursorOf = (row: HotRow | undefined) => (row ? JSON.stringify(formatOrderCursor(row)) : 'null')
  const fields: Record<string, Writer> = {
    __typename: () => '"PageInfo"',
    hasNextPage: ({ hasNextPage }) => String(hasNextPage),
    hasPreviousPage: () => 'false',
    startCursor: ({ rows }) => cursorOf(rows[0]),
    endCursor: ({ rows }) => cursorOf(rows.at(-1)),
  }
  return fields[field]
}

function objectWriter(
  selection: readonly Selected[],
  writerOf: (item: Selected) => Writer | undefined,
): Writer | undefined {
  const members: [string, Writer][] = []
  for (const item of selection) {
    const writer = writerOf(item)
    if (!writer) return undefined
    members.push([item.key, writer])
  }
  return (page) => objectText(members.map(([key, writer]) => [key, writer(page)]))
}

function objectText(members: readonly (readonly [string, string])[]): string {
  return `{${members.map(([key, text]) => `"${key}":${text}`).join(',')}}`
}
