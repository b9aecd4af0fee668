import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../src/storage/database/database.ts'
import { fillLargeAccounts, large } from '../fakes/large-accounts.ts'
import { numbered } from '../fakes/order.ts'
import { recordStatements, type SentStatement } from '../fakes/sent-statements.ts'
import { connectDirectly } from '../setup/database.ts'
import { openTestServer, type TestServer } from '../setup/server.ts'
import { graphql } from '../setup/trader.ts'

const { busy, patient, now, rarePair } = large
const start = now - 1_000_000
/** The cursor of order number `n` of an account. */
const created = (n: number) => new Date((start + n * 10) * 1_000)
const behind = (n: number) =>
  Buffer.from(`o${created(n).getTime() * 1_000}.${10n ** 17n}`).toString('base64url')

interface Filter {
  owner?: string
  statuses?: string[]
  pair?: typeof rarePair
  kind?: string
  class?: string
  appCode?: string
  createdFrom?: Date
  createdUntil?: Date
}

interface Page {
  nodes: { uid: string; status: string; creationDate: string }[]
  pageInfo: { hasNextPage: boolean; endCursor: string | null }
}

let server: TestServer
const recording = recordStatements()
beforeAll(async () => {
  server = await openTestServer({}, { isNew: true, now: () => now * 1_000 })
  await using client = await connectDirectly(server.database.url)
  await fillLargeAccounts(client)
})
afterAll(async () => {
  recording.end()
  await server[Symbol.asyncDispose]()
})

const question = `query ($owner: Address, $filter: OrderFilter, $first: Int, $after: String) {
  orders(network: "sepolia", owner: $owner, filter: $filter, first: $first, after: $after) {
    nodes { uid status creationDate } pageInfo { hasNextPage endCursor }
  }
}`

async function read({ owner, ...filter }: Filter, first = 20, after: string | null = null) {
  const before = server.database.statements.length
  const { orders }: { orders: Page } = await graphql(server.url, question, { owner, filter, first, after })
  return { ...orders, statements: server.database.statements.length - before }
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
  /** Orders that were read and filtered out. */
  inVain: number
  maxSorted: number
}

function planOf(root: PlanNode): Plan {
  const nodes = [root]
  for (const node of nodes) nodes.push(...(node.Plans ?? []))
  const onOrders = nodes.filter((node) => node['Relation Name'] === 'orders')
  return {
    buffers: root['Shared Hit Blocks'] + root['Shared Read Blocks'],
    scans: new Set(onOrders.map(scanOf)),
    inVain: onOrders.reduce((sum, node) => sum + (node['Rows Removed by Filter'] ?? 0), 0),
    maxSorted: Math.max(
      0,
      ...nodes.filter((node) => node['Node Type'].includes('Sort')).map((node) => node['Actual Rows']),
    ),
  }
}

/** An index scan by its index, anything else by its node type. */
function scanOf(node: PlanNode): string {
  const [bitmap] = node.Plans ?? []
  return node['Index Name'] ?? `${node['Node Type']} ${bitmap?.['Index Name'] ?? ''}`
}

/**
 * Orders that expired since the last block, have a rare status, or were placed on chain: any index will do.
 */
const isForFew = (scan: string) =>
  /orders_status_idx$|orders_chain_id_expired_at_block_effective_valid_to_idx$|orders_onchain_user_idx$/.test(
    scan,
  )

const forMany = (scans: ReadonlySet<string>) => [...scans].filter((scan) => !isForFew(scan))

async function explain(filter: Filter, after: string | null = null): Promise<Plan> {
  const [sent] = await recording.of(() => read(filter, 20, after))
  if (!sent) throw new Error('nothing was sent')
  return explained(sent)
}

async function explained({ text, values }: SentStatement): Promise<Plan> {
  await using client = await connectDirectly(server.database.url)
  const { rows } = await client.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, values)
  return planOf(rows[0]['QUERY PLAN'][0].Plan)
}

describe('a page of an account with 100,000 orders', () => {
  test.each<[string, Filter, string, number]>([
    ['all', { owner: busy }, 'orders_chain_id_owner_created_at_id_idx', 21],
    ['fulfilled', { owner: busy, statuses: ['FULFILLED'] }, 'orders_owner_status_idx', 21],
    ['expired', { owner: busy, statuses: ['EXPIRED'] }, 'orders_owner_status_idx', 21],
    ['three cancelled', { owner: busy, statuses: ['CANCELLED'] }, 'orders_owner_status_idx', 3],
    ['three open', { owner: busy, statuses: ['OPEN'] }, 'orders_owner_status_idx', 3],
    ['none presigned', { owner: busy, statuses: ['PRESIGNATURE_PENDING'] }, 'orders_owner_status_idx', 0],
    ['three that buy', { owner: busy, kind: 'BUY' }, 'orders_owner_status_idx', 3],
    ['the open that sell', { owner: busy, kind: 'SELL', statuses: ['OPEN'] }, 'orders_owner_status_idx', 3],
    [
      'several statuses',
      { owner: busy, statuses: ['OPEN', 'CANCELLED', 'FULFILLED'] },
      'orders_owner_status_idx',
      21,
    ],
    ['all of those that stay open', { owner: patient, statuses: ['OPEN'] }, 'orders_owner_status_idx', 21],
    [
      'the four of them that were filled',
      { owner: patient, statuses: ['FULFILLED'] },
      'orders_owner_status_idx',
      4,
    ],
    [
      'a time',
      { owner: busy, createdFrom: created(500), createdUntil: created(510) },
      'orders_chain_id_owner_created_at_id_idx',
      10,
    ],
    ['all orders', {}, 'orders_chain_id_created_at_id_idx', 21],
    ['all cancelled orders', { statuses: ['CANCELLED'] }, 'orders_status_idx', 5],
    ['all buy orders', { kind: 'BUY' }, 'orders_status_idx', 6],
    ['a rare pair', { pair: rarePair }, 'orders_chain_id_sell_token_buy_token_created_at_id_idx', 6],
    ['a rare class', { class: 'LIQUIDITY' }, 'orders_class_idx', 6],
    ['a rare application', { appCode: 'Rare' }, 'orders_app_code_idx', 6],
    // Nearly every order matches, so the index of all orders is as good.
    ['a common application', { appCode: 'Usual' }, 'orders_chain_id_created_at_id_idx', 21],
  ])('%s: read from one index, without orders that are filtered out', async (_, filter, index, count) => {
    const page = await read(filter)
    expect(page.nodes).toHaveLength(Math.min(count, 20))
    expect(page.pageInfo.hasNextPage).toBe(count > 20)
    expect(page.statements).toBe(1)
    const { scans, buffers, inVain, maxSorted } = await explain(filter)
    expect(forMany(scans).filter((scan) => scan !== index)).toEqual([])
    expect(inVain).toBeLessThan(10)
    expect(maxSorted).toBeLessThanOrEqual(21)
    expect(buffers).toBeLessThan(220)
  })

  test.each<[string, Filter]>([
    ['all', { owner: busy }],
    ['fulfilled', { owner: busy, statuses: ['FULFILLED'] }],
    ['expired', { owner: busy, statuses: ['EXPIRED'] }],
    ['all orders', {}],
    ['an application’s', { appCode: 'Usual' }],
  ])('%s: a page at depth 90,000 costs what the first costs', async (_, filter) => {
    const first = await explain(filter)
    const deep = await explain(filter, behind(10_000))
    expect(deep.inVain).toBe(0)
    expect(deep.buffers).toBeLessThan(first.buffers * 1.5 + 10)
    const page = await read(filter, 20, behind(10_000))
    expect(page.nodes).toHaveLength(20)
    expect(Date.parse(page.nodes[0]?.creationDate ?? '')).toBeLessThanOrEqual(created(10_000).getTime())
    expect(page.statements).toBe(1)
  })

  test('is read in the same way by a cached plan', async () => {
    await using client = await connectDirectly(server.database.url)
    await client.query('SET plan_cache_mode = force_generic_plan')
    const filter = { owner: busy }
    for (const [name, after] of [
      ['first', null],
      ['deep', behind(10_000)],
    ] as const) {
      const [sent] = await recording.of(() => read(filter, 20, after))
      await client.query(`PREPARE ${name} AS ${sent?.text}`)
      const given = sent?.values.map(literalOf).join(', ')
      const { rows } = await client.query(
        `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE ${name} (${given})`,
      )
      const { scans, inVain, buffers, maxSorted } = planOf(rows[0]['QUERY PLAN'][0].Plan)
      expect([forMany(scans), inVain, maxSorted]).toEqual([['orders_chain_id_owner_created_at_id_idx'], 0, 0])
      expect(buffers).toBeLessThan(60)
    }
  })
})

function literalOf(value: unknown): string {
  if (Array.isArray(value)) return `'{${value.join(',')}}'`
  if (value instanceof Uint8Array) return `'\\x${Buffer.from(value).toString('hex')}'`
  return typeof value === 'string' ? `'${value}'` : String(value)
}

describe('conditions that no index covers together', () => {
  const filter: Filter = { owner: busy, appCode: 'Rare' }

  test('are checked on a bounded number of orders, and the next page goes on from there', async () => {
    const found: string[] = []
    let after: string | null = null
    let pages = 0
    for (let more = true; more; pages++) {
      const page: Awaited<ReturnType<typeof read>> = await read(filter, 20, after)
      expect(page.statements).toBe(1)
      found.push(...page.nodes.map(({ creationDate }) => creationDate))
      after = page.pageInfo.endCursor
      more = page.pageInfo.hasNextPage
    }
    expect(found.map((time) => new Date(time))).toEqual([66_683, 33_350, 17].map(created))
    expect(pages).toBe(11)
  })

  test('never read more orders than the bound in one page', async () => {
    const { inVain, scans } = await explain(filter)
    expect(inVain).toBeLessThanOrEqual(10_000)
    expect(forMany(scans)).toEqual(['orders_chain_id_owner_created_at_id_idx'])
  })

  test('return a full page as soon as there are enough orders', async () => {
    const page = await read({ owner: busy, appCode: 'Usual', statuses: ['EXPIRED', 'OPEN'] }, 3)
    expect(page.nodes.map(({ status }) => status)).toEqual(['EXPIRED', 'EXPIRED', 'EXPIRED'])
    expect([page.pageInfo.hasNextPage, page.statements]).toEqual([true, 1])
  })
})

test('pages of a growing list hold every order of its start, once', async () => {
  const owner = numbered('03')
  const hex = Buffer.from(owner.slice(2), 'hex')
  const whole = (await read({ owner: busy, statuses: ['OPEN', 'CANCELLED'] }, 100)).nodes.map(
    ({ uid }) => uid,
  )
  expect(whole).toHaveLength(6)
  const seen: string[] = []
  let after: string | null = null
  for (let more = true; more; ) {
    const page: Awaited<ReturnType<typeof read>> = await read(
      { owner: busy, statuses: ['OPEN', 'CANCELLED'] },
      2,
      after,
    )
    seen.push(...page.nodes.map(({ uid }) => uid))
    after = page.pageInfo.endCursor
    more = page.pageInfo.hasNextPage
    await sql(server.database.db).$executeRaw`
      UPDATE orders SET created_at = ${new Date()}, owner = ${Buffer.from(busy.slice(2), 'hex')}
      WHERE id = (SELECT min(id) FROM orders WHERE owner = ${hex})`
  }
  expect(seen).toEqual(whole)
})
