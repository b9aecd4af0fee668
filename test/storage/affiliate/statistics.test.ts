import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { leftToNext, rewardsOf, termsOf } from '../../../src/domain/affiliate/affiliate.ts'
import type { Address } from '../../../src/domain/evm/address.ts'
import { affiliateTotals, traderActivity, traderTotals } from '../../../src/storage/affiliate/statistics.ts'
import {
  type Binding,
  bindingOf,
  dollarValueDown,
  isActive,
  judgeTrades,
  type Offer,
} from '../../fakes/affiliate-programme.ts'
import { nativeMarker, numbered } from '../../fakes/order.ts'
import { connectDirectly, createTestDatabase, emptyTables, type TestDatabase } from '../../setup/database.ts'

let database: TestDatabase
let client: Awaited<ReturnType<typeof connectDirectly>>
beforeAll(async () => {
  database = await createTestDatabase()
  client = await connectDirectly(database.url)
})
afterAll(async () => {
  await client?.end()
  await database?.[Symbol.asyncDispose]()
})

/** Few and coarse, so that times coincide. */
const stepMs = 6 * 3_600_000
const start = Date.UTC(2026, 5, 1)
const dollar = numbered('dd')
const token = numbered('cc')
const traders = [numbered('01'), numbered('02'), numbered('0a')]
const codes = ['ALPHA', 'BRAVO', 'CHARLIE']
/** The third trader has a code of his own. */
const wallets = [numbered('08'), numbered('09'), numbered('0a')]
/** Where the token that is sold is the wrapped coin. */
const wrapping = 5
const decimals = new Map([
  [1, 6],
  [5, 18],
  [7, null],
])
const networks = [...decimals].map(([chainId, digits]) => ({
  chainId,
  wrappedNative: chainId === wrapping ? token : dollar,
  reference: digits === null ? null : { token: dollar, decimals: digits },
}))

const step = fc.integer({ min: 0, max: 16 })
/** Mostly round, so that volumes hit their caps. */
const price = fc.option(
  fc.oneof(fc.constant(10n ** 18n), fc.constant(10n ** 18n), fc.bigInt(1n, 10n ** 30n)),
  {
    freq: 8,
  },
)
const amount = fc.oneof(
  fc.constantFrom(5n * 10n ** 5n, 10n ** 6n, 5n * 10n ** 17n, 10n ** 18n),
  fc.bigInt(1n, 10n ** 25n),
)
const history = fc.record({
  affiliates: fc.tuple(
    ...codes.map(() =>
      fc.record({
        createdAt: fc.integer({ min: 0, max: 4 }),
        /** When the programme is switched off, on, off … */
        switches: fc.uniqueArray(step, { maxLength: 3 }).map((steps) => steps.sort((a, b) => a - b)),
        timeCapDays: fc.integer({ min: 1, max: 3 }),
        volumeCap: fc.constantFrom<string>('0', '1.5', '1000', '1000000000'),
        triggerVolume: fc.constantFrom<string>('0.000000000000000001', '1', '7.25', '250000'),
      }),
    ),
  ),
  trades: fc.array(
    fc.record({
      trader: fc.constantFrom(...traders),
      chainId: fc.constantFrom<number>(1, 1, 5, 7, 9),
      block: fc.integer({ min: 1, max: 3 }),
      code: fc.constantFrom<string | null>('ALPHA', 'ALPHA', 'ALPHA', 'BRAVO', 'CHARLIE', 'NOBODY', null),
      time: step,
      isOurs: fc.constantFrom(true, true, true, false),
      bought: fc.constantFrom<Address>(dollar, dollar, dollar, token, nativeMarker),
      amount,
      sold: price,
      reference: price,
    }),
    { maxLength: 25 },
  ),
  now: step,
})
type History = typeof history extends fc.Arbitrary<infer T> ? T : never

const usual = { switches: [], timeCapDays: 1, volumeCap: '0', triggerVolume: '7.25' }
const unit = 10n ** 18n
const [first = '0x', second = '0x', third = '0x'] = traders

/** A trade of one dollar unless another amount is given. */
function traded(trader: Address, code: string, time: number, amount = unit): History['trades'][number] {
  const market = { sold: unit, reference: unit, isOurs: true, bought: dollar }
  return { trader, chainId: 5, block: 1, code, time, amount, ...market }
}

/** Each limit is met exactly. */
const boundaries: History = {
  affiliates: [
    { ...usual, createdAt: 1, volumeCap: '1.5' },
    { ...usual, createdAt: 2, switches: [4, 6] },
    { ...usual, createdAt: 0 },
  ],
  trades: [
    traded(first, 'ALPHA', 0),
    traded(first, 'ALPHA', 1, unit / 2n),
    traded(first, 'ALPHA', 2),
    traded(first, 'ALPHA', 3),
    traded(second, 'BRAVO', 4),
    traded(second, 'BRAVO', 6),
    traded(second, 'BRAVO', 9),
    traded(second, 'BRAVO', 10),
    traded(third, 'CHARLIE', 2),
    traded(third, 'BRAVO', 7),
  ],
  now: 10,
}

/**
 * Both earn part of a reward, but only the first can get it: the second's would need 2 dollars, over the cap.
 */
const outOfReach: History = {
  affiliates: [
    { ...usual, createdAt: 1, volumeCap: '1.5', triggerVolume: '1' },
    { ...usual, createdAt: 1 },
    { ...usual, createdAt: 1 },
  ],
  trades: [traded(first, 'ALPHA', 2, unit / 4n), traded(second, 'ALPHA', 2, (unit * 7n) / 5n)],
  now: 3,
}

/** The cap has room for exactly one more reward. */
const justInReach: History = {
  affiliates: [
    { ...usual, createdAt: 1, volumeCap: '1.5', triggerVolume: '0.75' },
    { ...usual, createdAt: 1 },
    { ...usual, createdAt: 1 },
  ],
  trades: [traded(first, 'ALPHA', 2, unit)],
  now: 3,
}

/**
 * Two in one block, of which the first binds and the second would; then more than the cap, with more after
 * it.
 */
const tooMuch: History = {
  affiliates: [
    { ...usual, createdAt: 1, volumeCap: '1.5', triggerVolume: '1' },
    { ...usual, createdAt: 1 },
    { ...usual, createdAt: 1 },
  ],
  trades: [
    traded(first, 'BRAVO', 2),
    traded(first, 'ALPHA', 2, 2n * unit),
    traded(first, 'ALPHA', 3),
    traded(first, 'ALPHA', 3),
  ],
  now: 4,
}

/**
 * In one block the last one comes first, so that row order differs from log order; one has more digits than
 * the next.
 */
const lastLog = 100

const timeOf = (steps: number) => start + steps * stepMs
const bytes = (hex: string) => `\\x${hex.slice(2)}`

/** The last one first: row order must not matter. */
async function insert(table: string, rows: readonly object[]): Promise<void> {
  const [first] = rows
  if (!first) return
  const columns = Object.keys(first).join(', ')
  await client.query(
    `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM json_populate_recordset(null::${table}, $1)`,
    [JSON.stringify(rows.toReversed())],
  )
}

async function store({ affiliates, trades }: History): Promise<void> {
  await emptyTables(client)
  const at = (steps: number) => new Date(timeOf(steps))
  await insert(
    'affiliates',
    affiliates.map(({ createdAt, switches, timeCapDays, volumeCap, triggerVolume }, index) => ({
      wallet: bytes(wallets[index] ?? '0x'),
      code: codes[index],
      digest: bytes(`0x0${index}`.padEnd(66, '0')),
      signed_message: bytes('0x'),
      enabled: switches.length % 2 === 0,
      created_at: at(createdAt),
      reward_amount: 20,
      trigger_volume: triggerVolume,
      time_cap_days: timeCapDays,
      volume_cap: volumeCap,
      revenue_split_affiliate_pct: 50,
      revenue_split_trader_pct: 50,
      revenue_split_dao_pct: 0,
    })),
  )
  await insert(
    'affiliate_switches',
    affiliates.flatMap(({ switches }, index) =>
      switches.map((switched, which) => ({ code: codes[index], at: at(switched), enabled: which % 2 === 1 })),
    ),
  )
  const nothing = bytes('0x')
  const orders = trades.map(({ trader, chainId, code, time, isOurs }, id) => {
    const names = {
      sell_token_balance: 'erc20',
      buy_token_balance: 'erc20',
      signing_scheme: 'eip712',
      class: 'limit',
    }
    const amounts = { sell_amount: 1, buy_amount: 1, fee_amount: 0, executed_sell: 0, executed_buy: 0 }
    const progress = { executed_signed_fee: 0, executed_fee: 0, invalidated: false, presigned: false }
    const flags = { partially_fillable: false, full_balance_check: false, kind: 'sell' }
    const blank = { buy_token: nothing, app_data: nothing, signature: nothing, settlement: nothing }
    const times = { created_at: at(isOurs ? 0 : time), valid_to: 1, effective_valid_to: 1 }
    const who = {
      id,
      chain_id: chainId,
      uid: bytes(`0x${id.toString(16).padStart(112, '0')}`),
      owner: bytes(trader),
    }
    const own = { ...who, sell_token: bytes(token), referrer_code: code }
    return { ...own, ...names, ...amounts, ...progress, ...flags, ...blank, ...times }
  })
  await insert('orders', orders)
  await insert(
    'trades',
    trades.map(({ trader, chainId, block, isOurs, amount, bought }, id) => ({
      chain_id: chainId,
      block_number: block,
      log_index: lastLog - id,
      order_id: id,
      order_uid: nothing,
      owner: bytes(trader),
      sell_token: bytes(token),
      buy_token: bytes(bought),
      sell_amount: amount.toString(),
      buy_amount: 1,
      fee_amount: 0,
      tx_hash: nothing,
      auction_id: isOurs ? id : null,
    })),
  )
  const auctions = trades.flatMap((trade, id) => (trade.isOurs ? [{ ...trade, id }] : []))
  await insert(
    'auctions',
    auctions.map(({ id, chainId, time }) => {
      return { id, chain_id: chainId, block: 1, deadline_block: 2, created_at: at(time) }
    }),
  )
  const prices = auctions.flatMap(({ id, sold, reference }) => [
    { auction_id: id, token: bytes(token), price: sold?.toString() },
    { auction_id: id, token: bytes(dollar), price: reference?.toString() },
  ])
  await insert(
    'auction_prices',
    prices.filter(({ price }) => price !== undefined),
  )
}

/** Applies the rules to one trader at a time. */
function expectedOf({ affiliates, trades, now }: History) {
  const offers = new Map<string, Offer>(
    affiliates.map(({ createdAt, switches, ...programme }, index) => [
      codes[index] ?? '',
      {
        wallet: wallets[index] ?? '0x',
        createdAt: timeOf(createdAt),
        timeCapDays: programme.timeCapDays,
        wasEnabled: (at) => switches.filter((switched) => timeOf(switched) <= at).length % 2 === 0,
        terms: termsOf({
          ...programme,
          rewardAmount: '20',
          revenueSplitAffiliatePct: '50',
          revenueSplitTraderPct: '50',
          revenueSplitDaoPct: '0',
        }),
      },
    ]),
  )
  const valued = ({ chainId, isOurs, amount, sold, reference }: History['trades'][number]) => {
    const digits = decimals.get(chainId)
    if (!isOurs || sold === null || reference === null || digits == null) return null
    return dollarValueDown({ amount, price: sold }, { price: reference, decimals: digits })
  }
  return traders.map((trader) => {
    const own = trades
      .map((trade, id) => ({ ...trade, id }))
      .filter((trade) => trade.trader === trader)
      .flatMap((trade) =>
        trade.code === null
          ? []
          : [
              {
                ...trade,
                code: trade.code,
                time: timeOf(trade.time),
                value: valued(trade),
                isOneToken:
                  trade.bought === token || (trade.bought === nativeMarker && trade.chainId === wrapping),
              },
            ],
      )
      .sort((a, b) => a.time - b.time || a.chainId - b.chainId || a.block - b.block || b.id - a.id)
    const binding = bindingOf(trader, own, offers)
    const judged = judgeTrades(own, binding)
    const volume = judged.reduce((sum, { eligibleVolume }) => sum + eligibleVolume, 0n)
    const rows = own
      .map(({ chainId, id, code, time, value }, index) => ({
        chainId,
        id,
        code,
        time,
        value,
        ...judged[index],
      }))
      .filter(({ chainId }) => decimals.has(chainId))
    return {
      trader,
      binding,
      volume,
      rows,
      active: binding !== undefined && isActive(binding, volume, timeOf(now)),
    }
  })
}

function totalsOf(members: { binding: Binding; volume: bigint; active: boolean }[]) {
  return {
    totalVolume: members.reduce((sum, { volume }) => sum + volume, 0n),
    rewards: members.reduce((sum, { volume, binding }) => sum + rewardsOf(volume, binding.terms), 0n),
    nearest: members
      .filter(({ active, volume, binding }) => active && leftToNext(volume, binding.terms) > 0n)
      .map(({ volume, binding }) => volume % binding.terms.triggerVolume)
      .reduce((max, one) => (one > max ? one : max), 0n),
    activeTraders: members.filter(({ active }) => active).length,
    totalTraders: members.length,
  }
}

test('the database’s statistics of traders and affiliates equal those of the rules', async () => {
  const property = fc.asyncProperty(history, async (given) => {
    await store(given)
    const { db } = database
    const expected = expectedOf(given)
    for (const { trader, binding, volume, rows } of expected) {
      const totals = await traderTotals(db, trader, networks)
      expect(
        totals && [totals.affiliate.code, +totals.linkedSince, +totals.rewardsEnd, totals.eligibleVolume],
      ).toEqual(binding && [binding.code, binding.linkedSince, binding.rewardsEnd, volume])
      const activity = await traderActivity(db, trader, networks, { first: 100, after: null })
      expect(
        activity.map(({ trade, code, boundCode, time, value, eligibility, eligibleVolume }) => {
          expect(boundCode).toBe(binding?.code ?? null)
          return {
            chainId: trade.chainId,
            id: lastLog - trade.logIndex,
            code,
            time: +time,
            value,
            eligibility,
            eligibleVolume,
          }
        }),
      ).toEqual(rows.toReversed())
      const middle = activity[3]?.place ?? null
      const page = await traderActivity(db, trader, networks, { first: 2, after: middle })
      expect(page).toEqual(middle === null ? activity.slice(0, 2) : activity.slice(4, 6))
    }
    for (const [index, wallet] of wallets.entries()) {
      const members = expected.flatMap(({ binding, volume, active }) =>
        binding && binding.code === codes[index] ? [{ binding, volume, active }] : [],
      )
      const { affiliate, ...totals } =
        (await affiliateTotals(db, wallet, networks, new Date(timeOf(given.now)))) ?? {}
      expect(affiliate?.code).toBe(codes[index])
      expect(totals).toEqual(totalsOf(members))
    }
    expect(await affiliateTotals(db, numbered('07') as Address, networks, new Date(0))).toBe(undefined)
  })
  await fc.assert(property, { numRuns: 40, examples: [[boundaries], [outOfReach], [justInReach], [tooMuch]] })
})
