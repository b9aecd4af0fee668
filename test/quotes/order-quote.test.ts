import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { Outage, Refusal } from '../../src/domain/errors/error.ts'
import { keccakText } from '../../src/domain/evm/keccak.ts'
import type { QuoteRequest } from '../../src/domain/quote/quote.ts'
import { settlementGas } from '../../src/domain/settlement/gas.ts'
import type { Estimator } from '../../src/quotes/estimator.ts'
import { quoteForOrder, type UnquotedOrder } from '../../src/quotes/order-quote.ts'
import { type QuoteServices, quote } from '../../src/quotes/quote.ts'
import { findQuotes } from '../../src/storage/quote/quotes.ts'
import { sampleNetwork } from '../fakes/network.ts'
import { dollar, numbered, sampleOrder, wrapped } from '../fakes/order.ts'
import { alice, bob, testTime } from '../fakes/order-services.ts'
import { createQuoteServices, estimatorWithout, quoteRequest } from '../fakes/quote-services.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database?.[Symbol.asyncDispose]())

const unit = 10n ** 18n

function order(change: Partial<UnquotedOrder> = {}): UnquotedOrder {
  return { ...sampleOrder({ owner: alice.address }), quoteId: null, ...change }
}

function tradingOn(change: Partial<QuoteServices> = {}): QuoteServices {
  const { db } = database
  const storedQuote = async (id: bigint) => (await findQuotes(db, sampleNetwork.chainId, [id]))[0]
  return createQuoteServices(db, { storedQuote, ...change })
}

const quoted = async (change = {}) => (await quote(quoteRequest(change), tradingOn())).quote

describe('a stored quote', () => {
  const size = { form: 'sellAmountBeforeFee', amount: 3n * unit } as const

  test('named by the order is used, scaled to the order; without a name the best one that fits', async () => {
    const given = await quoted({ size })
    for (const quoteId of [given.id, null]) {
      const found = await quoteForOrder(order({ quoteId, sellAmount: 3n * unit }), tradingOn())
      expect(found).toMatchObject({
        id: given.id,
        sellAmount: 3n * unit,
        buyAmount: (given.buyAmount * 3n * unit) / given.sellAmount,
        feeAmount: given.feeAmount,
      })
    }
  })

  test.each<[string, Partial<UnquotedOrder>, number]>([
    ['of another size', { sellAmount: 4n * unit }, 0],
    ['of other tokens', { sellToken: dollar, buyToken: wrapped, sellAmount: 5n * 10n ** 9n }, 0],
    ['of the other kind', { kind: 'buy', buyAmount: 7n * 10n ** 9n }, 0],
    ['that has expired', { sellAmount: 3n * unit }, 61_000],
    ['that is unknown', { quoteId: 999_999n, sellAmount: 6n * unit }, 0],
  ])('%s is replaced by a new one', async (_what, change, laterMs) => {
    const given = await quoted({ size })
    const services = tradingOn({ now: () => testTime * 1_000 + 999 + laterMs })
    const fresh = await quoteForOrder(order({ quoteId: given.id, ...change }), services)
    expect(Number(fresh?.id)).toBeGreaterThan(Number(given.id))
    expect(fresh?.expiration).toEqual(new Date(services.now() + 60_000))
  })

  const hooks = [{ target: numbered('9a'), callData: '0x01', gasLimit: '50000' }]
  const hooked = JSON.stringify({ metadata: { hooks: { pre: hooks } } })
  test.each<[string, Partial<QuoteRequest>]>([
    ['for another trader', { from: bob.address }],
    ['for another receiver', { receiver: bob.address }],
    ['with hooks', { appData: hooked, appDataHash: keccakText(hooked), appDataDocument: hooked }],
  ])('made %s is used where the order names it, and otherwise not', async (_what, change) => {
    const own = { form: 'sellAmountBeforeFee', amount: 8n * unit } as const
    const given = await quoted({ size: own, priceQuality: 'verified', ...change })
    expect(given.verified).toBe(true)
    const named = await quoteForOrder(order({ quoteId: given.id, sellAmount: 8n * unit }), tradingOn())
    expect(named?.id).toBe(given.id)
    const found = await quoteForOrder(order({ sellAmount: 8n * unit }), tradingOn())
    expect(found).toMatchObject({ verified: false, sellAmount: 8n * unit })
    expect(found?.id).not.toBe(given.id)
  })
})

describe('an order without a quote', () => {
  test('gets one of its own size, which is stored with the kind of its signing scheme', async () => {
    const sale = await quoteForOrder(order({ sellAmount: 11n * unit }), tradingOn())
    expect(sale).toMatchObject({
      sellAmount: 11n * unit,
      feeAmount: settlementGas(1, 1) * 10n ** 9n,
      quoteKind: 'standard',
      verified: false,
    })
    const purchase = await quoteForOrder(
      order({ kind: 'buy', buyAmount: 12n * 10n ** 9n, signingScheme: 'presign' }),
      tradingOn(),
    )
    expect(purchase).toMatchObject({ buyAmount: 12n * 10n ** 9n, quoteKind: 'presignonchainorder' })
    const ids = [sale, purchase].map((found) => found?.id ?? 0n)
    expect(await findQuotes(database.db, sampleNetwork.chainId, ids)).toEqual([sale, purchase])
  })

  test("shares the quote with the trader's next order, and not with other traders", async () => {
    const first = await quoteForOrder(order({ sellAmount: 13n * unit }), tradingOn())
    expect(await quoteForOrder(order({ sellAmount: 13n * unit }), tradingOn())).toEqual(first)
    const others = await quoteForOrder(order({ sellAmount: 13n * unit, owner: bob.address }), tradingOn())
    expect(Number(others?.id)).toBeGreaterThan(Number(first?.id))
  })

  test('is accepted without one where there is no liquidity; other refusals refuse it', async () => {
    const without = (reason: unknown) =>
      quoteForOrder(order({ sellAmount: 21n * unit }), tradingOn({ router: estimatorWithout(reason) }))
    expect(await without(new Refusal('NoLiquidity', 'nothing'))).toBeNull()
    expect(await without(new Refusal('SellAmountDoesNotCoverFee', 'too little'))).toBeNull()
    expect(await quoteForOrder(order({ buyToken: numbered('9e') }), tradingOn())).toBeNull()
    await expect(without(new Refusal('TokenTemporarilySuspended', 'paused'))).rejects.toMatchObject({
      code: 'TokenTemporarilySuspended',
    })
    expect(await without(new Outage('the network node'))).toBeNull()
    expect(await without(new Refusal('Unavailable', 'too late'))).toBeNull()
    const checkTokens = () => Promise.reject(new Refusal('UnsupportedToken', 'takes a fee'))
    await expect(
      quoteForOrder(order({ sellAmount: 22n * unit }), tradingOn({ checkTokens })),
    ).rejects.toMatchObject({ code: 'UnsupportedToken' })
  })

  test('waits a second for an estimator that hangs, and no longer', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      let notifyAsked = () => {}
      const asked = new Promise<void>((resolve) => {
        notifyAsked = resolve
      })
      const hanging: Estimator = {
        name: 'hanging',
        estimate() {
          notifyAsked()
          return new Promise(() => {})
        },
      }
      let found: unknown
      const done = quoteForOrder(order({ sellAmount: 31n * unit }), tradingOn({ others: [hanging] })).then(
        (result) => {
          found = result
        },
      )
      await asked
      vi.advanceTimersByTime(999)
      await new Promise((next) => setImmediate(next))
      expect(found).toBeUndefined()
      vi.advanceTimersByTime(1)
      await done
      expect(found).toMatchObject({ sellAmount: 31n * unit })
    } finally {
      vi.useRealTimers()
    }
  })
})
