import { getNamedType, isInputObjectType, isObjectType } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { App } from '../../src/app/app.ts'
import { schema } from '../../src/graphql/schema.ts'
import { describedRows } from '../../src/rest/openapi/document.ts'
import { sql } from '../../src/storage/database/database.ts'
import { firstBlocksOf } from '../../src/storage/order/mirror.ts'
import { formatNodeId } from '../../src/storage/query/node-id.ts'
import { type FakeOrderBook, type ScriptedOrder, scriptedOrder, startOrderBook } from '../fakes/order-book.ts'
import { startTestChain, type TestChain } from '../setup/chain.ts'
import { collect } from '../setup/collect.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { eventually } from '../setup/eventually.ts'
import { startScriptedNode } from '../setup/scripted-node.ts'
import { request } from '../setup/trader.ts'
import { startProgram, unlimited } from '../setup/world.ts'

type Hex = `0x${string}`

let chain: TestChain
let database: TestDatabase
let book: FakeOrderBook
let node: Awaited<ReturnType<typeof startScriptedNode>>
let follower: App
let url: string
let base: string

const solver = `0x${'50'.repeat(20)}` as const

/** Things that nothing has named yet, and that the follower has not read. */
interface Named {
  owner: Hex
  open: ScriptedOrder
  filled: ScriptedOrder
  txHash: Hex
  auction: number
}
let count = 0

function unnamed(): Named {
  count += 1
  const digits = count.toString(16).padStart(4, '0')
  const owner = `0x${'a0'.repeat(18)}${digits}` as Hex
  const txHash = `0x${'7e'.repeat(30)}${digits}` as Hex
  const { network, tokens } = chain.market
  const pair = [tokens.WETH.address, tokens.USDC.address] as [Hex, Hex]
  const open = book.add(scriptedOrder(network, owner, pair))
  const plain = scriptedOrder(network, owner, pair)
  const executed = { executedSellAmount: plain.sellAmount, executedBuyAmount: plain.buyAmount }
  const filled = book.add({ ...plain, ...executed, status: 'fulfilled' })
  book.trades.push({ orderUid: filled.uid, owner, txHash, blockNumber: 1, logIndex: 2 * count - 2 })
  node.trades.push({ order: filled, txHash, block: 1 })
  const auction = 1_000 + count
  book.competitions.set(auction, competition(auction, [open.uid]))
  return { owner, open, filled, txHash, auction }
}

const competition = (auctionId: number, orders: readonly string[]) => ({
  auctionId,
  auctionStartBlock: 1,
  auctionDeadlineBlock: 2,
  transactionHashes: [],
  referenceScores: {},
  auction: { orders, prices: {} },
  solutions: [],
})

beforeAll(async () => {
  ;[chain, database, book] = await Promise.all([startTestChain(), createTestDatabase(), startOrderBook()])
  node = await startScriptedNode(chain.rpcUrl, chain.market.network.settlement, solver)
  book.competitions.set(2_000_000, competition(2_000_000, []))
  follower = await startProgram(
    { database, chain },
    { ...unlimited, CMS_ENABLED: 'true', CMS_API_KEY: 'cms-key-of-the-tests' },
    {
      roles: ['serve', 'index'],
      networks: [
        {
          network: { ...chain.market.network, finalityBlocks: 2 },
          rpcUrl: node.rpcUrl,
          orderBook: { url: book.url, callsPerMinute: 1_000_000 },
        },
      ],
    },
  )
  url = follower.url ?? ''
  base = `${url}/${chain.market.network.name}`
  const { chainId } = chain.market.network
  expect((await firstBlocksOf(database.db, chainId)).indexedFrom).toBeGreaterThan(1)
})
afterAll(async () => {
  await follower?.close()
  node?.close()
  book?.close()
  await chain?.[Symbol.asyncDispose]()
  await database?.[Symbol.asyncDispose]()
})

const ask = async (query: string, variables: object = {}) =>
  (await request(`${url}/graphql`, 'POST', { query, variables })).body
const rest = async (path: string) => {
  const answer = await request(`${base}${path}`)
  if (answer.status >= 400) throw new Error(JSON.stringify(answer.body))
  if (answer.headers.get('x-is-complete')) throw new Error('Unavailable: a part is still being read')
  return answer
}

/** A way to name something: reads it, and returns UIDs, numbers or hashes, sorted. */
type Way = (named: Named) => Promise<unknown>
const both = ({ open, filled }: Named) => [open.uid, filled.uid].sort()
const uidsIn = (list: { nodes: { uid: string }[] }) => list.nodes.map(({ uid }) => uid).sort()
const tradedIn = (list: { nodes: { orderUid: string }[] }) => list.nodes.map(({ orderUid }) => orderUid)
const dataOf = async (query: string, variables: object = {}) => {
  const { data, errors } = await ask(query, variables)
  if (errors) throw new Error(JSON.stringify(errors))
  return data
}
/** Waits for an entry of a stream about this order. */
async function entryOf(uid: string, subscription: string, variables: Record<string, unknown>) {
  using stream = collect<{ orderEvents: { order: { uid: string } } }>(url, subscription, variables)
  return await eventually('the stream begins', async () => {
    const fault = stream.results.find(({ errors }) => errors)
    if (fault) throw new Error(JSON.stringify(fault.errors))
    return stream.data().find(({ orderEvents }) => orderEvents.order.uid === uid)?.orderEvents.order.uid
  })
}
const orders = 'orders(first: 10) { nodes { uid } }'
const trades = 'trades(first: 10) { nodes { orderUid } }'

/** What each way has to give, and the way. */
interface Covered {
  expected: (named: Named) => unknown
  way: Way
}
const gives = (expected: Covered['expected'], way: Way): Covered => ({ expected, way })
const openUid = ({ open }: Named) => open.uid
const traded = ({ filled }: Named) => [filled.uid]

const accountBy = (of: (named: Named) => string, member = 'account') =>
  gives(
    (named) => [both(named), traded(named)],
    async (named) => {
      const { [member]: found } = await dataOf(`{ ${of(named)} }`)
      const account = Array.isArray(found) ? found[0] : found
      return [uidsIn(account.mine), tradedIn(account.trades)]
    },
  )
const lists = `mine: ${orders} ${trades}`

const covered: Record<string, Covered> = {
  'Query.account(address)': accountBy(({ owner }) => `account(address: "${owner}") { ${lists} }`),
  'Query.node(id)': accountBy(
    ({ owner }) => `node(id: "${formatNodeId('Account', owner)}") { ... on Account { ${lists} } }`,
    'node',
  ),
  'Query.node(id) of an order': gives(openUid, async ({ open }) => {
    const { node } = await dataOf(
      `{ node(id: "${formatNodeId('Order', open.uid)}") { ... on Order { uid } } }`,
    )
    return node?.uid
  }),
  'Query._entities(representations)': accountBy(
    ({ owner }) =>
      `_entities(representations: [{ __typename: "Account", address: "${owner}" }]) { ... on Account { ${lists} } }`,
    '_entities',
  ),
  'Query._entities(representations) of an order': gives(openUid, async ({ open }) => {
    const named = `[{ __typename: "Order", uid: "${open.uid}" }]`
    return (await dataOf(`{ _entities(representations: ${named}) { ... on Order { uid } } }`))._entities[0]
      ?.uid
  }),
  'Query.order(uid)': gives(
    ({ filled }) => [filled.uid, 'FULFILLED', [filled.uid]],
    async ({ filled }) => {
      const { order } = await dataOf(`{ order(uid: "${filled.uid}") { uid status ${trades} } }`)
      return [order?.uid, order?.status, order && tradedIn(order.trades)]
    },
  ),
  'Query.ordersByUids(uids)': gives(both, async ({ open, filled }) => {
    const uids = JSON.stringify([open.uid, filled.uid])
    return uidsIn({ nodes: (await dataOf(`{ ordersByUids(uids: ${uids}) { uid } }`)).ordersByUids })
  }),
  'Query.orders(owner)': gives(both, async ({ owner }) =>
    uidsIn((await dataOf(`{ other: orders(owner: "${owner}", first: 10) { nodes { uid } } }`)).other),
  ),
  'Query.trades(owner)': gives(traded, async ({ owner }) =>
    tradedIn((await dataOf(`{ trades(owner: "${owner}") { nodes { orderUid } } }`)).trades),
  ),
  'Query.trades(orderUid)': gives(traded, async ({ filled }) =>
    tradedIn((await dataOf(`{ trades(orderUid: "${filled.uid}") { nodes { orderUid } } }`)).trades),
  ),
  'Query.transactionOrders(hash)': gives(traded, async ({ txHash }) =>
    uidsIn({ nodes: (await dataOf(`{ transactionOrders(hash: "${txHash}") { uid } }`)).transactionOrders }),
  ),
  'Query.settlementsOfTransaction(hash)': gives(
    ({ txHash, filled }) => [[txHash, [filled.uid]]],
    async ({ txHash }) =>
      (
        await dataOf(`{ settlementsOfTransaction(hash: "${txHash}") { txHash trades { orderUid } } }`)
      ).settlementsOfTransaction.map((each: { txHash: string; trades: { orderUid: string }[] }) => [
        each.txHash,
        tradedIn({ nodes: each.trades }),
      ]),
  ),
  'Query.auction(id)': gives(
    ({ auction, open }) => [auction, [open.uid]],
    async ({ auction: id }) => {
      const { auction } = await dataOf(`{ auction(id: ${id}) { ${orders} } }`)
      return [id, auction && uidsIn(auction.orders)]
    },
  ),
  'Subscription.orderEvents(uid)': gives(openUid, async ({ open }) => {
    const stream =
      'subscription ($uid: OrderUid!) { orderEvents(uid: $uid, snapshot: true) { order { uid } } }'
    return entryOf(open.uid, stream, { uid: open.uid })
  }),
  // The snapshot has the orders that have not ended, and may have the other one until its trade is read.
  'Subscription.orderEvents(owner)': gives(openUid, async ({ owner, open }) => {
    const stream =
      'subscription ($owner: Address!) { orderEvents(owner: $owner, snapshot: true) { order { uid } } }'
    return entryOf(open.uid, stream, { owner })
  }),
  'GET /api/v1/orders/:uid uid': gives(
    ({ filled }) => [filled.uid, 'fulfilled'],
    async ({ filled }) => {
      const { body } = await rest(`/api/v1/orders/${filled.uid}`)
      return [body.uid, body.status]
    },
  ),
  'GET /api/v1/debug/order/:uid uid': gives(
    openUid,
    async ({ open }) => (await rest(`/api/v1/debug/order/${open.uid}`)).body.orderUid,
  ),
  'GET /api/v1/account/:owner/orders owner': gives(both, async ({ owner }) =>
    uidsIn({ nodes: (await rest(`/api/v1/account/${owner}/orders`)).body }),
  ),
  'GET /api/v1/transactions/:hash/orders hash': gives(traded, async ({ txHash }) =>
    uidsIn({ nodes: (await rest(`/api/v1/transactions/${txHash}/orders`)).body }),
  ),
  ...Object.fromEntries(
    ['v1', 'v2'].flatMap((version) => [
      [
        `GET /api/${version}/trades owner`,
        gives(traded, async ({ owner }) =>
          tradedIn({ nodes: (await rest(`/api/${version}/trades?owner=${owner}`)).body }),
        ),
      ],
      [
        `GET /api/${version}/trades orderUid`,
        gives(traded, async ({ filled }) =>
          tradedIn({ nodes: (await rest(`/api/${version}/trades?orderUid=${filled.uid}`)).body }),
        ),
      ],
    ]),
  ),
}

/** Ways that need no reading, by the beginning of the way, with the reason. */
const others: Record<string, string> = {
  'Account.notificationHistory': 'notifications are facts of this service',
  'Query.notifications': 'as above',
  'Subscription.notifications': 'as above',
  'Query.channelSubscription': 'channels are of this service',
  'Account.orders(filter.pair': 'the account is named',
  'Query.orders(filter.pair': 'tokens',
  'Network.pools': 'tokens',
  'Query.tokens': 'tokens',
  'Order.hasAllSolverOutcomes(auctionId)': 'own auctions',
  'Order.solverOutcomes': 'solvers of the own auctions',
  'Query.settlements(solver)': 'a list of all',
  'Query.affiliate': 'the affiliate programme',
  'Query.trader': 'the affiliate programme',
  'Query.appData': 'documents are read by their hash: passed-on.test.ts',
  'Query.bookEvents': 'a feed of what is stored',
  'Subscription.bookEvents': 'as above',
  'Subscription.trades': 'a feed of what is stored',
  'Query.explain': 'an order of the request',
  'Query.simulate': 'an order of the request',
  'Query.quote(': 'quotes are of this service',
  'Subscription.quotes': 'a request for a quote',
  'Subscription.balances': 'the chain',
  'Query.programmaticOrder': 'programmatic.test.ts reads their parts',
  'Query.auctionOfTransaction': 'competitions.test.ts: settlements of the chain name their auctions',
  'GET /api/v1/orders/:uid/status': 'passed on',
  'GET /api/v1/orders/:uid/diagnosis': 'Query.order',
  'GET /restricted/api/v1/debug': 'as without /restricted',
  'GET /api/v1/debug/simulation': 'Query.order',
  'GET /api/v1/feed': 'a feed of what is stored',
  'GET /api/v1/solver_competition': 'passed on',
  'GET /api/v2/solver_competition': 'passed on',
  'GET /api/v1/solver_notices': 'own auctions',
  'GET /restricted/api/v2/solver_competition': 'the operator of own auctions',
  'GET /api/v1/app_data': 'Query.appData',
  'GET /api/v1/token': 'tokens',
  'GET /api/v1/users/:user/total_surplus': 'passed on',
  'GET /accounts/': 'notifications and channels are of this service',
  'GET /:network/': 'tokens and balances',
  'GET /sse/': 'balances',
  'GET /affiliate': 'the affiliate programme',
  'GET /ref-codes': 'the affiliate programme',
}

const namingTypes = new Set(['Address', 'OrderUid', 'Bytes32', 'ID', '_Any'])
type Argument = { name: string; type: Parameters<typeof getNamedType>[0] }

function waysOf(at: string, { name, type }: Argument, within: readonly string[] = []): string[] {
  const named = getNamedType(type)
  if (!named || within.includes(named.name)) return []
  if (isInputObjectType(named))
    return Object.values(named.getFields()).flatMap((field) =>
      waysOf(`${at}.${field.name}`, field, [...within, named.name]),
    )
  const isNumber = named.name === 'SafeInt' && /^(id|auctionId)$/.test(name)
  return namingTypes.has(named.name) || isNumber ? [at] : []
}

/** All arguments of reads by which a client names something, and all parameters of paths. */
function allWays(): string[] {
  const types = Object.values(schema.getTypeMap()).filter(isObjectType)
  const graph = types
    .filter(({ name }) => name !== 'Mutation' && !name.startsWith('__'))
    .flatMap((type) =>
      Object.values(type.getFields()).flatMap((field) =>
        field.args.flatMap((arg) =>
          waysOf(`${type.name}.${field.name}(${arg.name}`, arg).map((way) => `${way})`),
        ),
      ),
    )
  const paths = describedRows()
    .filter(({ row }) => row.on.startsWith('GET '))
    .flatMap(({ row, operation }) => {
      const inPath = [...row.on.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
      const inQuery = Object.keys(operation.query ?? {}).filter((name) => /owner|uid$/i.test(name))
      return [...inPath, ...inQuery].filter((name) => name !== 'network').map((name) => `${row.on} ${name}`)
    })
  return [...graph, ...paths]
}

test('every way to name something reads it from the order book, or is known to name nothing of it', () => {
  const unknown = allWays().filter(
    (way) => !(way in covered) && !Object.keys(others).some((other) => way.startsWith(other)),
  )
  expect(unknown).toEqual([])
})

describe.each(Object.entries(covered))('%s', (_, { expected, way }) => {
  test('reads what it lacks', async () => {
    const named = unnamed()
    const answer = await eventually('it is answered, and refused before', () =>
      way(named)
        .then((found) => [found])
        .catch((fault: Error) => {
          if (!fault.message.includes('Unavailable')) throw fault
        }),
    )
    expect(answer).toEqual([expected(named)])
  })

  test('is refused, and never empty, while the order book is away', async () => {
    const named = unnamed()
    book.state.isAway = true
    try {
      const answer = await way(named).catch((fault: Error) => fault.message)
      expect(JSON.stringify(answer)).not.toMatch(/^(null|\[\]|\[null.*|\[\[\].*)$/)
    } finally {
      book.state.isAway = false
      await eventually('the order book is called again', async () => {
        const { status } = await request(`${base}/api/v1/account/${unnamed().owner}/orders`)
        return status === 200
      })
    }
  })
})

test('an account of 2,300 orders is listed to its end, and says so', async () => {
  const owner = `0x${'b1'.repeat(20)}` as Hex
  const { network, tokens } = chain.market
  const uids = Array.from(
    { length: 2_300 },
    () => book.add(scriptedOrder(network, owner, [tokens.WETH.address, tokens.USDC.address])).uid,
  )
  const query = `{ orders(owner: "${owner}", first: 1000) { isComplete nodes { uid } } }`
  const read = () => dataOf(query).catch(() => undefined)
  const first = await eventually('the newest are read', read)
  expect(first.orders.nodes).toHaveLength(1_000)
  await eventually('the list is read to its end', async () => (await read())?.orders.isComplete)
  const last = await rest(`/api/v1/account/${owner}/orders?offset=2000&limit=1000`)
  expect(last.body.map(({ uid }: { uid: string }) => uid)).toEqual(uids.slice(0, 300).toReversed())
  expect(last.headers.get('x-is-complete')).toBeNull()
  expect(await sql(database.db).order.count({ where: { owner: Buffer.from('b1'.repeat(20), 'hex') } })).toBe(
    2_300,
  )
}, 60_000)
