import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createTradingNetworks, type TradingServices } from '../../src/graphql/context/networks.ts'
import { applyBlocks, applyReorg } from '../../src/indexer/apply.ts'
import { sql } from '../../src/storage/database/database.ts'
import { rankTokens } from '../../src/storage/token/tokens.ts'
import { storeCompetition } from '../fakes/competition.ts'
import { sampleNetwork } from '../fakes/network.ts'
import { dollar, numbered, wrapped } from '../fakes/order.ts'
import { storeOrder } from '../fakes/stored-order.ts'
import { storeTokens } from '../fakes/stored-tokens.ts'
import { rangeOf, settled, sketchBlock, trade } from '../indexer/hand-made.ts'
import { network, openTestServer, type TestServer } from '../setup/server.ts'
import { graphql, request } from '../setup/trader.ts'

const { chainId } = network
const elsewhere = { ...network, chainId: 100, name: 'elsewhere' }
const owner = numbered('0f')
const impostor = numbered('ee')

let server: TestServer
/** Over the same rows, with competitions hidden by the operator. */
let hiding: TestServer
/** Over the same rows, with limits of rates. */
let limited: TestServer

beforeAll(async () => {
  const services = (of: typeof network) =>
    ({ network: of, tokens: async () => new Map() }) as unknown as TradingServices
  const networks = createTradingNetworks([services(network), services(elsewhere)])
  server = await openTestServer({}, { isNew: true, networks })
  hiding = await openTestServer({}, { networks, db: server.database.db, hidesCompetitions: true })
  limited = await openTestServer(
    {},
    { networks, db: server.database.db, rateLimits: { orders: 100, quotes: 100, reads: 100 } },
  )
})
afterAll(async () => {
  await limited?.[Symbol.asyncDispose]()
  await hiding?.[Symbol.asyncDispose]()
  await server?.[Symbol.asyncDispose]()
})

const run = (text: string) => sql(server.database.db).$executeRawUnsafe(text)
beforeEach(() =>
  run(
    'TRUNCATE trades, executions, auctions, solutions, auction_spans, orders, tokens, price_series, price_changes, checkpoints',
  ),
)

const ask = (query: string, variables = {}, from = server) => graphql(from.url, query, variables)

/** A trade in each block; of an order that is not stored. */
const storeTrades = (chain: number, from: number, to: number, sell: string = wrapped, buy: string = dollar) =>
  run(`INSERT INTO trades (chain_id, block_number, log_index, order_uid, owner, sell_token, buy_token, sell_amount, buy_amount, fee_amount, tx_hash)
    SELECT ${chain}, g, 0, '', '', '\\x${sell.slice(2)}', '\\x${buy.slice(2)}', g, 1, 0, '' FROM generate_series(${from}, ${to}) g`)

interface Connection {
  nodes: Record<string, unknown>[]
  pageInfo: Record<'hasNextPage' | 'hasPreviousPage', boolean> &
    Record<'startCursor' | 'endCursor', string | null>
}

/** Each page of a list, by its cursors; one statement for each. */
async function pages(field: string, args: string, item: string, backwards = false): Promise<unknown[][]> {
  const found: unknown[][] = []
  let cursor: string | null = null
  for (;;) {
    const before = server.database.statements.length
    const size = backwards ? 'last: 2, before: $cursor' : 'first: 2, after: $cursor'
    const query = `query ($cursor: String) { ${field}(${size}${args}) { nodes { ${item} } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`
    const { nodes, pageInfo }: Connection = (await ask(query, { cursor }))[field]
    expect(server.database.statements.length - before).toBe(1)
    found.push(nodes.map((node) => node[item]))
    if (!(backwards ? pageInfo.hasPreviousPage : pageInfo.hasNextPage)) return found
    cursor = backwards ? pageInfo.startCursor : pageInfo.endCursor
  }
}

test('all trades of a network, or of all, come newest first and page both ways', async () => {
  await storeTrades(chainId, 1, 4)
  await storeTrades(elsewhere.chainId, 3, 5)
  expect(await pages('trades', ', network: "sepolia"', 'blockNumber')).toEqual([
    [4, 3],
    [2, 1],
  ])
  expect(await pages('trades', ', network: "sepolia"', 'blockNumber', true)).toEqual([
    [2, 1],
    [4, 3],
  ])
  expect(await pages('trades', '', 'blockNumber')).toEqual([[5, 4], [4, 3], [3, 2], [1]])
  expect(await pages('trades', '', 'blockNumber', true)).toEqual([[2, 1], [3, 3], [4, 4], [5]])
  const { trades } = await ask(
    '{ trades(network: "elsewhere", first: 1) { totalCount nodes { id order { uid } } } }',
  )
  expect(trades).toEqual({ totalCount: 3, nodes: [{ id: expect.any(String), order: null }] })
  expect(
    await ask('query ($id: ID!) { node(id: $id) { ... on Trade { blockNumber } } }', trades.nodes[0]),
  ).toEqual({
    node: { blockNumber: 5 },
  })
})

test('a trade has the time of its event, and a reorg takes it out of the list', async () => {
  const { db } = server.database
  const order = await storeOrder(db, { owner })
  const block = sketchBlock(1, [
    trade(order, { sell: order.sellAmount, buy: order.buyAmount }, 'tx'),
    settled(owner, 'tx'),
  ])
  const indexing = { chainId, db, now: () => 5_000_000, network: sampleNetwork }
  const at = await applyBlocks(null, rangeOf([block]), indexing)
  expect(await pages('trades', '', 'orderUid')).toEqual([[order.uid]])
  const { trades } = await ask(
    '{ trades { nodes { timestamp order { events(last: 1) { nodes { label timestamp } } } } } }',
  )
  const [{ timestamp, order: traded }] = trades.nodes
  expect(traded.events.nodes).toEqual([{ label: 'TRADED', timestamp }])
  await applyReorg(at, { number: 0, hash: null }, indexing)
  expect(await pages('trades', '', 'orderUid')).toEqual([[]])
})

test('trades of an owner and of an order together are refused, and over REST trades of neither', async () => {
  const both = `owner: "${owner}", orderUid: "0x${'00'.repeat(56)}"`
  const { body } = await request(`${server.url}/graphql`, 'POST', {
    query: `{ trades(${both}) { totalCount } }`,
  })
  expect(body.errors).toMatchObject([
    { message: 'give owner or orderUid, not both', extensions: { code: 'InvalidTradeFilter' } },
  ])
  expect(await request(`${server.url}/sepolia/api/v1/trades`)).toMatchObject({
    status: 400,
    body: { errorType: 'InvalidTradeFilter' },
  })
})

test('auctions come newest first, with the figures of a row, without those that are hidden', async () => {
  const { db } = server.database
  const order = await storeOrder(db, { owner, sellAmount: 10n ** 18n })
  for (const id of [1n, 2n, 3n, 4n, 5n]) {
    const fills = [{ order, fill: { sell: 10n ** 18n, buy: 2_970_072_000n } }]
    await storeCompetition(db, { id, solver: numbered('51'), fills, deadlineBlock: 10 * Number(id) })
  }
  await run(
    `INSERT INTO auctions (id, chain_id, block, deadline_block) VALUES (9, ${elsewhere.chainId}, 1, 2)`,
  )
  await run(`UPDATE auctions SET created_at = timestamptz '2026-01-01' + id * interval '1 minute'`)
  expect(await pages('auctions', ', network: "sepolia"', 'auctionId')).toEqual([[5, 4], [3, 2], [1]])
  expect(await pages('auctions', ', network: "sepolia"', 'auctionId', true)).toEqual([[2, 1], [4, 3], [5]])

  const rows = `{ auctions(network: "sepolia", first: 2) { totalCount
    nodes { auctionId createdAt isFinished orderCount solutionCount } } }`
  const row = (auctionId: number, isFinished: boolean) => ({
    auctionId,
    isFinished,
    orderCount: 1,
    solutionCount: 1,
    createdAt: `2026-01-01T00:0${auctionId}:00Z`,
  })
  expect(await ask(rows)).toEqual({ auctions: { totalCount: 5, nodes: [row(5, false), row(4, false)] } })
  // Before the first block, no deadline has passed.
  expect(await ask(rows, {}, hiding)).toEqual({ auctions: { totalCount: 0, nodes: [] } })
  await run(
    `INSERT INTO checkpoints (chain_id, block_number, block_hash, updated_at) VALUES (${chainId}, 40, '', now())`,
  )
  expect(await ask(rows)).toEqual({ auctions: { totalCount: 5, nodes: [row(5, false), row(4, false)] } })
  const shown = { auctions: { totalCount: 3, nodes: [row(3, true), row(2, true)] } }
  expect(await ask(rows, {}, hiding)).toEqual(shown)
})

const searched = `query ($search: String, $first: Int, $after: String) { network(name: "sepolia") {
  tokens(search: $search, first: $first, after: $after) { totalCount nodes { symbol address } pageInfo { hasNextPage endCursor } } } }`

async function search(text: string | null, more = {}) {
  const { tokens } = (await ask(searched, { search: text, ...more })).network
  return tokens as {
    totalCount: number
    nodes: { symbol: string | null; address: string }[]
    pageInfo: { hasNextPage: boolean; endCursor: string | null }
  }
}

const symbols = async (text: string | null) => (await search(text)).nodes.map(({ symbol }) => symbol)
const named = (
  address: typeof owner,
  symbol: string | null,
  name: string | null = null,
  chain = chainId,
) => ({ chainId: chain, address, symbol, name, decimals: 18 })

test('tokens with a price come before those that are only traded, and both before the others', async () => {
  const { db } = server.database
  await storeTokens(db, [
    named(impostor, 'WETH', 'Wrapped Ether'),
    named(wrapped, 'WETH', 'Wrapped Ether'),
    named(dollar, 'USDC', 'USD Coin'),
    named(numbered('a1'), 'PRICED'),
    named(numbered('a2'), null),
    named(wrapped, 'WETH', 'Abroad', elsewhere.chainId),
  ])
  for (const token of [wrapped, dollar, numbered('a1')])
    await run(`INSERT INTO price_series (chain_id, token) VALUES (${chainId}, '\\x${token.slice(2)}')`)
  await run('INSERT INTO price_changes (series_id, auction_id, price) SELECT id, 1, 1 FROM price_series')
  await storeTrades(chainId, 1, 3)
  await storeTrades(chainId, 4, 4, wrapped, numbered('b1'))
  // Its maker trades it with another token of theirs.
  await storeTrades(chainId, 5, 104, impostor, numbered('b2'))
  await rankTokens(db, chainId)
  const { nodes, totalCount } = await search(null)
  expect(nodes.map(({ address }) => address)).toEqual([
    wrapped,
    dollar,
    numbered('a1'),
    impostor,
    numbered('a2'),
  ])
  expect(totalCount).toBe(5)
  expect((await search(' weth ')).nodes.map(({ address }) => address)).toEqual([wrapped, impostor])

  // A reorg, and a price that has gone: ranks fall again.
  await run('TRUNCATE trades')
  await run('INSERT INTO price_changes (series_id, auction_id, price) SELECT id, 2, NULL FROM price_series')
  await rankTokens(db, chainId)
  expect((await search(null)).nodes.map(({ address }) => address)).toEqual(
    [wrapped, dollar, numbered('a1'), impostor, numbered('a2')].sort().reverse(),
  )
})

test('a search finds a text in any letter case; signs of patterns stand for themselves', async () => {
  await storeTokens(server.database.db, [
    named(numbered('a1'), 'USDC', 'USD Coin'),
    named(numbered('a2'), '100%', 'per_cent'),
    named(numbered('a3'), "a'b\\", '"); DROP TABLE tokens; --'),
    named(numbered('a4'), null, null),
  ])
  expect(await symbols('usd')).toEqual(['USDC'])
  expect(await symbols('d CO')).toEqual(['USDC'])
  expect(await symbols('%')).toEqual(['100%'])
  expect(await symbols('r_c')).toEqual(['100%'])
  expect(await symbols("A'B\\")).toEqual(["a'b\\"])
  expect(await symbols('u_d')).toEqual([])
  expect(await symbols('drop table')).toEqual(["a'b\\"])
  expect(await symbols('  ')).toHaveLength(4)
})

test.each(['x'.repeat(101), 'a\0b'])('a search for %j is refused', async (text) => {
  const { body } = await request(`${server.url}/graphql`, 'POST', {
    query: searched,
    variables: { search: text },
  })
  expect(body.errors).toMatchObject([{ extensions: { code: 'InvalidParameter', field: 'search' } }])
})

test('of 25,000 tokens that no search is to find, a page looks at 10,000, by the index', async () => {
  const { database } = server
  await run(`INSERT INTO tokens (chain_id, address, symbol, name, decimals)
    SELECT ${chainId}, decode(lpad(to_hex(g), 40, '0'), 'hex'), repeat('w', 100), repeat('é', 100), 18 FROM generate_series(1, 25000) g`)
  await storeTokens(database.db, [named(numbered('ff'), 'WETH', 'Wrapped Ether')])
  await run(`UPDATE tokens SET rank = 5 WHERE symbol = 'WETH'`)
  // The last of the list, which the first page does not look at.
  await run(`UPDATE tokens SET symbol = 'WETH' WHERE address = '\\x${'00'.repeat(19)}01'`)
  await run('ANALYZE tokens')
  const before = database.statements.length
  const found = await search('weth')
  const statements = database.statements.slice(before)
  expect(statements).toHaveLength(1)
  expect(found.nodes).toEqual([{ symbol: 'WETH', address: numbered('ff') }])
  expect(found).toMatchObject({ totalCount: 1, pageInfo: { hasNextPage: true } })
  const next = await search('weth', { after: found.pageInfo.endCursor })
  expect(next).toMatchObject({ nodes: [], pageInfo: { hasNextPage: true } })
  const last = await search('weth', { after: next.pageInfo.endCursor })
  expect(last).toMatchObject({ totalCount: 1, pageInfo: { hasNextPage: false } })
  expect(last.nodes).toHaveLength(1)

  // The rows of the page, the end of the scan for hasNextPage and for endCursor, and the count.
  const scans = await scansOf(statements[0], 'tokens tok_')
  expect(scans).toHaveLength(4)
  for (const scan of scans) expect(scan).toContain('Scan Backward using tokens_chain_id_rank_address_idx')
})

/** The lines of a statement's plan that read a table; with an alias, those whose alias begins so. */
async function scansOf(statement: string | undefined, table: string): Promise<string[]> {
  const plan = await sql(server.database.db).$queryRawUnsafe<{ 'QUERY PLAN': string }[]>(
    `EXPLAIN (GENERIC_PLAN) ${statement}`,
  )
  return plan.map((row) => row['QUERY PLAN']).filter((line) => new RegExp(`Scan.* on ${table}`).test(line))
}

test('the trades of several networks are read from the index of each', async () => {
  await storeTrades(chainId, 1, 5_000)
  await storeTrades(elsewhere.chainId, 1, 5_000)
  await run('ANALYZE trades')
  const { statements } = server.database
  const before = statements.length
  await ask('{ trades(first: 5) { nodes { blockNumber } pageInfo { hasNextPage } } }')
  expect(statements.length - before).toBe(1)
  const scans = await scansOf(statements[before], 'trades')
  expect(scans).toHaveLength(2)
  for (const scan of scans) expect(scan).toContain('Scan Backward using trades_pkey')
})

test.each([
  [
    'a page',
    '{ auctions(network: "elsewhere", first: 5) { nodes { auctionId } pageInfo { hasNextPage } } }',
    1,
  ],
  ['the newest', '{ latestAuction(network: "elsewhere") { auctionId } }', 1],
])(
  'auctions of a network with few are read by its index beside one with many: %s',
  async (_what, query, count) => {
    await run(
      `INSERT INTO auctions (id, chain_id, block, deadline_block) SELECT g, ${chainId}, g, g FROM generate_series(1, 20000) g`,
    )
    await run(
      `INSERT INTO auctions (id, chain_id, block, deadline_block) SELECT g, ${elsewhere.chainId}, g, g FROM generate_series(20001, 20003) g`,
    )
    await run('ANALYZE auctions')
    const { statements } = server.database
    const before = statements.length
    await ask(query)
    const scans = await scansOf(statements[before], 'auctions a')
    expect(scans).toHaveLength(count)
    for (const scan of scans) expect(scan).toContain('auctions_chain_id_id_idx')
  },
)

test('a search costs ten units more than the list', async () => {
  const actual = async (args: string) =>
    (
      await request(`${limited.url}/graphql`, 'POST', {
        query: `{ network(name: "sepolia") { tokens${args} { nodes { address } } } }`,
      })
    ).body.extensions.cost.actual
  expect(await actual('')).toBe(1)
  expect(await actual('(search: " ")')).toBe(1)
  expect(await actual('(search: "zzzz")')).toBe(11)
})

test('of two trades of an order in one auction, the execution and the time are those of its block alone', async () => {
  const { id } = await storeOrder(server.database.db, { owner })
  await run(`INSERT INTO trades (chain_id, block_number, log_index, order_id, order_uid, owner, sell_token, buy_token, sell_amount, buy_amount, fee_amount, tx_hash, auction_id)
    SELECT ${chainId}, g, 0, ${id}, '', '', '', '', 1, 1, 0, '', 1 FROM generate_series(1, 2) g`)
  await run(`INSERT INTO executions (order_id, auction_id, executed_fee, executed_fee_token, block_number, protocol_fee_tokens, protocol_fee_amounts)
    VALUES (${id}, 1, 7, '', 1, '{""}', '{5}')`)
  await run(`INSERT INTO solution_executions (order_id, auction_id, solution_uid, executed_sell, executed_buy)
    VALUES (${id}, 1, 0, 1, 1)`)
  await run(`INSERT INTO order_events (order_id, label, timestamp, block_number) VALUES
    (${id}, 'traded', '2027-01-15T07:43:23Z', 1), (${id}, 'ready', '2027-01-15T07:43:24Z', 2)`)
  await run(
    `INSERT INTO fee_policies (order_id, auction_id, position, kind, factor) VALUES (${id}, 1, 0, 'volume', 1)`,
  )
  expect(
    await ask(
      '{ trades(network: "sepolia") { nodes { blockNumber timestamp execution { executedFee } executedProtocolFees { amount } } } }',
    ),
  ).toEqual({
    trades: {
      nodes: [
        { blockNumber: 2, timestamp: null, execution: null, executedProtocolFees: [] },
        {
          blockNumber: 1,
          timestamp: '2027-01-15T07:43:23Z',
          execution: { executedFee: '7' },
          executedProtocolFees: [{ amount: '5' }],
        },
      ],
    },
  })
})

test('tokens page both ways; a cursor of another list is refused', async () => {
  const addresses = ['a1', 'a2', 'a3', 'a4', 'a5'].map((digits) => numbered(digits))
  await storeTokens(
    server.database.db,
    addresses.map((address) => named(address, 'T')),
  )
  await run(`UPDATE tokens SET rank = 7 WHERE address = '\\x${numbered('a2').slice(2)}'`)
  const paged = async (args: string) =>
    (
      await ask(
        `{ network(name: "sepolia") { tokens(${args}) { nodes { address } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } }`,
      )
    ).network.tokens
  const short = ({ nodes }: { nodes: { address: string }[] }) => nodes.map(({ address }) => address.slice(-2))
  const first = await paged('first: 2')
  expect(short(first)).toEqual(['a2', 'a5'])
  const second = await paged(`first: 2, after: "${first.pageInfo.endCursor}"`)
  expect(short(second)).toEqual(['a4', 'a3'])
  const end = await paged('last: 2')
  expect(short(end)).toEqual(['a3', 'a1'])
  expect(short(await paged(`last: 2, before: "${end.pageInfo.startCursor}"`))).toEqual(['a5', 'a4'])
  for (const cursor of [
    '',
    'bjEuMi4z',
    Buffer.from('k1.zz').toString('base64url'),
    Buffer.from('k1').toString('base64url'),
  ])
    await expect(paged(`after: "${cursor}"`)).rejects.toThrow('after must be a cursor of this list')
})
