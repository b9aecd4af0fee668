import fc from 'fast-check'
import type { Client } from 'pg'
import { describe, expect, test } from 'vitest'
import { maxUint256 } from '../../../src/domain/amount.ts'
import { zeroAppData } from '../../../src/domain/app-data/document.ts'
import { zeroAddress } from '../../../src/domain/evm/address.ts'
import { bytesToHex, hexToBytes } from '../../../src/domain/evm/hex.ts'
import { keccakText } from '../../../src/domain/evm/keccak.ts'
import type { QuoteReply } from '../../../src/domain/quote/quote.ts'
import {
  findQuoteFor,
  findQuotes,
  findReply,
  insertQuote,
  insertQuoteForOrder,
  type QuoteSearch,
} from '../../../src/storage/quote/quotes.ts'
import { dollar, numbered, signingDomain, wrapped } from '../../fakes/order.ts'
import { quoteOf } from '../../fakes/order-services.ts'
import { type TestDatabase, useTables } from '../../setup/database.ts'

const { chainId } = signingDomain
const now = new Date(1_800_000_000_000)
const later = new Date(1_800_000_060_000)

let database: TestDatabase
let client: Client
useTables((tables) => {
  ;({ database, client } = tables)
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
  test('is stored in one statement, and read back unchanged in one', async () => {
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

  test('is found on its own network only, and not if its quote was made for an order', async () => {
    const { id: _, ...quote } = quoteOf({ expiration: later })
    const [sample] = fc.sample(reply, 1)
    const id = await insertQuote(database.db, quote, sample)
    expect(await findReply(database.db, 1, id)).toBeUndefined()
    expect(await findReply(database.db, chainId, id + 1n)).toBeUndefined()
    const bare = await insertQuote(database.db, quote)
    expect(await findReply(database.db, chainId, bare)).toBeUndefined()
    expect(await findQuotes(database.db, chainId, [bare])).toEqual([{ ...quote, id: bare }])
  })

  test('stores nothing for empty lists of calls', async () => {
    const { id: _, ...quote } = quoteOf({ expiration: later })
    const id = await insertQuote(database.db, { ...quote, calls: { preInteractions: [], interactions: [] } })
    const { rows } = await client.query('SELECT metadata, reply FROM quotes')
    expect(rows).toEqual([{ metadata: null, reply: null }])
    expect(await findQuotes(database.db, chainId, [id])).toMatchObject([{ calls: null }])
  })
})

describe('the stored quote for an order', () => {
  const order = { owner: numbered('0f'), receiver: null, appData: keccakText('{}') }
  const search: QuoteSearch = {
    ...order,
    chainId,
    quoteKind: 'standard',
    kind: 'sell',
    sellToken: wrapped,
    buyToken: dollar,
    amount: 10n ** 18n,
    now,
  }
  const store = (overrides: Parameters<typeof quoteOf>[0], party = {}) => {
    const { id: _, ...quote } = quoteOf({ expiration: later, ...overrides })
    return insertQuoteForOrder(database.db, quote, { ...order, ...party })
  }
  const found = async (more: Partial<QuoteSearch> = {}) =>
    (await findQuoteFor(database.db, { ...search, ...more }))?.id
  /** Finds one after the other, and deletes each before the next search. */
  const ranking = async () => {
    const ids: bigint[] = []
    for (let id = await found(); id != null; id = await found()) {
      ids.push(id)
      await client.query('DELETE FROM quotes WHERE id = $1', [id])
    }
    return ids
  }
  /** Quotes of another size, so many of each of so many traders. */
  const crowd = async (traders: number, each: number) => {
    await client.query(
      `INSERT INTO quotes (chain_id, kind, quote_kind, sell_token, buy_token, sell_amount, buy_amount, fee_amount, gas_amount,
         gas_price, sell_token_price, solver, verified, expiration, from_account, receiver, app_data)
       SELECT chain_id, kind, quote_kind, sell_token, buy_token, 5, 5, 0, 0, 0, '1', solver, true,
         $3::timestamptz + other * interval '1 s', account, account, app_data
       FROM (SELECT * FROM quotes LIMIT 1) AS sample, generate_series(1, $2::int) AS other,
         (SELECT CASE WHEN trader = 1 THEN $4::bytea ELSE sha256(trader::text::bytea) END AS account
          FROM generate_series(1, $1::int) AS trader) AS traders`,
      [traders, each, later, hexToBytes(order.owner)],
    )
    await client.query('ANALYZE quotes')
  }

  test('has its amount, even if others are newer: verified first, then by rate, then the newest', async () => {
    const plain = await store({ buyAmount: 5n })
    const newer = await store({ buyAmount: 5n })
    const whole = await store({ sellAmount: 10n ** 18n - 7n, feeAmount: 7n, buyAmount: 6n })
    const costly = await store({ feeAmount: 10n ** 18n, buyAmount: 6n })
    const verified = await store({ buyAmount: 4n, verified: true })
    await crowd(1, 300)
    expect(await ranking()).toEqual([verified, whole, newer, plain, costly])
  })

  test('has the best rate to the last atom', async () => {
    const maxAmount = 10n ** 78n - 1n
    // Rates of (m-2)/(m-1), (m-1)/m and 1 - 2/m for the greatest m that a column holds.
    const second = await store({ sellAmount: maxAmount - 1n, feeAmount: 0n, buyAmount: maxAmount - 2n })
    const first = await store({ sellAmount: maxAmount - 1n, feeAmount: 1n, buyAmount: maxAmount - 1n })
    const third = await store({ sellAmount: maxAmount - 1n, feeAmount: 1n, buyAmount: maxAmount - 2n })
    expect(await found({ amount: maxAmount - 1n })).toBe(first)
    await client.query('DELETE FROM quotes WHERE id = $1', [first])
    expect(await found({ amount: maxAmount - 1n })).toBe(second)
    await client.query('DELETE FROM quotes WHERE id = $1', [second])
    expect(await found({ amount: maxAmount - 1n })).toBe(third)
    const buys = { kind: 'buy' as const, buyAmount: 3n }
    await store({ ...buys, sellAmount: maxAmount - 1n, feeAmount: 1n })
    const cheaper = await store({ ...buys, sellAmount: maxAmount - 2n, feeAmount: 1n })
    await store({ ...buys, sellAmount: maxAmount, feeAmount: 0n })
    expect(await found({ kind: 'buy', amount: 3n })).toBe(cheaper)
  })

  test('is still valid, and of the same pair, side and kind', async () => {
    const own = await store({})
    await store({ expiration: new Date(now.getTime() - 1) })
    await store({ buyToken: numbered('dd') })
    await store({ chainId: 1 })
    await store({ quoteKind: 'presignonchainorder' })
    const bought = await store({ kind: 'buy', sellAmount: 1n, buyAmount: 10n ** 18n })
    expect(await found({ kind: 'buy' })).toBe(bought)
    expect(await ranking()).toEqual([own])
    expect(await found({ now: later, kind: 'buy' })).toBe(bought)
    expect(await found({ now: new Date(later.getTime() + 1), kind: 'buy' })).toBeUndefined()
  })

  test('was made for the same trader, receiver and appData, even if others pay better', async () => {
    const verified = { verified: true, buyAmount: 10n ** 30n }
    await store(verified, { owner: numbered('e1') })
    await store(verified, { receiver: numbered('e1') })
    await store(verified, { owner: numbered('e1'), receiver: order.owner })
    await store(verified, { appData: keccakText('{"metadata":{}}') })
    const { id: _, ...nobodys } = quoteOf({ expiration: later, ...verified })
    await insertQuote(database.db, nobodys)
    expect(await found()).toBeUndefined()
    const own = await store({})
    expect(await found()).toBe(own)
  })

  test('is found by every spelling of the same trader, receiver and appData', async () => {
    const own = await store({})
    expect(await found({ receiver: order.owner })).toBe(own)
    expect(await found({ receiver: zeroAddress, appData: zeroAppData })).toBe(own)
    const { id: _, ...quote } = quoteOf({ expiration: later })
    for (const receiver of [null, zeroAddress, order.owner]) {
      const [sample] = fc.sample(reply, 1)
      if (!sample) throw new TypeError('no sample')
      const terms = { ...sample.terms, from: order.owner, receiver, appDataHash: zeroAppData }
      const asked = await insertQuote(database.db, quote, { ...sample, terms })
      expect(await found()).toBe(asked)
    }
  })

  test('is found by the index of its trader, and only its calls are read', async () => {
    const call = { target: numbered('e1'), value: 0n, callData: `0x${'ab'.repeat(20)}` as const }
    const calls = { preInteractions: [], interactions: [call] }
    const own = await store({ calls })
    await crowd(100, 50)
    const [best, [statement = '', ...more]] = await statementsOf(() => findQuoteFor(database.db, search))
    expect([best, more]).toEqual([quoteOf({ id: own, expiration: later, calls }), []])
    for (const mode of ['force_generic_plan', 'force_custom_plan']) {
      const [outer = '', inner = ''] = (await planOf(statement, mode)).split(/-> +Limit/)
      expect(outer).toMatch(/^Index Scan using quotes_pkey.*quotes.metadata/s)
      expect(inner).not.toContain('metadata')
      expect(inner).toMatch(
        /Index Scan using quotes_of_account_idx[^>]*Index Cond: .*from_account = .*buy_token = /s,
      )
    }
  })

  const planOf = async (statement: string, mode: string) => {
    const { owner, appData, sellToken, buyToken, kind, quoteKind } = search
    const given = [owner, owner, appData, sellToken, buyToken].map((value) => `'\\${value.slice(1)}'`)
    await client.query(`SET plan_cache_mode = ${mode}`)
    await client.query(`PREPARE search AS ${statement}`)
    const { rows } = await client.query(
      `EXPLAIN (VERBOSE) EXECUTE search(${chainId}, ${given}, '${kind}', '${quoteKind}', '${now.toISOString()}', ${search.amount})`,
    )
    await client.query('DEALLOCATE search')
    return rows.map((row) => row['QUERY PLAN']).join('\n')
  }
})
