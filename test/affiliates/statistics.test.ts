import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createStatistics } from '../../src/affiliates/statistics.ts'
import { Outage } from '../../src/domain/errors/error.ts'
import type { Address } from '../../src/domain/evm/address.ts'
import { keccakText } from '../../src/domain/evm/keccak.ts'
import type { TradingServices } from '../../src/graphql/context/networks.ts'
import { storeAppData } from '../../src/storage/app-data.ts'
import { coin, dollar, nativeMarker, numbered, wrapped } from '../fakes/order.ts'
import { storeContest, storeSettlement } from '../fakes/solutions.ts'
import { storeOrder } from '../fakes/story.ts'
import { connectDirectly } from '../setup/database.ts'
import { network, openTestServer, type TestServer } from '../setup/server.ts'
import { graphql, request } from '../setup/trader.ts'

const unit = 10n ** 18n
const [wallet, trader, capped, idle] = [numbered('a1'), numbered('b1'), numbered('b2'), numbered('b3')]
/** A native coin of 2,000 dollars, a dollar of 6 decimals, a coin of half a dollar. */
const nativePrices = new Map([
  [wrapped, unit],
  [dollar, 10n ** 30n / 2_000n],
  [coin, unit / 4_000n],
])
/** The time of the server's clock. */
const computedAt = '2027-01-15T08:00:00Z'
const txHash = `0x${'ab'.repeat(32)}` as const

const decimals = new Map<Address, number>([[dollar, 6]])
const tokens: TradingServices['tokens'] = async (addresses) =>
  new Map(
    addresses.map((token) => [
      token,
      {
        chainId: network.chainId,
        address: token,
        symbol: token === coin ? null : token.slice(2, 5).toUpperCase(),
        name: null,
        decimals: token === coin ? null : (decimals.get(token) ?? 18),
      },
    ]),
  )

let server: TestServer
let client: Awaited<ReturnType<typeof connectDirectly>>
let auctions = 0n

async function register(code: string, owner: Address, more: { volumeCap?: number } = {}): Promise<void> {
  const bytes = (hex: string) => Buffer.from(hex.slice(2), 'hex')
  await client.query(
    `INSERT INTO affiliates (wallet, code, digest, signed_message, created_at, reward_amount, trigger_volume, time_cap_days,
       volume_cap, revenue_split_affiliate_pct, revenue_split_trader_pct, revenue_split_dao_pct)
     VALUES ($1, $2, $3, '', '2027-01-01', 20, 4000, 90, $4, 30, 50, 20)`,
    [bytes(owner), code, bytes(owner.padEnd(66, '0')), more.volumeCap ?? 0],
  )
}

interface TradeWish {
  owner: Address
  day: number
  code: string | null
  sellToken?: Address
  buyToken?: Address
  sell?: bigint
  /** Owns the order, which was placed on chain. */
  contract?: Address
  /** The settlement belongs to no auction of this service. */
  isForeign?: boolean
}

/** Stores a trade of one wrapped native coin by default. @returns the UID */
async function trade(wish: TradeWish): Promise<string> {
  const {
    owner,
    contract,
    day,
    code,
    sellToken = wrapped,
    buyToken = dollar,
    sell = unit,
    isForeign = false,
  } = wish
  const { db } = server.database
  const at = new Date(Date.UTC(2027, 0, day, 12))
  const fullAppData = JSON.stringify(code === null ? {} : { metadata: { referrer: { code } } })
  auctions++
  const order = await storeOrder(db, {
    owner: contract ?? owner,
    onchainUser: contract ? owner : null,
    sellToken,
    buyToken,
    fullAppData,
    appData: keccakText(fullAppData),
    creationDate: at,
    validTo: 2_000_000_000 - Number(auctions),
  })
  await storeContest(db, { id: auctions, orders: [order], solutions: [], nativePrices })
  await client.query('UPDATE auctions SET created_at = $2 WHERE id = $1', [auctions.toString(), at])
  await storeSettlement(db, {
    txHash,
    blockNumber: Number(auctions),
    logIndex: 2,
    auctionId: isForeign ? null : auctions,
    solver: numbered('51'),
    trades: [{ order, sell, buy: 1_500_000n }],
  })
  return order.uid
}

const read = (what: string, address: string) => request(`${server.url}/affiliate/${what}/${address}`)
const uids: string[] = []

beforeAll(async () => {
  server = await openTestServer({
    tokens,
    network: { ...network, wrappedNative: wrapped, usdReference: dollar },
  })
  client = await connectDirectly(server.database.url)
  await register('ALPHA', wallet)
  await register('CAPPED', numbered('a2'), { volumeCap: 3_000 })
  await register('QUIET', numbered('a3'))
  const own = { owner: trader }
  uids.push(
    await trade({ ...own, day: 2, code: 'UNKNOWN' }),
    await trade({ ...own, day: 3, code: 'alpha' }),
    await trade({ ...own, day: 4, code: null }),
    await trade({ ...own, day: 5, code: 'QUIET' }),
    await trade({ ...own, day: 6, code: 'ALPHA', isForeign: true }),
    await trade({
      ...own,
      day: 7,
      code: 'ALPHA',
      sellToken: coin,
      buyToken: nativeMarker,
      sell: 5_001n * unit,
    }),
  )
  await trade({ owner: capped, day: 3, code: 'CAPPED' })
  await trade({ owner: capped, day: 4, code: 'CAPPED' })
  await trade({ owner: capped, day: 5, code: 'CAPPED' })
  await trade({ owner: idle, day: 3, code: 'ALPHA', sell: unit / 2n, contract: numbered('ef') })
})
afterAll(async () => {
  await client?.end()
  await server?.[Symbol.asyncDispose]()
})

describe('an affiliate', () => {
  test('gets the volume of its traders, and its part of the rewards of each', async () => {
    const { status, body } = await read('affiliate-stats', wallet)
    expect(status).toBe(200)
    // 2,000 and 2,500.5 of one trader, 1,000 of the other: one full 4,000, and the other is nearer to the
    // next.
    expect(body).toEqual({
      affiliate_address: wallet,
      referrer_code: 'ALPHA',
      total_volume: 5_500.5,
      trigger_volume: 4_000,
      total_earned: 6,
      paid_out: 0,
      next_payout: 6,
      left_to_next_reward: 3_000,
      active_traders: 2,
      total_traders: 2,
      lastUpdatedAt: computedAt,
    })
  })

  test('whose traders reached their volume cap has no active traders, and no next reward', async () => {
    const { body } = await read('affiliate-stats', numbered('A2').replace('0X', '0x'))
    expect(body).toMatchObject({
      total_volume: 3_000,
      total_earned: 0,
      left_to_next_reward: 0,
      active_traders: 0,
      total_traders: 1,
    })
    expect((await read('trader-stats', capped)).body).toMatchObject({
      eligible_volume: 3_000,
      left_to_next_rewards: 0,
    })
  })

  test('without traders has zeros', async () => {
    const { status, body } = await read('affiliate-stats', numbered('a3'))
    expect(status).toBe(200)
    expect(body).toMatchObject({ total_volume: 0, left_to_next_reward: 4_000, total_traders: 0 })
  })
})

describe('a trader', () => {
  test('gets the bound code, the binding period and the trader part of the rewards', async () => {
    const { status, body } = await read('trader-stats', trader)
    expect(status).toBe(200)
    expect(body).toEqual({
      trader_address: trader,
      bound_referrer_code: 'ALPHA',
      linked_since: '2027-01-03T12:00:00Z',
      rewards_end: '2027-04-03T12:00:00Z',
      eligible_volume: 4_500.5,
      left_to_next_rewards: 3_499.5,
      trigger_volume: 4_000,
      total_earned: 10,
      paid_out: 0,
      next_payout: 10,
      lastUpdatedAt: computedAt,
    })
  })

  test('gets the trades that name a code, newest first, and why some are not eligible', async () => {
    const { status, body } = await read('trader-activity', trader)
    expect(status).toBe(200)
    expect(body.lastUpdatedAt).toBe(computedAt)
    expect(
      body.rows.map((row: Record<string, unknown>) => [
        row.creation_date,
        row.order_uid,
        row.referrer_code,
        row.usd_value,
        row.eligible_volume_usd,
        row.eligibility_reason,
        row.is_bound_to_code,
        row.is_eligible,
      ]),
    ).toEqual([
      ['2027-01-07T12:00:00Z', uids[5], 'ALPHA', 2_500.5, 2_500.5, 'eligible', true, true],
      ['2027-01-06T12:00:00Z', uids[4], 'ALPHA', null, 0, 'no_dollar_value', true, false],
      ['2027-01-05T12:00:00Z', uids[3], 'QUIET', 2_000, 0, 'other_code', false, false],
      ['2027-01-03T12:00:00Z', uids[1], 'ALPHA', 2_000, 2_000, 'eligible', true, true],
      ['2027-01-02T12:00:00Z', uids[0], 'UNKNOWN', 2_000, 0, 'before_binding', false, false],
    ])
    expect(body.rows[3]).toEqual({
      chain_id: network.chainId,
      creation_date: '2027-01-03T12:00:00Z',
      tx_hash: txHash,
      order_uid: uids[1],
      trader_address: trader,
      sell_token: wrapped,
      buy_token: dollar,
      sell_token_symbol: 'AAA',
      buy_token_symbol: 'BBB',
      executed_sell_amount: '1',
      executed_buy_amount: '1.5',
      usd_value: 2_000,
      eligible_volume_usd: 2_000,
      referrer_code: 'ALPHA',
      bound_referrer_code: 'ALPHA',
      eligibility_reason: 'eligible',
      is_bound_to_code: true,
      is_eligible: true,
    })
    // A token without metadata has no symbol, and its amounts are in atoms.
    expect(body.rows[0]).toMatchObject({ sell_token: coin, executed_sell_amount: String(5_001n * unit) })
    expect(body.rows[0]).not.toHaveProperty('sell_token_symbol')
  })

  test('counts up to the cap, and in part where a trade crosses it', async () => {
    const { body } = await read('trader-activity', capped)
    expect(
      body.rows.map((row: Record<string, unknown>) => [row.eligible_volume_usd, row.eligibility_reason]),
    ).toEqual([
      [0, 'volume_cap_reached'],
      [1_000, 'eligible'],
      [2_000, 'eligible'],
    ])
  })

  test('stays bound when the code is switched off, but a new trader is not bound to it', async () => {
    const [early, late] = [numbered('c1'), numbered('c2')]
    await register('SWITCH', numbered('a4'))
    await client.query(`INSERT INTO affiliate_switches VALUES ('SWITCH', '2027-01-05', false)`)
    await client.query(`INSERT INTO affiliate_switches VALUES ('SWITCH', '2027-01-08', true)`)
    await trade({ owner: early, day: 4, code: 'SWITCH' })
    await trade({ owner: early, day: 6, code: 'SWITCH' })
    await trade({ owner: late, day: 6, code: 'SWITCH' })
    expect((await read('trader-stats', early)).body).toMatchObject({ eligible_volume: 4_000 })
    expect((await read('trader-stats', late)).status).toBe(404)
    expect((await read('trader-activity', late)).body.rows).toMatchObject([
      { bound_referrer_code: null, eligibility_reason: 'not_bound', is_bound_to_code: false },
    ])
  })

  test('whose document is stored after the trade is bound by it as well', async () => {
    const owner = numbered('c3')
    const uid = await trade({ owner, day: 4, code: null })
    const document = JSON.stringify({ appCode: 'Shop', metadata: { referrer: { code: 'ALPHA' } } })
    const bytes = (hex: string) => Buffer.from(hex.slice(2), 'hex')
    await client.query('UPDATE orders SET app_data = $2 WHERE uid = $1', [
      bytes(uid),
      bytes(keccakText(document)),
    ])
    await storeAppData(server.database.db, keccakText(document), document)
    expect((await read('trader-stats', owner)).body).toMatchObject({ bound_referrer_code: 'ALPHA' })
  })
})

test('switching a code is recorded once for each change', async () => {
  await register('NOTED', numbered('a5'))
  for (const enabled of [false, false, true])
    await client.query(`UPDATE affiliates SET enabled = $1 WHERE code = 'NOTED'`, [enabled])
  const { rows } = await client.query(
    `SELECT enabled FROM affiliate_switches WHERE code = 'NOTED' ORDER BY at`,
  )
  expect(rows).toEqual([{ enabled: false }, { enabled: true }])
})

test('an address without statistics gets 404, and no activity', async () => {
  const unknown = numbered('ee')
  const answers = await Promise.all(
    ['affiliate-stats', 'trader-stats', 'trader-activity'].map((what) => read(what, unknown)),
  )
  expect(answers.map(({ status, body }) => [status, body])).toEqual([
    [404, { message: 'Affiliate stats not found' }],
    [404, { message: 'Trader stats not found' }],
    [200, { rows: [], lastUpdatedAt: computedAt }],
  ])
})

test.each([['0x12'], ['nobody'], ['b1'.repeat(20)]])('%s is not an address', async (text) => {
  for (const what of ['affiliate-stats', 'trader-stats', 'trader-activity']) {
    const { status, body } = await read(what, text)
    expect([status, body]).toEqual([400, { message: expect.stringContaining('must be an address') }])
  }
})

test('GraphQL returns the same, in pages', async () => {
  const page = (after: string | null) =>
    graphql(
      server.url,
      `query ($trader: Address!, $wallet: Address!, $after: String) {
        affiliateStatistics(wallet: $wallet) { code totalVolume totalEarned paidOut leftToNextReward activeTraders }
        traderStatistics(account: $trader) { boundCode eligibleVolume totalEarned linkedSince }
        traderActivity(account: $trader, first: 2, after: $after) {
          nodes { chainId usdValue eligibility trade { orderUid sellAmount } } edges { cursor } pageInfo { hasNextPage endCursor }
        }
      }`,
      { trader, wallet, after },
    )
  const { traderActivity: first, ...statistics } = await page(null)
  expect(statistics).toEqual({
    affiliateStatistics: {
      code: 'ALPHA',
      totalVolume: '5500.5',
      totalEarned: '6',
      paidOut: '0',
      leftToNextReward: '3000',
      activeTraders: 2,
    },
    traderStatistics: {
      boundCode: 'ALPHA',
      eligibleVolume: '4500.5',
      totalEarned: '10',
      linkedSince: '2027-01-03T12:00:00Z',
    },
  })
  expect(first.nodes).toMatchObject([
    { chainId: network.chainId, usdValue: '2500.5', eligibility: 'ELIGIBLE', trade: { orderUid: uids[5] } },
    {
      usdValue: null,
      eligibility: 'NO_DOLLAR_VALUE',
      trade: { orderUid: uids[4], sellAmount: String(unit) },
    },
  ])
  const { traderActivity: second } = await page(first.pageInfo.endCursor)
  const { traderActivity: third } = await page(second.pageInfo.endCursor)
  const pages = [first, second, third]
  expect(pages.map(({ pageInfo }) => pageInfo.hasNextPage)).toEqual([true, true, false])
  expect(
    pages.flatMap(({ nodes }) => nodes.map((node: { trade: { orderUid: string } }) => node.trade.orderUid)),
  ).toEqual([uids[5], uids[4], uids[3], uids[1], uids[0]])
})

describe('without the setting', () => {
  let closed: TestServer
  beforeAll(async () => {
    closed = await openTestServer({}, { features: { cms: true, statistics: false } })
  })
  afterAll(() => closed?.[Symbol.asyncDispose]())

  test.each(['affiliate-stats', 'trader-stats', 'trader-activity'])(
    '%s is refused with the setting',
    async (what) => {
      for (const address of [wallet, 'nobody']) {
        const { status, body } = await request(`${closed.url}/affiliate/${what}/${address}`)
        expect([status, body]).toEqual([503, { message: expect.stringContaining('DUNE_API_KEY') }])
      }
    },
  )

  test.each([
    `affiliateStatistics(wallet: "${wallet}") { code }`,
    `traderStatistics(account: "${wallet}") { boundCode }`,
    `traderActivity(account: "${wallet}", first: 0) { computedAt }`,
  ])('GraphQL refuses %s', async (field) => {
    const { body } = await request(`${closed.url}/graphql`, 'POST', { query: `{ ${field} }` })
    expect(body.errors[0].extensions.code).toBe('FeatureDisabled')
  })
})

test('statistics are unavailable while the decimals of the dollar cannot be read', async () => {
  const failingTokens: TradingServices['tokens'] = async (addresses) =>
    new Map(addresses.map((token) => [token, new Outage('the node')]))
  await using failingServer = await openTestServer({
    tokens: failingTokens,
    network: { ...network, usdReference: dollar },
  })
  const { status, body } = await request(`${failingServer.url}/affiliate/trader-stats/${trader}`)
  expect([status, Object.keys(body)]).toEqual([503, ['message']])
})

test('concurrent clients, and later ones within seconds, share one computation', async () => {
  const { db, statements } = server.database
  let now = 1_800_000_000_000
  const networks = [{ network: { ...network, usdReference: dollar }, tokens }]
  const statistics = createStatistics({ db, now: () => now, networks })
  const before = statements.length
  const compute = () =>
    Promise.all(
      Array.from({ length: 50 }, () => [
        statistics.ofAffiliate(wallet, 'somebody'),
        statistics.ofTrader(trader, 'somebody else'),
        statistics.activityOf(trader, { first: 2, after: null }, 'somebody'),
      ]).flat(),
    )
  await compute()
  now += 10_000
  await compute()
  expect(statements.length - before).toBe(3)
  now += 1
  const [again] = await compute()
  expect(again?.computedAt).toEqual(new Date(now))
  expect(statements.length - before).toBe(6)
  await statistics.activityOf(trader, { first: 3, after: null }, 'somebody')
  expect(statements.length - before).toBe(7)
})

describe('a client with many requests', () => {
  let gate: Promise<void> | undefined
  let open: () => void
  const gated: TradingServices['tokens'] = async (addresses) => {
    await gate
    return tokens(addresses)
  }
  function start() {
    gate = new Promise((resolve) => {
      open = resolve
    })
    const networks = [{ network: { ...network, usdReference: dollar }, tokens: gated }]
    const statistics = createStatistics({ db: server.database.db, now: () => 1_800_000_000_000, networks })
    const page = (first: number, by: string) => statistics.activityOf(trader, { first, after: null }, by)
    return { statistics, page }
  }

  test('has one slot at a time, and leaves a slot to another client', async () => {
    const { statistics, page } = start()
    const flood = Array.from({ length: 9 }, (_, of) => page(of + 1, 'flood'))
    await expect(page(10, 'flood')).rejects.toThrow('the computation of statistics is unavailable')
    gate = undefined
    expect(await statistics.ofTrader(trader, 'modest')).toMatchObject({ code: 'ALPHA' })
    // A computation that is queued for one client starts at once for a client with a free slot.
    expect((await page(9, 'modest')).trades.length).toBeGreaterThan(0)
    open()
    expect(await Promise.all(flood)).toHaveLength(9)
  })

  test('gets an outage when no slot is free in time', async () => {
    const { page } = start()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const first = page(1, 'flood')
    const second = page(2, 'flood').catch((fault: unknown) => fault)
    vi.advanceTimersByTime(5_000)
    vi.useRealTimers()
    expect(await second).toMatchObject({ name: 'Outage', cause: 'no slot was free in time' })
    open()
    expect((await first).trades.length).toBeGreaterThan(0)
  })
})

test("after a trader's binding period no volume is left to the next reward", async () => {
  const { db } = server.database
  const networks = [{ network: { ...network, usdReference: dollar }, tokens }]
  const at = (time: string) =>
    createStatistics({ db, now: () => Date.parse(time), networks }).ofTrader(trader, 'somebody')
  expect(await at('2027-04-03T11:59:59.999Z')).toMatchObject({ leftToNextReward: (6_999n * unit) / 2n })
  expect(await at('2027-04-03T12:00:00Z')).toMatchObject({ leftToNextReward: 0n })
})

test('a cursor keeps its place while earlier and later trades are added', async () => {
  const owner = numbered('c4')
  const own = { owner, code: 'ALPHA' }
  const page = async (after: string | null) => {
    const { traderActivity } = await graphql(
      server.url,
      `query ($owner: Address!, $after: String) {
        traderActivity(account: $owner, first: 2, after: $after) { nodes { trade { orderUid } } pageInfo { endCursor hasNextPage } }
      }`,
      { owner, after },
    )
    const { nodes, pageInfo } = traderActivity
    return {
      uids: nodes.map((node: { trade: { orderUid: string } }) => node.trade.orderUid),
      end: pageInfo.endCursor,
      isLast: !pageInfo.hasNextPage,
    }
  }
  const [third, fifth, seventh] = [
    await trade({ ...own, day: 3 }),
    await trade({ ...own, day: 5 }),
    await trade({ ...own, day: 7 }),
  ]
  const first = await page(null)
  expect(first.uids).toEqual([seventh, fifth])
  const second = await trade({ ...own, day: 2 })
  await trade({ ...own, day: 6 })
  await trade({ ...own, day: 8 })
  expect(await page(first.end)).toMatchObject({ uids: [third, second], isLast: true })
})

test.each(['', 'nonsense', 'o1.2', 'a1.2', 'a1.2.3.4.5', 'a1.2.3.x', 'a1.2.3.1234567890123456789'])(
  'a cursor of %j is refused',
  async (text) => {
    const after = Buffer.from(text).toString('base64url')
    const query = `{ traderActivity(account: "${trader}", after: "${after}") { computedAt } }`
    const { body } = await request(`${server.url}/graphql`, 'POST', { query })
    expect(body.errors[0].extensions).toMatchObject({ code: 'InvalidParameter', field: 'after' })
  },
)
