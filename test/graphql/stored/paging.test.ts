import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../../src/storage/database/database.ts'
import { eventually } from '../../setup/eventually.ts'
import { openTestServer, type TestServer } from '../../setup/server.ts'
import { request } from '../../setup/trader.ts'
import { lists, type Walked } from './growing-lists.ts'
import { beyondLook, type LongLists, long, storeLongLists } from './long-lists.ts'

/** Pages through every growing list from both ends. */

interface Page {
  edges: { cursor: string; node: Record<string, unknown> }[]
  nodes: Record<string, unknown>[]
  pageInfo: {
    hasNextPage: boolean
    hasPreviousPage: boolean
    startCursor: string | null
    endCursor: string | null
  }
  totalCount: number
}

let server: TestServer
let stored: LongLists

beforeAll(async () => {
  server = await openTestServer()
  stored = await storeLongLists(server.database.db)
  await eventually(
    'the feed is settled',
    async () => (await pageOf(feedList, 'after: "earliest", first: 1000')).nodes.length === long,
  )
})
afterAll(() => server?.[Symbol.asyncDispose]())

const feedList = lists.find(({ name }) => name === 'Query.notifications') as Walked

async function post({ query, key }: Walked, args: string) {
  const { order, owner, many } = stored
  const path = query
    .replace('<uid>', `"${order.uid}"`)
    .replace('<owner>', `"${owner}"`)
    .replace('<many>', `"${many}"`)
  const page = `{ edges { cursor node { ${key} } } nodes { ${key} } totalCount pageInfo { hasNextPage hasPreviousPage startCursor endCursor } }`
  const closing = '}'.repeat(path.split('{').length - path.split('}').length)
  const text = `{ ${path.replace('<page>', args)} ${page} ${closing} }`
  return (await request(`${server.url}/graphql`, 'POST', { query: text })).body
}

async function pageOf(list: Walked, args: string): Promise<Page> {
  const { data, errors } = await post(list, args)
  expect(errors).toBeUndefined()
  let value = data
  while (!value.edges) value = Object.values(value)[0]
  return value
}

async function itemsOf({ items }: Walked): Promise<string[]> {
  const { order, owner, many } = stored
  const text = items
    .replace('$id', String(order.id))
    .replace('$owner', `decode('${owner.slice(2)}', 'hex')`)
    .replace('$many', `decode('${many.slice(2)}', 'hex')`)
  const rows = await sql(server.database.db).$queryRawUnsafe<Record<string, string>[]>(text)
  return rows.map((row) => String(Object.values(row)[0]))
}

/** The decoded parts of an opaque id, to compare with SQL. */
const partsOf = (id: string) => Buffer.from(id, 'base64url').toString()

/** Checks a page against its own edges and cursors. @returns its items */
function checked({ key, looks }: Walked, { edges, nodes, pageInfo }: Page): string[] {
  expect(edges.map(({ node }) => node)).toEqual(nodes)
  const { startCursor, endCursor } = pageInfo
  if (!looks) {
    expect([startCursor, endCursor]).toEqual([edges[0]?.cursor ?? null, edges.at(-1)?.cursor ?? null])
  }
  return nodes.map((node) => (key === 'id' ? partsOf(String(node.id)) : String(node[key])))
}

describe.each(lists)('$name', (list) => {
  const { start, looks } = list

  test('paged forwards gives each item once and in order', async () => {
    const wanted = await itemsOf(list)
    const seen: string[] = []
    let after = start
    for (let pages = 0; ; pages++) {
      expect(pages).toBeLessThan(40)
      const page = await pageOf(list, after === undefined ? 'first: 4' : `first: 4, after: "${after}"`)
      seen.push(...checked(list, page))
      const { hasNextPage, hasPreviousPage, endCursor } = page.pageInfo
      if (!looks) expect(hasNextPage).toBe(seen.length < wanted.length)
      expect(hasPreviousPage).toBe(after !== undefined)
      expect(page.totalCount).toBe(looks?.total ?? wanted.length)
      if (!hasNextPage) break
      after = endCursor ?? ''
    }
    expect(seen).toEqual(wanted)
    expect(wanted.length).toBeGreaterThan(10)
  })

  test('paged backwards gives each item once, with each page in the order of the list', async () => {
    const wanted = await itemsOf(list)
    const seen: string[] = []
    let before: string | undefined
    for (let pages = 0; ; pages++) {
      expect(pages).toBeLessThan(40)
      const page = await pageOf(list, before === undefined ? 'last: 4' : `last: 4, before: "${before}"`)
      seen.unshift(...checked(list, page))
      const { hasNextPage, hasPreviousPage, startCursor } = page.pageInfo
      if (!looks) expect(hasPreviousPage).toBe(seen.length < wanted.length)
      expect(hasNextPage).toBe(before !== undefined)
      if (!hasPreviousPage) break
      before = startCursor ?? ''
    }
    expect(seen).toEqual(wanted)
  })

  test('refuses invalid page sizes and cursors of other lists', async () => {
    const other = list === feedList || list.start ? Buffer.from('o1.1').toString('base64url') : '7.7'
    const letter = Buffer.from('z1.1.1').toString('base64url')
    const faults: [string, string][] = [
      ['first: 0', 'first'],
      ['first: 1001', 'first'],
      ['last: 0', 'last'],
      ['last: 1001', 'last'],
      ['first: 1, last: 1', 'last'],
      [`first: 1, after: "${other}"`, 'after'],
      [`last: 1, before: "${letter}"`, 'before'],
      ['first: 1, after: ""', 'after'],
    ]
    for (const [args, field] of faults) {
      const { errors } = await post(list, args)
      expect([args, errors?.[0]?.extensions]).toMatchObject([args, { code: 'InvalidParameter', field }])
    }
  })
})

test('a cursor of one list is refused by lists of other kinds', async () => {
  const kinds = lists.slice(0, 3).concat(lists.slice(8, 9), lists.slice(10, 14))
  for (const from of kinds) {
    const { pageInfo } = await pageOf(from, from.start ? `first: 1, after: "${from.start}"` : 'first: 1')
    for (const to of kinds.filter(({ items }) => items !== from.items || from.name === 'Order.trades')) {
      const isSame = to === from || [to.name, from.name].every((name) => name.startsWith('Query.trades'))
      if (isSame) continue
      const { errors } = await post(to, `first: 1, after: "${pageInfo.endCursor}"`)
      expect([from.name, to.name, errors?.[0]?.extensions?.code]).toEqual([
        from.name,
        to.name,
        'InvalidParameter',
      ])
    }
  }
})

test('totalCount stops at a cap', async () => {
  const many: Walked = { name: 'many', query: 'orders(owner: <many>, <page>)', key: 'id', items: '' }
  expect(beyondLook).toBeGreaterThan(10_000)
  expect((await pageOf(many, 'first: 1')).totalCount).toBe(10_000)
})
