import { describe, expect, test, vi } from 'vitest'
import { createThrottledLog } from '../../src/concurrency/throttled-log.ts'
import { Outage, Refusal } from '../../src/domain/errors/error.ts'
import type { RefusalCode } from '../../src/domain/errors/refusal-codes.ts'
import { zeroAddress } from '../../src/domain/evm/address.ts'
import type { OrderKind } from '../../src/domain/order/order.ts'
import type { PriceQuality } from '../../src/domain/quote/quote.ts'
import { valueAfterGas } from '../../src/quotes/amounts.ts'
import { competeForQuote, type QuoteContest } from '../../src/quotes/competition.ts'
import type { Estimate, EstimateOrigin, EstimateRequest, Estimator } from '../../src/quotes/estimator.ts'
import { type VerificationMode, verificationPolicyFor } from '../../src/quotes/verification/policy.ts'
import type { Verification } from '../../src/quotes/verification/verify.ts'
import { dollar, wrapped } from '../fakes/order.ts'
import { silentLog } from '../fakes/silent-log.ts'

const ask: EstimateRequest = { kind: 'sell', sellToken: wrapped, buyToken: dollar, amount: 1_000n }

/** A sell order's estimate. */
function offer(
  estimator: string,
  buyAmount: bigint,
  standing: EstimateOrigin = 'claimed',
  gas = 1n,
): Estimate {
  return {
    estimator,
    solver: zeroAddress,
    sellAmount: ask.amount,
    buyAmount,
    gas,
    standing,
    execution: null,
    route: null,
    block: null,
  }
}

/** An estimator that answers when the test says so, and sees whether its request was aborted. */
function puppet(name: string) {
  let resolve: (estimate: Estimate) => void = () => {}
  let reject: (reason: unknown) => void = () => {}
  const promise = new Promise<Estimate>((...settle) => {
    ;[resolve, reject] = settle
  })
  const seen: AbortSignal[] = []
  const estimator: Estimator = {
    name,
    estimate(_ask, signal) {
      seen.push(signal)
      return promise
    },
  }
  return {
    estimator,
    says: (buyAmount: bigint, standing?: EstimateOrigin, gas?: bigint) =>
      resolve(offer(name, buyAmount, standing, gas)),
    fails: (reason: unknown) => reject(reason),
    get isLeft() {
      return seen.every(({ aborted }) => aborted)
    },
  }
}

const says = (name: string, estimate: Partial<Estimate> & { buyAmount: bigint }): Estimator => ({
  name,
  estimate: async () => ({ ...offer(name, 1n), ...estimate }),
})
const fails = (reason: unknown, name = 'failing'): Estimator => ({
  name,
  estimate: () => Promise.reject(reason),
})
const hangs: Estimator = { name: 'hanging', estimate: () => new Promise(() => {}) }

const held = async (estimate: Estimate): Promise<Verification> => ({
  verdict: 'held',
  estimate: { ...estimate, standing: 'simulated' },
})

function contest(
  router: Estimator | null,
  others: Estimator[],
  more: Partial<QuoteContest> & { quality?: PriceQuality | 'stream'; mode?: VerificationMode } = {},
): QuoteContest & { end(): void } {
  const { quality = 'optimal', mode = 'prefer', ...rest } = more
  const controller = new AbortController()
  return {
    ask,
    router,
    others,
    verificationPolicy: verificationPolicyFor(quality, mode),
    verify: held,
    hasMoved: async () => false,
    value: Promise.resolve(({ buyAmount }) => buyAmount),
    signal: controller.signal,
    log: silentLog,
    warn() {},
    ...rest,
    end: () => controller.abort(),
  }
}

async function all(estimates: AsyncGenerator<Estimate>): Promise<string[]> {
  const reported: string[] = []
  for await (const { estimator, buyAmount, standing } of estimates) {
    reported.push(`${estimator} ${buyAmount} ${standing}`)
  }
  return reported
}

async function best(given: QuoteContest): Promise<string | undefined> {
  return (await all(competeForQuote(given))).at(-1)
}

const none = new Refusal('NoLiquidity', 'nothing')

describe('the best estimate', () => {
  test('is the one with the highest value, and each better one is yielded on the way', async () => {
    const [own, one, two] = [puppet('own'), puppet('one'), puppet('two')]
    const reported = all(competeForQuote(contest(own.estimator, [one.estimator, two.estimator])))
    own.says(100n, 'computed')
    await Promise.resolve()
    one.says(90n)
    two.says(120n)
    expect(await reported).toEqual(['own 100 computed', 'two 120 simulated'])
  })

  test('is the best after gas costs', async () => {
    const prices = {
      gasPrice: 3n,
      sellRate: { nativeAmount: 1n, tokenAmount: 1n },
      buyRate: { nativeAmount: 2n, tokenAmount: 5n },
    }
    const value = (kind: OrderKind) => Promise.resolve(valueAfterGas(kind, prices))
    // A buy atom costs 0.4: ten gas units more cost 30, which is 75 of them.
    const router = says('own', { buyAmount: 1_000n, standing: 'computed', gas: 10n })
    const contender = (buyAmount: bigint) => says('other', { buyAmount, gas: 20n })
    const sell = { value: value('sell') }
    expect(await best(contest(router, [contender(1_075n)], sell))).toBe('own 1000 computed')
    expect(await best(contest(router, [contender(1_076n)], sell))).toBe('other 1076 simulated')

    const buy = { value: value('buy'), ask: { ...ask, kind: 'buy' as const, amount: 7n } }
    const payer = (name: string, sellAmount: bigint, gas: bigint) =>
      says(name, { sellAmount, buyAmount: 7n, gas, standing: 'computed' })
    const own = payer('own', 1_000n, 10n)
    expect(await best(contest(own, [payer('other', 970n, 20n)], buy))).toBe('own 7 computed')
    expect(await best(contest(own, [payer('other', 969n, 20n)], buy))).toBe('other 7 computed')
  })

  test('is the first of equal ones', async () => {
    const equals = ['a', 'b', 'c'].map((name) => says(name, { buyAmount: 5n }))
    expect(await all(competeForQuote(contest(null, equals)))).toEqual(['a 5 simulated'])
  })
})

describe('an estimator', () => {
  test('that hangs delays the result only until the end, and the best so far is returned', async () => {
    const own = puppet('own')
    const given = contest(own.estimator, [hangs, hangs])
    const result = best(given)
    own.says(100n, 'computed')
    given.end()
    expect(await result).toBe('own 100 computed')
    expect(own.isLeft).toBe(true)
  })

  test('that promises too much is refuted or corrected to what it gives, and does not win', async () => {
    const liar = says('liar', { buyAmount: 10n ** 30n })
    const router = says('own', { buyAmount: 100n, standing: 'computed' })
    const refuting = { verify: async () => ({ verdict: 'refuted' as const, reason: 'gave 3' }) }
    for (const quality of ['fast', 'optimal', 'verified', 'stream'] as const) {
      const caught = contest(router, [liar], {
        quality,
        enough: 2,
        verify: async (estimate) => (estimate.estimator === 'liar' ? refuting.verify() : held(estimate)),
      })
      expect(await all(competeForQuote(caught))).toEqual([expect.stringMatching(/^own 100 /)])
    }
    await expect(best(contest(fails(none), [liar], refuting))).rejects.toMatchObject({ code: 'NoLiquidity' })

    const reduced: QuoteContest['verify'] = async (estimate) => held({ ...estimate, buyAmount: 99n })
    expect(await best(contest(router, [liar], { verify: reduced }))).toBe('own 100 computed')
  })

  test('that is refuted is asked again once if the market has moved, and told what was refuted', async () => {
    const asked: (bigint | undefined)[] = []
    const moving = (amounts: bigint[]): Estimator => ({
      name: 'one',
      async estimate(_ask, _signal, refuted) {
        asked.push(refuted?.buyAmount)
        return offer('one', amounts.shift() ?? 0n)
      },
    })
    const verify: QuoteContest['verify'] = async (estimate) =>
      estimate.buyAmount > 90n ? { verdict: 'refuted', reason: 'too little' } : held(estimate)
    const hasMoved = async () => true
    const given = (...amounts: bigint[]) => contest(null, [moving(amounts)], { verify, hasMoved })
    expect(await best(given(100n, 90n))).toBe('one 90 simulated')
    expect(asked.splice(0)).toEqual([undefined, 100n])
    await expect(best(given(101n, 100n, 90n))).rejects.toMatchObject({ code: 'NoLiquidity' })
    expect(asked.splice(0)).toEqual([undefined, 101n])
    const still = contest(null, [moving([100n, 90n])], { verify })
    await expect(best(still)).rejects.toMatchObject({ code: 'NoLiquidity' })
    expect(asked).toEqual([undefined])
  })

  test('is warned of once for many requests, without their tokens and amounts', async () => {
    const warned: unknown[] = []
    const log = { ...silentLog, warn: (...line: unknown[]) => void warned.push(line) }
    const warn = createThrottledLog({ now: () => 1_800_000_000_000, log })
    const verdicts: QuoteContest['verify'][] = [
      async ({ buyAmount }) => ({ verdict: 'refuted', reason: `it leaves ${buyAmount} atoms too few` }),
      async ({ buyAmount }) => {
        throw new Outage(`the simulation of ${buyAmount}`)
      },
    ]
    const own = says('own', { buyAmount: 5n, standing: 'computed' })
    for (const verify of verdicts)
      for (const buyAmount of [100n, 101n, 102n])
        await best(
          contest(own, [says('one', { buyAmount }), says('bad', { buyAmount, gas: 0n })], {
            verify,
            log,
            warn,
          }),
        )
    expect(warned).toEqual([
      ['an estimate does not fit the request', { estimator: 'bad' }],
      ['an estimate was refuted', { estimator: 'one' }],
      ['an estimate could not be simulated', { estimator: 'one' }],
    ])
  })

  test('that is refuted does not count when the time is over', async () => {
    const own = says('own', { buyAmount: 100n, standing: 'computed' })
    const given = contest(own, [], {
      quality: 'verified',
      verify: async () => ({ verdict: 'refuted', reason: 'too little' }),
      hasMoved: () => new Promise(() => {}),
    })
    setTimeout(given.end)
    await expect(best(given)).rejects.toMatchObject({ code: 'Unavailable' })
  })

  test.each<[string, Partial<Estimate> & { buyAmount: bigint }]>([
    ['no output', { buyAmount: 0n }],
    ['no gas', { buyAmount: 500n, gas: 0n }],
    ['a negative amount', { buyAmount: -5n }],
    ['another size', { buyAmount: 500n, sellAmount: 1n }],
  ])('whose estimate has %s is ignored', async (_what, garbage) => {
    const own = says('own', { buyAmount: 100n, standing: 'computed' })
    expect(await best(contest(own, [says('bad', garbage)]))).toBe('own 100 computed')
    await expect(best(contest(fails(none), [says('bad', garbage)]))).rejects.toMatchObject({
      code: 'NoLiquidity',
    })
  })

  test('that throws at once, or rejects after the end, affects no other', async () => {
    const thrower: Estimator = {
      name: 'thrower',
      estimate() {
        throw new TypeError('broken')
      },
    }
    const slow = puppet('slow')
    const given = contest(says('own', { buyAmount: 1n, standing: 'computed' }), [thrower, slow.estimator])
    const result = best(given)
    await Promise.resolve()
    given.end()
    expect(await result).toBe('own 1 computed')
    slow.fails(new Error('a late rejection'))
  })
})

describe('the quality', () => {
  const own = says('own', { buyAmount: 100n, standing: 'computed' })

  test('optimal trusts the own router, and simulates claims of other estimators', async () => {
    const verify = vi.fn(held)
    await best(contest(own, [says('other', { buyAmount: 90n })], { verify }))
    expect(verify.mock.calls.map(([estimate]) => estimate.estimator)).toEqual(['other'])
  })

  test('verified prefers a simulated estimate to a higher one that is not', async () => {
    const verify: QuoteContest['verify'] = async (estimate) =>
      estimate.estimator === 'own' ? { verdict: 'unplayable' } : held(estimate)
    const others = [says('other', { buyAmount: 90n })]
    expect(await all(competeForQuote(contest(own, others, { quality: 'verified', verify })))).toEqual([
      'own 100 computed',
      'other 90 simulated',
    ])
    // A stream yields no lower estimate afterwards.
    expect(await all(competeForQuote(contest(own, others, { quality: 'stream', verify })))).toEqual([
      'own 100 computed',
    ])
  })

  test('fast does not count claims that cannot be simulated', async () => {
    const own = puppet('own')
    const claims = [says('one', { buyAmount: 500n }), says('two', { buyAmount: 600n })]
    const unplayable = { verify: async () => ({ verdict: 'unplayable' as const }) }
    const reported = all(
      competeForQuote(contest(own.estimator, claims, { quality: 'fast', enough: 2, ...unplayable })),
    )
    own.says(100n, 'computed')
    expect(await reported).toEqual(['own 100 computed'])
    const alone = contest(fails(none), claims, { quality: 'fast', enough: 2, ...unplayable })
    expect(await all(competeForQuote(alone))).toEqual(['two 600 claimed'])
  })

  test('fast ends after enough usable estimates, and does not wait for late ones', async () => {
    const late = puppet('late')
    const others = [fails(none), says('other', { buyAmount: 110n }), late.estimator]
    const given = contest(own, others, { quality: 'fast', enough: 2 })
    expect(await best(given)).toBe('other 110 simulated')
    const needy = contest(own, others, { quality: 'fast', enough: 3 })
    const result = best(needy)
    late.says(120n)
    expect(await result).toBe('late 120 simulated')
  })

  test("verified falls back to the own router's estimate when its simulation hangs, but not to a claim", async () => {
    const stuck = vi.fn<QuoteContest['verify']>(() => new Promise(() => {}))
    const given = contest(own, [says('liar', { buyAmount: 10n ** 30n })], {
      quality: 'verified',
      verify: stuck,
    })
    const result = best(given)
    await vi.waitFor(() => expect(stuck).toHaveBeenCalledTimes(2))
    given.end()
    expect(await result).toBe('own 100 computed')

    const alone = contest(null, [says('liar', { buyAmount: 10n ** 30n })], { verify: stuck })
    const refused = best(alone)
    await vi.waitFor(() => expect(stuck).toHaveBeenCalledTimes(3))
    alone.end()
    await expect(refused).rejects.toThrow(Outage)
  })
})

describe('where nothing can be simulated', () => {
  const unplayable = [
    async (): Promise<Verification> => ({ verdict: 'unplayable' }),
    () => Promise.reject(new Outage('the node')),
  ]
  const own = says('own', { buyAmount: 100n, standing: 'computed' })
  const claims = [says('low', { buyAmount: 190n }), says('high', { buyAmount: 200n })]

  test.each(unplayable)('a claim loses to any computed estimate', async (verify) => {
    for (const quality of ['fast', 'optimal', 'verified', 'stream'] as const) {
      expect(await all(competeForQuote(contest(own, claims, { quality, enough: 2, verify })))).toEqual([
        'own 100 computed',
      ])
    }
  })

  test.each(unplayable)('the best claim is used when there is no computed estimate', async (verify) => {
    expect(await all(competeForQuote(contest(fails(none), claims, { verify })))).toEqual(['high 200 claimed'])
  })

  test.each(unplayable)('a verified quote is refused where verification is required', async (verify) => {
    const required = { mode: 'require', verify } as const
    for (const quality of ['verified', 'stream'] as const) {
      const given = contest(own, claims, { ...required, quality })
      await expect(best(given)).rejects.toMatchObject({ code: 'QuoteNotVerified' })
    }
    expect(await best(contest(own, claims, { ...required, quality: 'optimal' }))).toBe('own 100 computed')
    // Without any estimate the code is another one.
    await expect(best(contest(fails(none), [], { ...required, quality: 'verified' }))).rejects.toMatchObject({
      code: 'NoLiquidity',
    })
  })

  test('in the unverified mode no estimate is simulated, and a claim still loses', async () => {
    const verify = vi.fn(held)
    for (const quality of ['fast', 'optimal', 'verified'] as const) {
      expect(await best(contest(own, claims, { quality, mode: 'unverified', verify }))).toBe(
        'own 100 computed',
      )
    }
    expect(await best(contest(fails(none), claims, { mode: 'unverified', verify }))).toBe('high 200 claimed')
    expect(verify).not.toHaveBeenCalled()
  })
})

describe('where no estimator has an estimate', () => {
  const refuse = (code: RefusalCode) => new Refusal(code, code)
  const text = refuse('CustomSolverError')
  const down = new Outage('the node')

  test.each<[string, unknown, unknown[], unknown]>([
    ['a custom error of a solver comes first', down, [refuse('RateLimited'), text], text],
    [
      'of several the first',
      none,
      [refuse('TokenTemporarilySuspended'), text],
      { code: 'TokenTemporarilySuspended' },
    ],
    ['a rate-limited estimator does not count', none, [refuse('RateLimited')], { code: 'NoLiquidity' }],
    [
      'a failing estimator does not count',
      refuse('UnsupportedToken'),
      [new Error('?')],
      { code: 'UnsupportedToken' },
    ],
    ['an unavailable estimator counts as having none', none, [down], { code: 'NoLiquidity' }],
    ['an unavailable own router makes the quote unavailable', down, [none, refuse('UnsupportedToken')], down],
    [
      'an unavailable own router counts also beside a rate-limited estimator',
      down,
      [refuse('RateLimited')],
      down,
    ],
    [
      'an unsupported token comes before no route',
      none,
      [refuse('UnsupportedToken')],
      { code: 'UnsupportedToken' },
    ],
    [
      'no route comes before an unsupported order type',
      none,
      [refuse('UnsupportedOrderType')],
      { code: 'NoLiquidity' },
    ],
    ['an unsupported order type', refuse('UnsupportedOrderType'), [], { code: 'UnsupportedOrderType' }],
  ])('%s', async (_what, own, others, expected) => {
    const result = best(
      contest(
        fails(own),
        others.map((reason) => fails(reason)),
      ),
    )
    await expect(result).rejects.toSatisfy((fault) => {
      expect(fault).toMatchObject(expected as object)
      return true
    })
  })

  test('and the time is over, quotes are unavailable, not absent', async () => {
    const given = contest(hangs, [hangs])
    const result = best(given)
    given.end()
    await expect(result).rejects.toMatchObject({ code: 'Unavailable' })
    const answered = contest(fails(none), [hangs])
    const none2 = best(answered)
    await Promise.resolve()
    answered.end()
    await expect(none2).rejects.toMatchObject({ code: 'NoLiquidity' })
  })

  test('and there is no own router, unavailable estimators make the quote unavailable', async () => {
    await expect(best(contest(null, [fails(down), fails(down)]))).rejects.toThrow(Outage)
    await expect(best(contest(null, [fails(down), fails(none)]))).rejects.toMatchObject({
      code: 'NoLiquidity',
    })
  })

  test("because the own router's estimate is refuted, there is no liquidity", async () => {
    const own = says('own', { buyAmount: 100n, standing: 'computed' })
    const refuted: QuoteContest['verify'] = async () => ({
      verdict: 'refuted',
      reason: 'the receiver takes nothing',
    })
    for (const quality of ['verified', 'stream'] as const) {
      await expect(best(contest(own, [], { quality, verify: refuted }))).rejects.toMatchObject({
        code: 'NoLiquidity',
        message: expect.not.stringContaining('receiver'),
      })
    }
  })
})
