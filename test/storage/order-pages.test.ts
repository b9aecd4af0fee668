import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { orderStatus } from '../../src/domain/order-status.ts'
import { sql } from '../../src/storage/database.ts'
import { Prisma } from '../../src/storage/generated/client.ts'
import { hotOrderRead } from '../../src/storage/hot/read.ts'
import { pageOrders, pageSql } from '../../src/storage/order-pages.ts'
import type { OrderFilter, OrderPosition } from '../../src/storage/order-ranges.ts'
import { connectDirectly } from '../fakes/direct-client.ts'
import { fillLargeAccounts, large } from '../fakes/large-accounts.ts'
import { numbered } from '../fakes/order.ts'
import { createTestDatabase, type TestDatabase } from '../world.ts'

const { busy, patient, now, rarePair } = large
const chainIds = [large.chainId]
const start = now - 1_000_000
/** The place of the order number `n` of an account. */
const created = (n: number) => new Date((start + n * 10) * 1_000)
const behind = (n: number): OrderPosition => ({ createdAt: created(n), id: 10n ** 17n })

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
  await using client = await connectDirectly(database.url)
  await fillLargeAccounts(client)
})
afterAll(() => database[Symbol.asyncDispose]())

async function read(filter: Partial<OrderFilter>, first = 20, after: OrderPosition | null = null) {
  const before = database.statements.length
  const page = await pageOrders(database.db, { chainIds, ...filter }, { first, after, now })
  return { ...page, statements: database.statements.length - before }
}

interface PlanNode {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Shared Hit Blocks': number
  'Shared Read Blocks': number
  Plans?: PlanNode[]
}

interface Plan {
  buffers: number
  scans: Set<string>
  /** Orders that were read and not shown. */
  inVain: number
  mostSorted: number
}

function planOf(root: PlanNode): Plan {
  const nodes = [root]
  for (const node of nodes) nodes.push(...(node.Plans ?? []))
  const onOrders = nodes.filter((node) => node['Relation Name'] === 'orders')
  return {
    buffers: root['Shared Hit Blocks'] + root['Shared Read Blocks'],
    scans: new Set(onOrders.map(scanOf)),
    inVain: onOrders.reduce((sum, node) => sum + (node['Rows Removed by Filter'] ?? 0), 0),
    mostSorted: Math.max(
      0,
      ...nodes.filter((node) => node['Node Type'].includes('Sort')).map((node) => node['Actual Rows']),
    ),
  }
}

/** An index scan is told by its index, anything else by what it is. */
function scanOf(node: PlanNode): string {
  const [bitmap] = node.Plans ?? []
  return node['Index Name'] ?? `${node['Node Type']} ${bitmap?.['Index Name'] ?? ''}`
}

/** Who lapsed since the last block, or is of a status that hardly any order has: found by whichever index. */
const isForFew = (scan: string) =>
  /orders_status_idx$|orders_chain_id_expired_at_block_effective_valid_to_idx$/.test(scan)

async function explain(filter: Partial<OrderFilter>, after: OrderPosition | null = null): Promise<Plan> {
  const { page } = pageSql({ chainIds, ...filter }, { first: 20, after, now })
  const [row] = await sql(database.db).$queryRaw<{ 'QUERY PLAN': { Plan: PlanNode }[] }[]>(
    Prisma.sql`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${page}`,
  )
  const [told] = row?.['QUERY PLAN'] ?? []
  if (!told) throw new Error('no plan')
  return planOf(told.Plan)
}

describe('a page of an account with 100,000 orders', () => {
  test.each<[string, Partial<OrderFilter>, string, number]>([
    ['all', { owner: busy }, 'orders_chain_id_owner_created_at_id_idx', 21],
    ['fulfilled', { owner: busy, statuses: ['fulfilled'] }, 'orders_owner_status_idx', 21],
    ['expired', { owner: busy, statuses: ['expired'] }, 'orders_owner_status_idx', 21],
    ['three cancelled', { owner: busy, statuses: ['cancelled'] }, 'orders_owner_status_idx', 3],
    ['three open', { owner: busy, statuses: ['open'] }, 'orders_owner_status_idx', 3],
    ['none presigned', { owner: busy, statuses: ['presignaturePending'] }, 'orders_owner_status_idx', 0],
    ['three that buy', { owner: busy, kind: 'buy' }, 'orders_owner_status_idx', 3],
    ['the open that sell', { owner: busy, kind: 'sell', statuses: ['open'] }, 'orders_owner_status_idx', 3],
    [
      'several statuses',
      { owner: busy, statuses: ['open', 'cancelled', 'fulfilled'] },
      'orders_owner_status_idx',
      21,
    ],
    ['all of those that stay open', { owner: patient, statuses: ['open'] }, 'orders_owner_status_idx', 21],
    [
      'the four of them that were filled',
      { owner: patient, statuses: ['fulfilled'] },
      'orders_owner_status_idx',
      4,
    ],
    [
      'a time',
      { owner: busy, createdFrom: created(500), createdUntil: created(510) },
      'orders_chain_id_owner_created_at_id_idx',
      10,
    ],
    ['everybody’s', {}, 'orders_chain_id_created_at_id_idx', 21],
    ['everybody’s cancelled', { statuses: ['cancelled'] }, 'orders_status_idx', 5],
    ['everybody’s that buy', { kind: 'buy' }, 'orders_status_idx', 6],
    ['a rare pair', { pair: rarePair }, 'orders_chain_id_sell_token_buy_token_created_at_id_idx', 6],
    ['a rare class', { class: 'liquidity' }, 'orders_class_idx', 6],
    ['a rare application', { appCode: 'Rare' }, 'orders_app_code_idx', 6],
    // Nearly every order is, so that the list of all is as good.
    ['a common application', { appCode: 'Usual' }, 'orders_chain_id_created_at_id_idx', 21],
  ])('%s: read from one index, no order in vain', async (_, filter, index, count) => {
    const page = await read(filter)
    expect(page.orders).toHaveLength(Math.min(count, 20))
    expect(page.hasMore).toBe(count > 20)
    expect(page.statements).toBe(1)
    const { scans, buffers, inVain, mostSorted } = await explain(filter)
    expect([...scans].filter((scan) => scan !== index && !isForFew(scan))).toEqual([])
    expect(inVain).toBeLessThan(10)
    expect(mostSorted).toBeLessThanOrEqual(21)
    expect(buffers).toBeLessThan(220)
  })

  test.each<[string, Partial<OrderFilter>]>([
    ['all', { owner: busy }],
    ['fulfilled', { owner: busy, statuses: ['fulfilled'] }],
    ['expired', { owner: busy, statuses: ['expired'] }],
    ['everybody’s', {}],
    ['an application’s', { appCode: 'Usual' }],
  ])('%s: a page at depth 90,000 costs what the first costs', async (_, filter) => {
    const first = await explain(filter)
    const deep = await explain(filter, behind(10_000))
    expect(deep.inVain).toBe(0)
    expect(deep.buffers).toBeLessThan(first.buffers * 1.5 + 10)
    const page = await read(filter, 20, behind(10_000))
    expect(page.orders).toHaveLength(20)
    expect(page.orders[0]?.creationDate.getTime()).toBeLessThanOrEqual(created(10_000).getTime())
    expect(page.statements).toBe(1)
  })

  test('the text that the database writes is found in the same way, also by a plan that is kept', async () => {
    const hot = hotOrderRead([{ key: 'uid', field: 'uid', selection: [] }])
    if (!hot) throw new Error('not hot')
    await using client = await connectDirectly(database.url)
    const bytes = Buffer.from(busy.slice(2), 'hex')
    const at = behind(10_000)
    for (const after of [null, at]) {
      const given = { owner: busy, chainIds, after, limit: 21, now }
      expect(await hot.page(database.db, given)).toHaveLength(21)
      const text = database.statements.at(-1)
      const values = [now, bytes, 21, ...chainIds, ...(after ? [after.createdAt, after.id] : [])]
      await client.query('SET plan_cache_mode = force_generic_plan')
      await client.query(`PREPARE hot${after ? 1 : 0} AS ${text}`)
      const literals = values.map((value) =>
        value instanceof Date
          ? `'${value.toISOString()}'`
          : Buffer.isBuffer(value)
            ? `'\\x${value.toString('hex')}'`
            : value,
      )
      const { rows } = await client.query(
        `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE hot${after ? 1 : 0} (${literals.join(', ')})`,
      )
      const { scans, inVain, buffers, mostSorted } = planOf(rows[0]['QUERY PLAN'][0].Plan)
      expect([[...scans], inVain, mostSorted]).toEqual([['orders_chain_id_owner_created_at_id_idx'], 0, 0])
      expect(buffers).toBeLessThan(60)
    }
  })
})

describe('conditions that no index has together', () => {
  const filter: Partial<OrderFilter> = { owner: busy, appCode: 'Rare' }

  test('are looked for among so many orders, and the next page goes on from there', async () => {
    const found: Date[] = []
    let after: OrderPosition | null = null
    let pages = 0
    for (let more = true; more; pages++) {
      const page: Awaited<ReturnType<typeof read>> = await read(filter, 20, after)
      expect(page.statements).toBeLessThan(3)
      found.push(...page.orders.map(({ creationDate }) => creationDate))
      after = page.end
      more = page.hasMore
    }
    expect(found).toEqual([66_683, 33_350, 17].map(created))
    expect(pages).toBe(11)
  })

  test('never more of them, in one page', async () => {
    const { inVain, scans } = await explain(filter)
    expect(inVain).toBeLessThanOrEqual(10_000)
    expect([...scans]).toEqual(['orders_chain_id_owner_created_at_id_idx'])
  })

  test('are a full page as soon as there are enough', async () => {
    const page = await read({ owner: busy, appCode: 'Usual', statuses: ['expired', 'open'] }, 3)
    expect(page.orders.map((order) => orderStatus(order, now))).toEqual(['expired', 'expired', 'expired'])
    expect([page.hasMore, page.statements]).toEqual([true, 1])
  })
})

test('pages of a list that grows meanwhile hold every order that was there, once', async () => {
  const owner = numbered('03')
  const hex = Buffer.from(owner.slice(2), 'hex')
  const whole = (await read({ owner: busy, statuses: ['open', 'cancelled'] }, 100)).orders.map(({ id }) => id)
  expect(whole).toHaveLength(6)
  const seen: bigint[] = []
  let after: OrderPosition | null = null
  for (let more = true; more; ) {
    const page: Awaited<ReturnType<typeof read>> = await read(
      { owner: busy, statuses: ['open', 'cancelled'] },
      2,
      after,
    )
    seen.push(...page.orders.map(({ id }) => id))
    after = page.end
    more = page.hasMore
    await sql(database.db).$executeRaw`
      UPDATE orders SET created_at = ${new Date()}, owner = ${Buffer.from(busy.slice(2), 'hex')}
      WHERE id = (SELECT min(id) FROM orders WHERE owner = ${hex})`
  }
  expect(seen).toEqual(whole)
})
