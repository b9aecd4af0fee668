import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Auction } from '../../../src/domain/auction/auction.ts'
import type { Order } from '../../../src/domain/order/order.ts'
import { operatorCheck } from '../../../src/graphql/context/access.ts'
import { removeCurrentAuction, storeCurrentAuction } from '../../../src/storage/auction/current-auction.ts'
import { sql } from '../../../src/storage/database/database.ts'
import { auctionOrder, dollar, numbered, sampleAuction, wrapped } from '../../fakes/order.ts'
import { recordStatements } from '../../fakes/sent-statements.ts'
import { storeOrder } from '../../fakes/story.ts'
import { network, openTestServer, type TestServer } from '../../setup/server.ts'
import { graphql, request } from '../../setup/trader.ts'

const key = 'the-operators-own-key'
const path = '/sepolia/api/v1/auction'
const unit = 10n ** 18n

let server: TestServer
let statements: ReturnType<typeof recordStatements>
beforeAll(async () => {
  server = await openTestServer({}, { isOperator: operatorCheck(key) })
  statements = recordStatements()
})
beforeEach(() => removeCurrentAuction(server.database.db, network.chainId))
afterAll(async () => {
  statements?.end()
  await server?.[Symbol.asyncDispose]()
})

let ids = 100n
async function show(orders: Auction['orders'], more: Partial<Auction> = {}): Promise<Auction> {
  const auction = { ...sampleAuction(orders), id: ++ids, chainId: network.chainId, ...more }
  await storeCurrentAuction(server.database.db, auction)
  return auction
}

const withAccess = (currentAuction: 'off' | 'operator' | 'public') =>
  openTestServer(
    {},
    {
      db: server.database.db,
      isOperator: operatorCheck(key),
      access: { currentAuction, simulation: 'public', bookFeed: 'public' },
    },
  )

const read = async ({ url }: TestServer, headers: Record<string, string> = {}) => {
  const response = await fetch(`${url}${path}`, { headers })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, body: text && JSON.parse(text) }
}

const question = (selection: string) => `{ currentAuction(network: "sepolia") { ${selection} } }`

describe('who may read it', () => {
  test.each<['off' | 'operator' | 'public', number, string | undefined, string | undefined]>([
    ['off', 403, 'FeatureDisabled', 'FeatureDisabled'],
    ['operator', 401, 'Unauthorized', undefined],
    ['public', 200, undefined, undefined],
  ])('%s', async (level, status, refusal, refusalOfOperator) => {
    await show([])
    await using other = await withAccess(level)
    const strangers = await read(other)
    expect([strangers.status, strangers.body.errorType]).toEqual([status, refusal])
    const operators = await read(other, { 'x-api-key': key })
    expect(operators.body.errorType).toBe(refusalOfOperator)
    const codes = await Promise.all(
      [{}, { 'x-api-key': key }].map(async (headers) => {
        const response = await fetch(`${other.url}/graphql`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body: JSON.stringify({ query: question('auctionId') }),
        })
        const { errors } = (await response.json()) as { errors?: { extensions: { code: string } }[] }
        return errors?.[0]?.extensions.code
      }),
    )
    expect(codes).toEqual([refusal, refusalOfOperator])
  })

  test('is said before anything of the request is read', async () => {
    await using off = await withAccess('off')
    const { body } = await request(`${off.url}/nowhere/api/v1/auction`)
    expect(body).toMatchObject({
      errorType: 'FeatureDisabled',
      description: expect.stringContaining('CURRENT_AUCTION_ACCESS'),
    })
  })
})

test('none is 404, and null in GraphQL', async () => {
  const { status, body } = await read(server)
  expect([status, body.errorType]).toEqual([404, 'NotFound'])
  expect(await graphql(server.url, question('auctionId'))).toEqual({ currentAuction: null })
})

describe('an order partly filled', () => {
  const call = { target: numbered('cc'), value: 0n, callData: '0x12' } as const
  let order: Order
  beforeAll(async () => {
    order = await storeOrder(server.database.db, {
      owner: numbered('31'),
      receiver: null,
      partiallyFillable: true,
      interactions: { pre: [call], post: [{ ...call, callData: '0x34' }] },
    })
  })
  const held = (executedSellAmount: bigint) =>
    auctionOrder({ ...order, executedSellAmount }, [
      { kind: 'volume', factor: 200n },
      { kind: 'surplus', factor: 500_000n, maxVolumeFactor: 10_000n },
    ])

  test('has its signed amounts, what is filled, and no calls before the trade', async () => {
    const owner = numbered('33')
    const { id } = await show([held(unit / 4n)], { surplusCapturingOwners: [owner] })
    const { body } = await read(server)
    expect(body).toMatchObject({ id: Number(id), block: 100, surplusCapturingJitOrderOwners: [owner] })
    expect(body.prices).toMatchObject({ [wrapped]: String(unit) })
    expect(body.orders).toEqual([
      expect.objectContaining({
        uid: order.uid,
        sellAmount: String(order.sellAmount),
        executed: String(unit / 4n),
        receiver: null,
        preInteractions: [],
        postInteractions: [{ target: call.target, value: '0', callData: '0x34' }],
        protocolFees: [{ volume: { factor: 0.0002 } }, { surplus: { factor: 0.5, maxVolumeFactor: 0.01 } }],
      }),
    ])
  })

  test('has them while nothing is filled', async () => {
    await show([held(0n)])
    const { body } = await read(server)
    expect(body.orders[0].preInteractions).toHaveLength(1)
  })

  test('is the same in GraphQL, page by page', async () => {
    const second = await storeOrder(server.database.db, { owner: numbered('32') })
    await show([held(unit / 4n), auctionOrder(second, [])])
    const page = (first: string) =>
      question(`
        nativePrices { price token { address } } surplusCapturingJitOrderOwners
        orders(first: 1${first}) {
          totalCount pageInfo { endCursor hasNextPage }
          nodes { filled order { uid } feePolicies { __typename } }
        }`)
    const { currentAuction: one } = await graphql(server.url, page(''))
    expect(one.orders).toMatchObject({
      totalCount: 2,
      pageInfo: { hasNextPage: true },
      nodes: [
        {
          filled: String(unit / 4n),
          order: { uid: order.uid },
          feePolicies: [{ __typename: 'VolumeFeePolicy' }, { __typename: 'SurplusFeePolicy' }],
        },
      ],
    })
    expect(one.nativePrices.map(({ token }: { token: { address: string } }) => token.address)).toContain(
      dollar,
    )
    const after = page(`, after: "${one.orders.pageInfo.endCursor}"`)
    const { currentAuction: two } = await graphql(server.url, after)
    expect(two.orders.nodes).toEqual([{ filled: '0', order: { uid: second.uid }, feePolicies: [] }])
    expect(two.orders.pageInfo.hasNextPage).toBe(false)
  })
})

test('the auction of a process that leads no more does not replace a newer one', async () => {
  const { id } = await show([])
  await show([], { id: id - 1n, block: 1 })
  expect((await read(server)).body.id).toBe(Number(id))
})

describe('ten thousand orders', () => {
  const count = 10_000

  async function showMany() {
    const { db } = server.database
    const [first] = await sql(db).$queryRaw<{ id: bigint }[]>`
      WITH added AS (
        INSERT INTO orders (chain_id, uid, owner, sell_token, buy_token, sell_amount, buy_amount, valid_to, app_data, fee_amount, kind,
          partially_fillable, sell_token_balance, buy_token_balance, signing_scheme, signature, settlement, class, full_balance_check,
          created_at, effective_valid_to)
        SELECT ${network.chainId}, decode(md5(n::text) || md5(n::text) || repeat('ab', 24), 'hex'), '\\xaa', '\\xbb', '\\xcc', 1000, 1000, 1,
          '\\x00', 0, 'sell', false, 'erc20', 'erc20', 'eip712', decode(repeat('cd', 65), 'hex'), '\\x00', 'limit', false, now(), 1
        FROM generate_series(1, ${count}) n RETURNING id)
      SELECT min(id) AS id FROM added`
    const order = await storeOrder(db, { owner: numbered('33') })
    const start = first?.id ?? 0n
    const orders = Array.from({ length: count }, (_, index) =>
      auctionOrder({ ...order, id: start + BigInt(index) }, [{ kind: 'volume', factor: 200n }]),
    )
    return () => show(orders)
  }

  test('are written once for each auction, however many ask', async () => {
    const again = await showMany()
    await again()
    const sent = await statements.of(async () => {
      const answers = await Promise.all(Array.from({ length: 8 }, () => read(server)))
      expect(answers.map(({ body }) => body.orders.length)).toEqual(answers.map(() => count))
    })
    expect(sent.filter(({ text }) => text.includes('unnest(ca.order_ids'))).toHaveLength(1)

    const { text, headers } = await read(server)
    expect(text.length).toBeGreaterThan(7_000_000)
    const tag = headers.get('etag') ?? expect.fail()
    const same = await read(server, { 'if-none-match': tag })
    expect([same.status, same.text]).toEqual([304, ''])

    await again()
    const newer = await read(server, { 'if-none-match': tag })
    expect([newer.status, newer.headers.get('etag') === tag]).toEqual([200, false])
  })
})
