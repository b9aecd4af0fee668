import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { Outage, Refusal } from '../../src/domain/errors/error.ts'
import type { QuoteReply, QuoteRequest } from '../../src/domain/quote/quote.ts'
import type { Estimate, Estimator } from '../../src/quotes/estimator.ts'
import { type QuoteServices, quoteStream } from '../../src/quotes/quote.ts'
import { findQuotes } from '../../src/storage/quote/quotes.ts'
import { sampleNetwork } from '../fakes/network.ts'
import { numbered } from '../fakes/order.ts'
import {
  createQuoteServices,
  estimatorOf,
  estimatorWithout,
  quoteRequest,
  sampleEstimate,
} from '../fakes/quote-services.ts'
import { connectDirectly, createTestDatabase, type TestDatabase } from '../setup/database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database?.[Symbol.asyncDispose]())

const size = { form: 'sellAmountBeforeFee', amount: 10n ** 18n } as const
const none = new Refusal('NoLiquidity', 'nothing')

function open(
  services: Partial<QuoteServices>,
  change: Partial<QuoteRequest> = {},
  signal = new AbortController().signal,
) {
  const prices = { sell: { nativeAmount: 1n, tokenAmount: 1n } }
  return quoteStream(
    quoteRequest({ size, ...change }),
    createQuoteServices(database.db, {
      look: async () => ({ block: 1, gasPrice: 10n ** 9n, pools: [] }),
      outsidePrice: async () => prices.sell,
      ...services,
    }),
    signal,
  )
}

async function all(stream: AsyncGenerator<QuoteReply>): Promise<QuoteReply[]> {
  const replies: QuoteReply[] = []
  for await (const reply of stream) replies.push(reply)
  return replies
}

/** An estimator that answers when the test says so. */
function later(name: string) {
  let answer: (estimate: Partial<Estimate>) => void = () => {}
  const said = new Promise<Estimate>((resolve) => {
    answer = (estimate) => resolve(sampleEstimate({ estimator: name, ...estimate }))
  })
  const estimator: Estimator = { name, estimate: () => said }
  return { estimator, answer: (estimate: Partial<Estimate>) => answer(estimate) }
}

test('each quote is better than the last, verified and stored; the stream ends with the last, for any quality', async () => {
  const [first, worse, better] = [later('first'), later('worse'), later('better')]
  const others = [worse.estimator, better.estimator]
  const stream = await open({ router: first.estimator, others }, { priceQuality: 'fast' })
  const next = async () => (await stream.next()).value as QuoteReply
  first.answer({ buyAmount: 100n })
  const one = await next()
  worse.answer({ buyAmount: 90n, standing: 'claimed' })
  better.answer({ buyAmount: 300n, standing: 'claimed' })
  const two = await next()
  expect(await stream.next()).toEqual({ done: true, value: undefined })

  const fee = 200_000n * 10n ** 9n
  const left = size.amount - fee
  expect([one, two].map(({ quote }) => [quote.buyAmount, quote.verified])).toEqual([
    [(100n * left) / size.amount, true],
    [(300n * left) / size.amount, true],
  ])
  expect(two.quote.expiration).toEqual(one.quote.expiration)
  expect(two.terms).toEqual(one.terms)
  expect(Number(two.quote.id)).toBeGreaterThan(Number(one.quote.id))
  const ids = [one, two].map(({ quote }) => quote.id ?? 0n)
  expect(await findQuotes(database.db, sampleNetwork.chainId, ids)).toEqual([one.quote, two.quote])
})

test.each<[string, Partial<QuoteServices>, Partial<QuoteRequest>, string]>([
  ['a request that is refused', {}, { from: numbered('9c') }, 'Forbidden'],
  ['a token without a price', { outsidePrice: () => Promise.reject(none) }, {}, 'NoLiquidity'],
  [
    'a token that is not traded',
    { checkTokens: () => Promise.reject(new Refusal('UnsupportedToken', 'takes a fee')) },
    {},
    'UnsupportedToken',
  ],
])('%s fails before the stream begins', async (_what, services, change, code) => {
  const policy = {
    deniedAccounts: new Set([numbered('9c')]),
    deniedTokens: new Set<never>(),
    sameToken: 'disallow',
  } as const
  await expect(open({ router: estimatorOf('router'), policy, ...services }, change)).rejects.toMatchObject({
    code,
  })
})

test('a missing gas price fails before the stream begins', async () => {
  const look = () => Promise.reject(new Outage('the network node'))
  await expect(open({ look, router: estimatorOf('router') })).rejects.toThrow(Outage)
})

test('an amount below the fee is reported before other faults, but only where there is no quote', async () => {
  const dear = estimatorOf('dear', { gas: 10n ** 9n, buyAmount: 10n ** 24n })
  const text = estimatorWithout(new Refusal('CustomSolverError', 'no'))
  const empty = await open({ router: dear, others: [text] })
  await expect(all(empty)).rejects.toMatchObject({
    code: 'SellAmountDoesNotCoverFee',
    data: { fee_amount: `0x${(10n ** 18n).toString(16)}` },
  })
  const cheap = estimatorOf('cheap', { buyAmount: 2n * 10n ** 24n })
  const full = await open({ router: dear, others: [cheap, text] })
  expect((await all(full)).map(({ quote }) => quote.gasAmount)).toEqual([200_000n])
})

test('without any quote the most severe reason is thrown at the end', async () => {
  const text = estimatorWithout(new Refusal('CustomSolverError', 'closed today'))
  const stream = await open({ router: estimatorWithout(none), others: [text] })
  await expect(all(stream)).rejects.toMatchObject({ code: 'CustomSolverError', message: 'closed today' })
  const absent = await open({ router: estimatorWithout(none) })
  await expect(all(absent)).rejects.toMatchObject({ code: 'NoLiquidity' })
})

test('a quote that cannot be stored is returned without an id', async () => {
  const router = estimatorOf('router')
  const gone = await createTestDatabase()
  const stream = await open({
    router,
    db: gone.db,
    appDataSources: createQuoteServices(gone.db).appDataSources,
  })
  await gone[Symbol.asyncDispose]()
  expect((await all(stream)).map(({ quote }) => quote.id)).toEqual([null])
})

test('a database that does not answer delays a quote by at most a second', async () => {
  const client = await connectDirectly(database.url)
  await client.query('BEGIN')
  await client.query('LOCK TABLE quotes IN ACCESS EXCLUSIVE MODE')
  const stream = await open({ router: estimatorOf('router') })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const first = stream.next()
    for (let step = 0; step < 5; step++) await new Promise((next) => setImmediate(next))
    vi.advanceTimersByTime(1_000)
    expect((await first).value?.quote).toMatchObject({ id: null, verified: true })
  } finally {
    vi.useRealTimers()
    await client.query('COMMIT')
    await client.end()
  }
})

test('a client that leaves aborts all estimators, and receives nothing more', async () => {
  const signals: AbortSignal[] = []
  const hanging: Estimator = {
    name: 'hanging',
    estimate(_ask, signal) {
      signals.push(signal)
      return new Promise(() => {})
    },
  }
  const leaving = new AbortController()
  const stream = await open({ router: estimatorOf('router'), others: [hanging] }, {}, leaving.signal)
  expect((await stream.next()).done).toBe(false)
  const rest = stream.next()
  leaving.abort()
  expect(await rest).toEqual({ done: true, value: undefined })
  expect(signals.map(({ aborted }) => aborted)).toEqual([true])

  const early = new AbortController()
  const silent = await open({ router: hanging }, {}, early.signal)
  const nothing = all(silent)
  early.abort()
  expect(await nothing).toEqual([])
})

test('the timeout ends the stream with the quotes so far', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const hanging: Estimator = { name: 'hanging', estimate: () => new Promise(() => {}) }
    const stream = await open({ router: estimatorOf('router'), others: [hanging] }, { timeoutMs: 400 })
    expect((await stream.next()).done).toBe(false)
    const rest = stream.next()
    vi.advanceTimersByTime(360)
    expect(await rest).toEqual({ done: true, value: undefined })
  } finally {
    vi.useRealTimers()
  }
})
