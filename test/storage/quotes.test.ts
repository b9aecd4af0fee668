import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { maxUint256 } from '../../src/domain/amount.ts'
import { bytesToHex } from '../../src/domain/hex.ts'
import type { QuoteReply } from '../../src/domain/quote.ts'
import {
  deleteExpiredQuotes,
  findQuotes,
  findQuotesFor,
  findReply,
  insertQuote,
} from '../../src/storage/quotes.ts'
import { connectDirectly, emptyTables } from '../fakes/direct-client.ts'
import { holdTransaction } from '../fakes/held-transaction.ts'
import { dollar, numbered, signingDomain, wrapped } from '../fakes/order.ts'
import { quoteOf } from '../fakes/order-desk.ts'
import { createTestDatabase, type TestDatabase } from '../world.ts'

const { chainId } = signingDomain
const now = new Date(1_800_000_000_000)
const later = new Date(1_800_000_060_000)

let database: TestDatabase
let client: Awaited<ReturnType<typeof connectDirectly>>
beforeAll(async () => {
  database = await createTestDatabase()
  client = await connectDirectly(database.url)
})
beforeEach(() => emptyTables(client))
afterAll(async () => {
  await client.end()
  await database[Symbol.asyncDispose]()
})

async function statementsOf<T>(work: () => Promise<T>): Promise<[T, string[]]> {
  const before = database.statements.length
  return [await work(), database.statements.slice(before)]
}

const hex = (bytes: number) => fc.uint8Array({ minLength: bytes, maxLength: bytes }).map(bytesToHex)
const amount = fc.oneof(fc.constantFrom(0n, maxUint256), fc.bigInt(0n, 10n ** 30n))
const calls = fc.array(fc.record({ target: hex(20), value: amount, callData: hex(9) }), {
  minLength: 1,
  maxLength: 3,
})
const hop = fc.record({
  pool: hex(20),
  tokenIn: hex(20),
  tokenOut: hex(20),
  amountIn: amount,
  amountOut: amount,
  reserveIn: amount,
  reserveOut: amount,
})
const path = fc.record({
  amountIn: amount,
  amountOut: amount,
  hops: fc.array(hop, { minLength: 1, maxLength: 3 }),
})
const reply: fc.Arbitrary<QuoteReply> = fc.record({
  quote: fc
    .record({
      sellAmount: amount,
      buyAmount: amount,
      feeAmount: amount,
      verified: fc.boolean(),
      calls: fc.option(fc.record({ preInteractions: calls, interactions: calls }), { nil: null }),
    })
    .map((given) => quoteOf({ ...given, expiration: later })),
  terms: fc.record({
    from: hex(20),
    receiver: fc.option(hex(20), { nil: null }),
    appData: fc.constantFrom('{}', '{"a":"\\u0000 ü \\" \\n"}', `0x${'ab'.repeat(32)}`),
    appDataHash: hex(32),
    sellTokenBalance: fc.constantFrom('erc20' as const, 'external' as const),
    buyTokenBalance: fc.constantFrom('erc20' as const, 'internal' as const),
    signingScheme: fc.constantFrom('eip712' as const, 'presign' as const),
    validTo: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
    volumeFees: fc.array(fc.bigInt(0n, 999_999n), { maxLength: 2 }),
    partnerFees: fc.array(fc.bigInt(0n, 999_999n), { maxLength: 2 }),
  }),
  route: fc.option(fc.record({ block: fc.nat(), paths: fc.array(path, { minLength: 1, maxLength: 2 }) }), {
    nil: null,
  }),
})

describe('a reply', () => {
  test('is stored in one statement, and read back in one as it was given', async () => {
    await fc.assert(
      fc.asyncProperty(reply, async ({ quote: { id: _, ...quote }, ...rest }) => {
        const [id, writes] = await statementsOf(() => insertQuote(database.db, quote, rest))
        const [found, reads] = await statementsOf(() => findReply(database.db, chainId, id))
        expect(found).toEqual({ quote: { ...quote, id }, ...rest })
        expect([writes.length, reads.length]).toEqual([1, 1])
      }),
      { numRuns: 40 },
    )
  })

  test('is there on its own network only, and not for a quote that was made for an order', async () => {
    const { id: _, ...quote } = quoteOf({ expiration: later })
    const [sample] = fc.sample(reply, 1)
    const id = await insertQuote(database.db, quote, sample)
    expect(await findReply(database.db, 1, id)).toBeUndefined()
    expect(await findReply(database.db, chainId, id + 1n)).toBeUndefined()
    const bare = await insertQuote(database.db, quote)
    expect(await findReply(database.db, chainId, bare)).toBeUndefined()
    expect(await findQuotes(database.db, chainId, [bare])).toEqual([{ ...quote, id: bare }])
  })

  test('takes no room for calls that there are none of', async () => {
    const { id: _, ...quote } = quoteOf({ expiration: later })
    const id = await insertQuote(database.db, { ...quote, calls: { preInteractions: [], interactions: [] } })
    const { rows } = await client.query('SELECT metadata, reply FROM quotes')
    expect(rows).toEqual([{ metadata: null, reply: null }])
    expect(await findQuotes(database.db, chainId, [id])).toMatchObject([{ calls: null }])
  })
})

describe('the quotes that an order may use', () => {
  const search = {
    chainId,
    quoteKind: 'standard' as const,
    kind: 'sell' as const,
    sellToken: wrapped,
    buyToken: dollar,
    amount: 10n ** 18n,
    now,
  }
  const store = (overrides: Parameters<typeof quoteOf>[0]) => {
    const { id: _, ...quote } = quoteOf({ expiration: later, ...overrides })
    return insertQuote(database.db, quote)
  }
  const found = async (more: Partial<typeof search> | { kind: 'buy' } = {}) =>
    (await findQuotesFor(database.db, { ...search, ...more })).map(({ id }) => id)

  test('are of its amount, however many others are newer: verified ones first, then by rate', async () => {
    const plain = await store({ buyAmount: 5n })
    const whole = await store({ sellAmount: 10n ** 18n - 7n, feeAmount: 7n, buyAmount: 6n })
    const verified = await store({ buyAmount: 4n, verified: true })
    await client.query(
      `INSERT INTO quotes (chain_id, kind, quote_kind, sell_token, buy_token, sell_amount, buy_amount, fee_amount, gas_amount,
         gas_price, sell_token_price, solver, verified, expiration)
       SELECT chain_id, kind, quote_kind, sell_token, buy_token, 5, 5, 0, 0, 0, '1', solver, true, expiration
       FROM quotes, generate_series(1, 100) LIMIT 300`,
    )
    expect(await found()).toEqual([verified, whole, plain])
  })

  test('hold still, and are of the same pair, side and kind', async () => {
    const own = await store({})
    await store({ expiration: new Date(now.getTime() - 1) })
    await store({ buyToken: numbered('dd') })
    await store({ chainId: 1 })
    await store({ quoteKind: 'presignonchainorder' })
    const bought = await store({ kind: 'buy', sellAmount: 1n, buyAmount: 10n ** 18n })
    expect(await found()).toEqual([own])
    expect(await found({ kind: 'buy' })).toEqual([bought])
  })
})

describe('expired quotes', () => {
  const fill = (count: number) =>
    client.query(
      `INSERT INTO quotes (chain_id, kind, quote_kind, sell_token, buy_token, sell_amount, buy_amount, fee_amount, gas_amount,
         gas_price, sell_token_price, solver, verified, expiration)
       SELECT 1, 'sell', 'standard', '', '', 1, 1, 0, 0, 0, '1', '', true, $1::timestamptz - g * interval '1 s'
       FROM generate_series(1, $2::int) AS g`,
      [now, count],
    )
  const left = async () => {
    const { rows } = await client.query('SELECT count(*)::int AS count, min(expiration) FROM quotes')
    return rows[0]
  }

  test('are deleted, those of this moment not', async () => {
    await fill(3)
    const { id: _, ...quote } = quoteOf({ expiration: now })
    await insertQuote(database.db, quote)
    expect(await deleteExpiredQuotes(database.db, now)).toBe(3)
    expect(await left()).toEqual({ count: 1, min: now })
  })

  test('of a backlog go the oldest first, a part at a time, found by their index', async () => {
    await fill(20_005)
    await client.query('ANALYZE quotes')
    const [deleted, [statement = '']] = await statementsOf(() => deleteExpiredQuotes(database.db, now))
    expect(deleted).toBe(20_000)
    expect(await left()).toEqual({ count: 5, min: new Date(now.getTime() - 5_000) })
    await fill(20_000)
    await client.query('ANALYZE quotes')
    const { rows } = await client.query(`EXPLAIN ${statement.replace('$2', '100')}`, [
      new Date(now.getTime() - 19_000_000),
    ])
    expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain('quotes_expiration_idx')
  })

  test('that another process is deleting are waited for by nobody', async () => {
    await fill(4)
    const held = await holdTransaction(database.db, (tx) =>
      deleteExpiredQuotes(tx, new Date(now.getTime() - 3_500)),
    )
    expect(held.result).toBe(1)
    expect(await deleteExpiredQuotes(database.db, now)).toBe(3)
    await held.commit()
    expect(await left()).toEqual({ count: 0, min: null })
  })
})
