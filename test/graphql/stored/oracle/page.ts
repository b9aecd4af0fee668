import { type Arguments, compareKeys, type Fields } from './fields.ts'

/** A list that is answered in pages. */
export interface List<Item> {
  /** In the list's order. */
  items: readonly Item[]
  keyOf: (item: Item) => readonly number[]
  /** The letter of its cursors; none for a feed, since clients read its cursors. */
  letter: string
  descends?: boolean
  /** Without a cursor its page is the last one. */
  startsAtEnd?: boolean
  /** Its items may still be read from an order book. */
  isPartial?: boolean
}

/** An empty page of a list that may lack items. */
export class StillRead extends Error {}

interface Edge {
  node: unknown
  cursor: string
}

export interface Connection {
  edges: readonly Edge[]
  total: number
  hasNext: boolean
  hasPrevious: boolean
  after: string | null
  /** Whether cursor is the head of the feed: of a page from its end, and of an empty one from its start. */
  endsAtHead: boolean
}

export const cursorOf = (letter: string, key: readonly number[]) =>
  letter === '' ? key.join('.') : Buffer.from(`${letter}${key.join('.')}`).toString('base64url')

function placeOf(letter: string, cursor: string): number[] {
  if (letter === '') return cursor === 'earliest' ? [0] : [Number(cursor)]
  return Buffer.from(cursor, 'base64url').toString().slice(1).split('.').map(Number)
}

export function pageOf<Item>(list: List<Item>, { first, last, after, before }: Arguments): Connection {
  const { keyOf, letter, descends = false } = list
  const isBehind = (item: Item, cursor: string) =>
    compareKeys(keyOf(item), placeOf(letter, cursor)) * (descends ? -1 : 1) > 0
  const isAhead = (item: Item, cursor: string) =>
    compareKeys(keyOf(item), placeOf(letter, cursor)) * (descends ? -1 : 1) < 0
  const within = list.items.filter(
    (item) => (after == null || isBehind(item, after)) && (before == null || isAhead(item, before)),
  )
  const backwards = last != null || (list.startsAtEnd === true && after == null && before == null)
  const size = last ?? first ?? 10
  const shown = backwards ? within.slice(-size) : within.slice(0, size)
  if (list.isPartial && shown.length === 0) throw new StillRead()
  const isMore = within.length > size
  const isEmptyFromStart =
    shown.length === 0 && before == null && Number(after === 'earliest' ? 0 : after) === 0
  return {
    edges: shown.map((node) => ({ node, cursor: cursorOf(letter, keyOf(node)) })),
    total: Math.min(list.items.length, 10_000),
    hasNext: backwards ? before != null : isMore,
    hasPrevious: backwards ? isMore : after != null,
    after: after === 'earliest' ? '0' : (after ?? null),
    endsAtHead: (backwards && before == null) || isEmptyFromStart,
  }
}

/** Stands for the head of a feed, which only the database knows. */
export const theHead = 'the head of the feed'

export const connectionFields: Fields<Connection> = {
  nodes: ({ edges }) => edges.map(({ node }) => node),
  edges: ({ edges }) => edges,
  pageInfo: (connection) => connection,
  totalCount: ({ total }) => total,
  cursor: ({ edges, after, endsAtHead }) => (endsAtHead ? theHead : (edges.at(-1)?.cursor ?? after ?? '0')),
  hasMore: ({ hasNext }) => hasNext,
}

export const edgeFields: Fields<Edge> = {
  cursor: ({ cursor }) => cursor,
  node: ({ node }) => node,
  notification: ({ node }) => node,
}

export const pageInfoFields: Fields<Connection> = {
  hasNextPage: ({ hasNext }) => hasNext,
  hasPreviousPage: ({ hasPrevious }) => hasPrevious,
  startCursor: ({ edges }) => edges[0]?.cursor ?? null,
  endCursor: ({ edges }) => edges.at(-1)?.cursor ?? null,
}
