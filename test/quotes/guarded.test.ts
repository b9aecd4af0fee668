import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Outage, Refusal } from '../../src/domain/errors/error.ts'
import type { Log } from '../../src/domain/log.ts'
import { OutsideFault, Throttled } from '../../src/outside/fault.ts'
import type { Estimate, EstimateRequest, Estimator } from '../../src/quotes/estimator.ts'
import { type GuardLimits, guardedEstimator } from '../../src/quotes/estimators/guarded.ts'
import { coin, dollar, wrapped } from '../fakes/order.ts'

let lines: unknown[][]
const note = (message: string, fields?: Record<string, unknown>) => void lines.push([message, fields])
const log: Log = { debug: note, info: note, warn: note, error: note }

beforeEach(() => {
  lines = []
  vi.useFakeTimers({ toFake: ['Date'] })
  vi.setSystemTime(1_000_000)
})
afterEach(() => void vi.useRealTimers())
const pass = (ms: number) => void vi.setSystemTime(Date.now() + ms)

const ask: EstimateRequest = { kind: 'sell', sellToken: wrapped, buyToken: dollar, amount: 100n }
const other = (amount: number): EstimateRequest => ({ ...ask, amount: BigInt(amount) })
const good: Estimate = {
  estimator: 'x',
  solver: coin,
  sellAmount: 100n,
  buyAmount: 300n,
  gas: 200_000n,
  standing: 'claimed',
  execution: null,
  route: null,
  block: null,
}
const limits: GuardLimits = {
  limitMs: 20_000,
  rememberMs: 1_000,
  atOnce: 3,
  failures: 3,
  pauseMs: { min: 1_000, max: 3_000 },
  backOffMs: { min: 500, max: 4_000 },
}

type Next = (question: EstimateRequest, signal: AbortSignal) => Promise<Estimate>
let asked: EstimateRequest[]
let next: Next
const answersAnything: Next = async (question) => ({ ...good, sellAmount: question.amount })
const fails: Next = async () => {
  throw new OutsideFault('x', 'status 500')
}
const refuses: Next = async () => {
  throw new Refusal('NoLiquidity', 'none')
}
const throttles =
  (retryAfterMs?: number): Next =>
  async () => {
    throw new Throttled('x', 'status 429', retryAfterMs)
  }
beforeEach(() => {
  asked = []
  next = answersAnything
})

function start(change: Partial<GuardLimits> = {}) {
  const estimator: Estimator = {
    name: 'x',
    estimate(question, signal) {
      asked.push(question)
      return next(question, signal)
    },
  }
  const { estimate } = guardedEstimator(estimator, { limits: { ...limits, ...change }, now: Date.now, log })
  let size = 0
  return {
    ask: (question = ask, signal = new AbortController().signal, refuted?: Estimate) =>
      estimate(question, signal, refuted),
    /** A request that was not made before. */
    askAnew: () => estimate(other(++size), new AbortController().signal),
  }
}

/** An estimate that ends when the test says so. */
function held() {
  let resolve = (_: Estimate) => {}
  const promise = new Promise<Estimate>((done) => {
    resolve = done
  })
  next = () => promise
  return { resolve: () => resolve(good) }
}

const isDown = { name: 'OutsideFault', message: 'x is unavailable' }

describe('the same request', () => {
  test('is sent once for concurrent clients, and its answer is cached for a while', async () => {
    const estimator = start()
    const { resolve } = held()
    const both = Promise.all([estimator.ask(), estimator.ask()])
    resolve()
    expect(await both).toEqual([good, good])
    pass(1_000)
    expect(await estimator.ask()).toEqual(good)
    expect(asked).toHaveLength(1)
    pass(1)
    await estimator.ask()
    expect(asked).toHaveLength(2)
  })

  test('is sent once however long the answer takes', async () => {
    const estimator = start()
    const { resolve } = held()
    const first = estimator.ask()
    pass(5_000)
    const second = estimator.ask()
    resolve()
    await Promise.all([first, second])
    pass(1_000)
    await estimator.ask()
    expect(asked).toHaveLength(1)
  })

  test('has the same size, side and tokens', async () => {
    const estimator = start()
    next = async (question) => ({ ...good, sellAmount: question.amount, buyAmount: question.amount })
    await estimator.ask()
    for (const change of [
      { amount: 101n },
      { kind: 'buy' },
      { sellToken: coin },
      { buyToken: coin },
    ] as const) {
      await estimator.ask({ ...ask, ...change })
    }
    expect(asked).toHaveLength(5)
  })

  test('is sent again, once for all, where its estimate was refuted', async () => {
    const { ask: request } = start()
    const first = await request()
    const again = await Promise.all([1, 2].map(() => request(ask, undefined, first)))
    expect(asked).toHaveLength(2)
    expect(again[0]).not.toBe(first)
    expect([again[1], await request(), await request(ask, undefined, first)]).toEqual([
      again[0],
      again[0],
      again[0],
    ])
    expect(asked).toHaveLength(2)
  })

  test('that is refused is refused from the cache; one that failed is sent again', async () => {
    const estimator = start()
    next = refuses
    await expect(estimator.ask()).rejects.toMatchObject({ code: 'NoLiquidity' })
    await expect(estimator.ask()).rejects.toMatchObject({ code: 'NoLiquidity' })
    expect(asked).toHaveLength(1)
    next = fails
    await expect(estimator.ask(other(7))).rejects.toMatchObject(isDown)
    next = answersAnything
    expect(await estimator.ask(other(7))).toMatchObject({ sellAmount: 7n })
  })

  test('can be aborted by one client without affecting the others', async () => {
    const estimator = start()
    let inner: AbortSignal | undefined
    const { resolve } = held()
    const hold = next
    next = (question, signal) => {
      inner = signal
      return hold(question, signal)
    }
    const leaver = new AbortController()
    const [left, stays] = [estimator.ask(ask, leaver.signal), estimator.ask()]
    leaver.abort()
    await expect(left).rejects.toBeInstanceOf(Outage)
    expect(inner?.aborted).toBe(false)
    resolve()
    expect(await stays).toEqual(good)
    await expect(estimator.ask(other(1), leaver.signal)).rejects.toBeInstanceOf(Outage)
    expect(asked).toHaveLength(1)
    expect(lines).toEqual([])
  })
})

test('a request ends at its timeout', async () => {
  const estimator = start({ limitMs: 30, failures: 1 })
  let inner: AbortSignal | undefined
  next = (_, signal) => {
    inner = signal
    return new Promise(() => {})
  }
  await expect(estimator.ask()).rejects.toMatchObject({ ...isDown, reason: 'did not answer in time' })
  expect(inner?.aborted).toBe(true)
  await expect(estimator.ask()).rejects.toMatchObject({ reason: 'is paused after failures' })
})

test('a timeout counts as a failure even if all clients left before', async () => {
  const estimator = start({ limitMs: 50, failures: 1 })
  next = () => new Promise(() => {})
  const leaver = new AbortController()
  const asking = estimator.ask(ask, leaver.signal)
  leaver.abort()
  await expect(asking).rejects.toBeInstanceOf(Outage)
  await vi.waitFor(() => expect(lines).toHaveLength(2), { timeout: 5_000 })
  await expect(estimator.askAnew()).rejects.toMatchObject({ reason: 'is paused after failures' })
})

describe('an estimator that fails', () => {
  async function failUntilLeftAlone(estimator: ReturnType<typeof start>) {
    next = fails
    for (let index = 0; index < limits.failures; index++) {
      await expect(estimator.askAnew()).rejects.toMatchObject({ reason: 'status 500' })
    }
    await expect(estimator.askAnew()).rejects.toMatchObject({ ...isDown, reason: 'is paused after failures' })
  }

  test('too often in a row is paused, then tried with one request after a pause that grows', async () => {
    const estimator = start()
    await failUntilLeftAlone(estimator)
    for (const pause of [1_000, 2_000, 3_000, 3_000]) {
      const before = asked.length
      pass(pause - 1)
      await expect(estimator.askAnew()).rejects.toMatchObject({ reason: 'is paused after failures' })
      expect(asked.length).toBe(before)
      pass(1)
      await expect(estimator.askAnew()).rejects.toMatchObject({ reason: 'status 500' })
      expect(asked.length).toBe(before + 1)
    }
    pass(3_000)
    const { resolve } = held()
    const trial = estimator.ask()
    await expect(estimator.askAnew()).rejects.toMatchObject({ reason: 'is being retried' })
    resolve()
    expect(await trial).toEqual(good)
    next = answersAnything
    expect(await estimator.askAnew()).toMatchObject({ standing: 'claimed' })
    // The pauses start again from the least.
    await failUntilLeftAlone(estimator)
    pass(1_000)
    next = answersAnything
    expect(await estimator.askAnew()).toMatchObject({ standing: 'claimed' })
  })

  test.each([
    ['an answer', answersAnything],
    ['a refusal', refuses],
  ])('and then gives %s has its failures reset', async (_, between) => {
    const estimator = start()
    for (const then of [fails, fails, between, fails, fails, between, fails, fails]) {
      next = then
      await estimator.askAnew().catch(() => {})
    }
    expect(asked).toHaveLength(8)
    next = answersAnything
    expect(await estimator.askAnew()).toMatchObject({ standing: 'claimed' })
  })

  test('is used again after a refusal too', async () => {
    const estimator = start()
    await failUntilLeftAlone(estimator)
    pass(1_000)
    next = refuses
    await expect(estimator.askAnew()).rejects.toMatchObject({ code: 'NoLiquidity' })
    next = answersAnything
    expect(await estimator.askAnew()).toMatchObject({ standing: 'claimed' })
  })

  test('is not one that cannot read the market', async () => {
    const estimator = start()
    next = async () => {
      throw new Outage('the market')
    }
    for (let index = 0; index < 10; index++) {
      await expect(estimator.askAnew()).rejects.toThrow('the market is unavailable')
    }
    expect(asked).toHaveLength(10)
    expect(lines).toEqual([])
  })

  test('is logged once, not with every quote', async () => {
    const estimator = start()
    await failUntilLeftAlone(estimator)
    for (let index = 0; index < 20; index++) await estimator.askAnew().catch(() => {})
    expect(lines).toEqual([
      ['an outside source failed', { source: 'x', reason: 'status 500' }],
      ['an outside source is paused', { source: 'x' }],
    ])
    pass(10_001)
    await estimator.askAnew().catch(() => {})
    pass(10_000)
    next = answersAnything
    await estimator.askAnew()
    expect(lines.slice(2)).toEqual([
      ['an outside source is paused', { source: 'x' }],
      ['an outside source failed', { source: 'x', reason: 'status 500' }],
      ['an outside source is used again', { source: 'x' }],
    ])
  })
})

describe('an estimator that asks for fewer requests', () => {
  const isQuiet = { name: 'Throttled', reason: 'requested a pause' }

  test('is paused for a time that doubles up to a bound, and does not count as failing', async () => {
    const estimator = start({ failures: 1 })
    next = throttles()
    for (const pause of [500, 1_000, 2_000, 4_000, 4_000]) {
      await expect(estimator.askAnew()).rejects.toMatchObject({ reason: 'status 429' })
      const before = asked.length
      pass(pause - 1)
      await expect(estimator.askAnew()).rejects.toMatchObject({ ...isQuiet, retryAfterMs: 1 })
      expect(asked.length).toBe(before)
      pass(1)
    }
    next = answersAnything
    await estimator.askAnew()
    next = throttles()
    await expect(estimator.askAnew()).rejects.toMatchObject({ reason: 'status 429' })
    pass(500)
    next = answersAnything
    expect(await estimator.askAnew()).toMatchObject({ standing: 'claimed' })
  })

  test.each([
    [2_500, 2_500],
    [10, 500],
    [1_000_000_000, 4_000],
  ])('with a hint of %i ms is paused for %i ms', async (hint, pause) => {
    const estimator = start()
    next = throttles(hint)
    await estimator.askAnew().catch(() => {})
    next = answersAnything
    pass(pause - 1)
    await expect(estimator.askAnew()).rejects.toMatchObject(isQuiet)
    pass(1)
    expect(await estimator.askAnew()).toMatchObject({ standing: 'claimed' })
  })

  test('in several concurrent answers is paused once', async () => {
    const estimator = start()
    next = throttles()
    await Promise.allSettled([estimator.askAnew(), estimator.askAnew(), estimator.askAnew()])
    expect(asked).toHaveLength(3)
    pass(500)
    next = answersAnything
    expect(await estimator.askAnew()).toMatchObject({ standing: 'claimed' })
  })
})

test('the number of concurrent calls is limited', async () => {
  const estimator = start()
  const { resolve } = held()
  const three = [estimator.ask(), estimator.ask(), estimator.askAnew(), estimator.askAnew()]
  await expect(estimator.askAnew()).rejects.toMatchObject({
    name: 'Throttled',
    reason: 'too many calls under way',
  })
  await expect(estimator.askAnew()).rejects.toMatchObject({ name: 'Throttled' })
  expect(asked).toHaveLength(3)
  expect(lines).toEqual([['an outside source failed', { source: 'x', reason: 'too many calls under way' }]])
  resolve()
  await Promise.allSettled(three)
  next = answersAnything
  expect(await estimator.askAnew()).toMatchObject({ standing: 'claimed' })
})

test.each<[string, Partial<Estimate>]>([
  ['nothing out', { buyAmount: 0n }],
  ['less than nothing out', { buyAmount: -1n }],
  ['more than exists', { buyAmount: 2n ** 256n }],
  ['another amount in', { sellAmount: 99n }],
  ['no gas', { gas: 0n }],
  ['more gas than a block has', { gas: 2n ** 24n + 1n }],
])('an estimate of %s is nonsense', async (_, change) => {
  const estimator = start()
  next = async () => ({ ...good, ...change })
  await expect(estimator.ask()).rejects.toMatchObject({
    ...isDown,
    reason: expect.stringMatching(/^sends an invalid answer/),
  })
})

test('an estimate of another amount out is nonsense for a buy order', async () => {
  const estimator = start()
  next = async () => good
  await expect(estimator.ask({ ...ask, kind: 'buy' })).rejects.toMatchObject(isDown)
  expect(await estimator.ask({ ...ask, kind: 'buy', amount: 300n })).toEqual(good)
})

test('a fault of our own is no estimate and no secret', async () => {
  const estimator = start()
  next = async () => {
    throw new TypeError('a mistake')
  }
  await expect(estimator.ask()).rejects.toThrow(new TypeError('a mistake'))
})
