import { getJson, nextOf, postGraphql } from './first-page.ts'
import type { Expected, Page } from './walk.ts'

/** A list of auctions in GraphQL's pages. */
export interface List {
  what: string
  /** The fields from an order to the list. */
  path: readonly string[]
  direction: Expected['direction']
}

export const lists: readonly List[] = [
  { what: 'order.auctions, first/after', path: ['auctions'], direction: 'up' },
  { what: 'order.auctions, last/before', path: ['auctions'], direction: 'down' },
  { what: 'debugReport.auctions, first/after', path: ['debugReport', 'auctions'], direction: 'up' },
  { what: 'debugReport.auctions, last/before', path: ['debugReport', 'auctions'], direction: 'down' },
]

interface Connection {
  nodes: { auctionId: number; block: number }[]
  pageInfo: Record<string, unknown>
}

/** Reads a page of a list. @throws with the server's error */
export async function askList(
  port: number,
  { path, direction }: List,
  { uid, size, cursor }: { uid: string; size: number; cursor: string | undefined },
): Promise<Page> {
  const [number, place, more, end] =
    direction === 'up'
      ? ['first', 'after', 'hasNextPage', 'endCursor']
      : ['last', 'before', 'hasPreviousPage', 'startCursor']
  const page = `(${number}: $size, ${place}: $cursor) { nodes { auctionId block } pageInfo { ${more} ${end} } }`
  const query = `query($uid: OrderUid!, $size: Int!, $cursor: String) {
    order(uid: $uid) { ${path.join(' { ')}${page}${' }'.repeat(path.length)} }`
  const body = await (await postGraphql(port, query, { uid, size, cursor })).text()
  const answer = JSON.parse(body) as { data?: { order: unknown }; errors?: { message: string }[] }
  if (!answer.data || answer.errors) throw new Error(answer.errors?.[0]?.message ?? body.slice(0, 300))
  const found = path.reduce((value, name) => (value as Record<string, unknown>)[name], answer.data.order)
  const { nodes, pageInfo } = found as Connection
  const next = pageInfo[more ?? ''] ? String(pageInfo[end ?? '']) : undefined
  return { ids: nodes.map(({ auctionId }) => auctionId), next, bytes: body.length }
}

/** Reads a part of the report over REST, and the link to the next. @throws with the server's error */
export async function askReport(url: string): Promise<Page> {
  const response = await getJson(url)
  const body = await response.text()
  if (response.status !== 200) throw new Error(`${response.status}: ${body.slice(0, 300)}`)
  const { auctions } = JSON.parse(body) as { auctions: { id: number }[] }
  return { ids: auctions.map(({ id }) => id), next: nextOf(response), bytes: body.length }
}
