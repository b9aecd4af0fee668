import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Outage } from '../../src/domain/errors/error.ts'
import { type Address, address } from '../../src/domain/evm/address.ts'
import type { Log } from '../../src/domain/log.ts'
import type { Sourced } from '../../src/domain/token/sourced.ts'
import type { TokenSource } from '../../src/market/token-source.ts'
import { OutsideFault } from '../../src/outside/fault.ts'
import {
  createFallbackSource,
  type FallbackLimits,
  fallbackLimits,
} from '../../src/tokens/fallback-source.ts'
import { numbered } from '../fakes/order.ts'

/** What a source answers from now on. */
type Saying = string | 'none' | 'fault' | 'bug' | 'hangs'

let lines: { level: string; message: string; fields: Record<string, unknown> | undefined }[]
const note = (level: string) => (message: string, fields?: Record<string, unknown>) =>
  void lines.push({ level, message, fields })
const log: Log = { debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') }

beforeEach(() => {
  lines = []
  vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'], now: 1_800_000_000_000 })
  // Timeouts follow the fake clock too.
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    const controller = new AbortController()
    setTimeout(() => controller.abort(), ms)
    return controller.signal
  })
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})
const pass = (ms: number) => void vi.advanceTimersByTime(ms)

const token = numbered('01')
const names = ['first', 'second', 'third']

function start(sayings: Saying[], limits: Partial<FallbackLimits> = {}) {
  const asked: string[] = []
  const sources = sayings.map((_, index): TokenSource<string> => {
    const name = names[index] ?? ''
    return {
      name,
      async find() {
        asked.push(name)
        const saying = sayings[index]
        await Promise.resolve()
        if (saying === 'hangs') return new Promise(() => {})
        if (saying === 'fault') throw new OutsideFault(name, 'status 500')
        if (saying === 'bug') throw new TypeError('a mistake')
        return saying === 'none' ? undefined : saying
      },
    }
  })
  const fallbackSource = createFallbackSource({ what: 'the USD price', sources, now: Date.now, log, limits })
  return {
    find: (of: Address = token, client = 'somebody') => fallbackSource.find(of, client),
    peek: (of: Address = token) => fallbackSource.peek(of),
    /** The sources asked since the last read. */
    asked: () => asked.splice(0),
    says: (...next: Saying[]) => void sayings.splice(0, next.length, ...next),
  }
}

const answer = (value: string, source = 'first', keepMs = fallbackLimits.freshMs): Sourced<string> => ({
  value,
  source,
  at: Date.now(),
  keepMs,
  isStale: false,
})
/** The same answer, returned again as stale. */
const stale = (found: Sourced<string> | undefined) => found && { ...found, keepMs: 0, isStale: true }
const unavailable = new Outage('the USD price')
const isUnavailable = { name: 'Outage', message: 'the USD price is unavailable' }

describe('the order of sources', () => {
  test('the first source with an answer wins, and those after it are not asked', async () => {
    const { find, asked } = start(['none', '2', '3'])
    expect(await find()).toEqual(answer('2', 'second'))
    expect(asked()).toEqual(['first', 'second'])
  })

  test('a source that fails is skipped, and its replacement is kept only for a short time', async () => {
    const { find, asked, says } = start(['fault', '2'])
    expect(await find()).toEqual(answer('2', 'second', fallbackLimits.secondBestMs))
    expect(asked()).toEqual(['first', 'second'])
    says('1')
    pass(fallbackLimits.secondBestMs - 1)
    expect(await find()).toMatchObject({ value: '2' })
    expect(asked()).toEqual([])
    pass(1)
    expect(await find()).toEqual(answer('1'))
  })

  test('a bug in one source does not stop the next, and is logged as an error', async () => {
    const { find } = start(['bug', '2'])
    expect(await find()).toMatchObject({ value: '2' })
    expect(lines).toMatchObject([
      { level: 'error', message: 'a token source failed', fields: { source: 'first' } },
    ])
  })
})

describe('absent and unavailable', () => {
  test('a token is absent when every source denies it, and that is cached for a short time', async () => {
    const { find, asked, says } = start(['none', 'none'])
    expect(await find()).toBeUndefined()
    says('1')
    pass(fallbackLimits.absentMs - 1)
    expect(await find()).toBeUndefined()
    expect(asked()).toEqual(['first', 'second'])
    pass(1)
    expect(await find()).toEqual(answer('1'))
  })

  test('without any source every token is unavailable', async () => {
    await expect(start([]).find()).rejects.toMatchObject(isUnavailable)
  })

  test.each<[Saying, Saying]>([
    ['fault', 'none'],
    ['none', 'fault'],
    ['fault', 'fault'],
    ['none', 'bug'],
  ])('%s and %s make the token unavailable for a moment', async (...sayings) => {
    const { find, asked, says } = start(sayings)
    await expect(find()).rejects.toMatchObject(isUnavailable)
    await expect(find()).rejects.toMatchObject(isUnavailable)
    expect(asked()).toEqual(['first', 'second'])
    says('none', 'none')
    pass(fallbackLimits.retryMs)
    expect(await find()).toBeUndefined()
  })

  test('an outage names each source that failed, and why', async () => {
    const { find } = start(['fault', 'none', 'bug'])
    await expect(find()).rejects.toHaveProperty('cause', 'first: status 500, third: failed')
  })
})

describe('staleness', () => {
  test('while sources fail the last answer is returned as stale, with its own time', async () => {
    const { find, asked, says } = start(['1', 'none'])
    const found = await find()
    says('fault')
    pass(fallbackLimits.freshMs - 1)
    expect(await find()).toEqual(found)
    expect(asked()).toEqual(['first'])
    pass(1)
    expect(await find()).toEqual(stale(found))
    expect(asked()).toEqual(['first', 'second'])
    expect(await find()).toEqual(stale(found))
    expect(asked()).toEqual([])
    pass(fallbackLimits.retryMs)
    says('5')
    expect(await find()).toEqual(stale(found))
    await setImmediate()
    expect(await find()).toEqual(answer('5'))
  })

  test('callers get a stale answer at once, and one round in the background serves them all', async () => {
    const { find, asked, says } = start(['1'])
    const found = await find()
    says('hangs')
    pass(fallbackLimits.freshMs)
    const first = find()
    await setImmediate()
    pass(fallbackLimits.roundMs)
    expect(await first).toEqual(stale(found))
    asked()
    for (let round = 0; round < 3; round++) {
      pass(fallbackLimits.retryMs)
      for (let call = 0; call < 100; call++) expect(await find()).toEqual(stale(found))
      expect(asked()).toEqual(round === 0 ? ['first'] : [])
    }
  })

  test('a caller waits for a new round when the token was not asked for in a while', async () => {
    const { find, says } = start(['1'])
    const found = await find()
    says('fault')
    pass(fallbackLimits.freshMs)
    await find()
    says('5')
    pass(fallbackLimits.retryMs + fallbackLimits.behindMs - 1)
    expect(await find()).toEqual(stale(found))
    pass(fallbackLimits.freshMs)
    says('fault')
    await find()
    says('7')
    pass(fallbackLimits.retryMs + fallbackLimits.behindMs)
    expect(await find()).toEqual(answer('7'))
  })

  test('a stale answer expires', async () => {
    const { find, says } = start(['1'])
    await find()
    says('fault')
    pass(fallbackLimits.staleMs - 1)
    expect(await find()).toMatchObject({ value: '1', isStale: true })
    pass(fallbackLimits.retryMs)
    await expect(find()).rejects.toMatchObject(isUnavailable)
  })

  test('a token that all sources denied meanwhile has no stale answer', async () => {
    const { find, says } = start(['1'])
    await find()
    says('none')
    pass(fallbackLimits.freshMs)
    expect(await find()).toBeUndefined()
    says('fault')
    pass(fallbackLimits.absentMs)
    await expect(find()).rejects.toMatchObject(isUnavailable)
  })

  test('a fresh answer of a lower source wins over a stale one of a higher source', async () => {
    const { find, says } = start(['1', '2'])
    await find()
    says('fault')
    pass(fallbackLimits.freshMs)
    expect(await find()).toEqual(answer('2', 'second', fallbackLimits.secondBestMs))
  })
})

describe('concurrent callers', () => {
  test('a thousand callers make one round, and later callers none', async () => {
    const { find, asked } = start(['none', '2'])
    const answers = await Promise.all(Array.from({ length: 1_000 }, () => find()))
    expect(new Set(answers)).toEqual(new Set([answer('2', 'second')]))
    for (let call = 0; call < 1_000; call++) await find()
    expect(asked()).toEqual(['first', 'second'])
  })

  test('a thousand callers ask a source that is down once', async () => {
    const { find, asked } = start(['fault'])
    const answers = await Promise.allSettled(Array.from({ length: 1_000 }, () => find()))
    expect(answers.filter(({ status }) => status === 'rejected')).toHaveLength(1_000)
    expect(asked()).toEqual(['first'])
  })

  test('different tokens queue for a slot; those beyond the limit are rejected, and not cached', async () => {
    const { find, asked } = start(['1'], { atOnce: 1, maxWaiting: 1 })
    const tokens = ['01', '02', '03'].map(numbered)
    const answers = await Promise.allSettled(tokens.map((of) => find(of)))
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected'])
    expect(await find(tokens[2])).toEqual(answer('1'))
    expect(asked()).toHaveLength(3)
  })

  test('a caller without a slot gets the stale answer', async () => {
    const { find, says } = start(['1'], { atOnce: 1, maxWaiting: 0 })
    await find()
    says('fault')
    pass(fallbackLimits.freshMs)
    const [, late] = await Promise.allSettled([find(numbered('02')), find()])
    expect(late).toMatchObject({ value: { value: '1', isStale: true } })
  })

  test('the least used tokens are evicted', async () => {
    const { find, asked } = start(['1'], { maxKnown: 2 })
    for (const of of ['01', '02', '01', '03', '01', '02']) await find(numbered(of))
    expect(asked()).toHaveLength(4)
  })
})

describe('timeouts', () => {
  const limits = { roundMs: 300, minMs: 20 }
  /** Elapsed milliseconds by the fake clock. */
  async function elapsed(work: Promise<unknown>): Promise<number> {
    const started = performance.now()
    let isOver = false
    const end = () => {
      isOver = true
    }
    work.then(end, end)
    for (await setImmediate(); !isOver; await setImmediate()) pass(1)
    return performance.now() - started
  }

  test('a source that hangs leaves the next ones their share of the time, even if all before them hang', async () => {
    const { find } = start(['hangs', 'hangs', '3'], limits)
    const found = find()
    expect(await elapsed(found)).toBe(200)
    expect(await found).toMatchObject({ value: '3', source: 'third' })
  })

  test('a round ends at its timeout', async () => {
    const { find } = start(['hangs', 'hangs'], limits)
    const found = find()
    expect(await elapsed(found)).toBe(limits.roundMs)
    await expect(found).rejects.toMatchObject(isUnavailable)
  })

  test('each source gets a minimum of time, even if the process was blocked and the round is over', async () => {
    const signals: AbortSignal[] = []
    const sources = [
      { name: 'first', find: async () => pass(limits.roundMs) },
      { name: 'second', find: async (_: Address, signal: AbortSignal) => void signals.push(signal) },
    ]
    const { find } = createFallbackSource({ what: 'the USD price', sources, now: Date.now, log, limits })
    await find(token, 'somebody')
    pass(limits.minMs - 1)
    expect(signals).toMatchObject([{ aborted: false }])
    pass(1)
    expect(signals).toMatchObject([{ aborted: true }])
  })

  test('waiting for a slot counts towards the timeout', async () => {
    const { find, asked } = start(['hangs'], { ...limits, atOnce: 1 })
    const all = Promise.allSettled(['01', '02', '03', '04'].map((of) => find(numbered(of))))
    expect(await elapsed(all)).toBe(limits.roundMs)
    expect(asked()).toEqual(['first'])
  })
})

describe('a client with many requests', () => {
  const freshToken = (of: number) => address(`0x${of.toString(16).padStart(40, '0')}`)
  const soon = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
  let asked: Address[]
  /** Answers after `answerMs`; requests for tokens that hang never end. */
  function open(answerMs: number, hangs: (of: Address) => boolean = () => false, limits = {}) {
    asked = []
    const source: TokenSource<string> = {
      name: 'first',
      async find(of) {
        asked.push(of)
        await (hangs(of) ? new Promise(() => {}) : soon(answerMs))
        return '1'
      },
    }
    return createFallbackSource({ what: 'the USD price', sources: [source], now: Date.now, log, limits })
  }
  async function live(ms: number, { step = 1, each = (_at: number) => {} } = {}) {
    for (let at = 0; at < ms; at += step) {
      each(at)
      pass(step)
      await setImmediate()
    }
  }

  test('does not delay a client with few requests', async () => {
    const fallbackSource = open(300, undefined, { maxWaiting: 400 })
    const flood: Promise<unknown>[] = []
    const modest: Promise<unknown>[] = []
    let tokens = 0
    const each = (at: number) => {
      for (let of = 0; of < 32; of++)
        flood.push(fallbackSource.find(freshToken(tokens++), 'flood').catch(String))
      if (at % 100 === 0) modest.push(fallbackSource.find(freshToken(tokens++), 'modest').catch(String))
    }
    await live(2_000, { step: 20, each })
    await live(5_000, { step: 100 })
    expect(await Promise.all(modest)).toEqual(modest.map(() => expect.objectContaining({ value: '1' })))
    expect(modest).toHaveLength(20)
    // The flooding client has half of the slots, each for 300 ms, until its queued requests time out.
    const answered = (await Promise.all(flood)).filter((result) => typeof result === 'object')
    expect(answered.length).toBeGreaterThanOrEqual(32 * 12)
  })

  test('delays no other client with tokens that hang', async () => {
    const fallbackSource = open(1, (of) => of !== token)
    for (let of = 0; of < 200; of++) fallbackSource.find(freshToken(of), 'flood').catch(() => {})
    await live(2)
    expect(asked).toHaveLength(32)
    const found = fallbackSource.find(token, 'modest')
    await live(2)
    expect(await found).toMatchObject({ value: '1' })
  })

  test('does not move tokens of other clients to the end of its queue', async () => {
    const fallbackSource = open(1_000)
    const wanted = freshToken(300)
    const flood = Array.from({ length: 301 }, (_, of) =>
      fallbackSource.find(freshToken(of), 'flood').catch(String),
    )
    const found = [fallbackSource.find(wanted, 'modest'), fallbackSource.find(wanted, 'another')]
    await live(1_001)
    expect(await Promise.all(found)).toMatchObject([{ value: '1' }, { value: '1' }])
    // The flooding client asked for this token too; it is fetched once.
    expect(await flood[300]).toMatchObject({ value: '1' })
    expect(asked.filter((of) => of === wanted)).toHaveLength(1)
  })

  test('has one timeout for each of its requests, and a client that joins one has its own', async () => {
    const fallbackSource = open(4_000, (of) => of !== token)
    for (let of = 0; of < 64; of++)
      fallbackSource.find(freshToken(of), of % 2 === 0 ? 'flood' : 'crowd').catch(() => {})
    const tired = fallbackSource.find(token, 'flood').catch((fault: Outage) => fault.cause)
    await live(fallbackLimits.roundMs - 100)
    const joined = fallbackSource.find(token, 'modest')
    await live(101)
    expect(await tired).toBe('no slot was free in time')
    await live(fallbackLimits.roundMs)
    expect(await joined).toMatchObject({ value: '1' })
  })
})

test('peek returns a fresh answer, and asks no source', async () => {
  const { find, peek, asked, says } = start(['1'])
  expect(peek()).toBeUndefined()
  await find()
  expect(asked()).toEqual(['first'])
  expect(peek()).toEqual(answer('1'))
  says('fault')
  pass(fallbackLimits.freshMs - 1)
  expect(peek()).toMatchObject({ value: '1' })
  pass(1)
  expect(peek()).toBeUndefined()
  expect(asked()).toEqual([])
  expect(await find()).toMatchObject({ isStale: true })
  expect(peek()).toBeUndefined()
})

test('a source that cannot answer is logged once per interval; faults of outside sources are logged by their guard', async () => {
  const quiet = new Outage('the node', 'the feed is out of date')
  const never = () => new Promise<never>(() => {})
  const sources = [
    { name: 'first', find: () => Promise.reject(quiet) },
    { name: 'second', find: () => Promise.reject(new OutsideFault('second', 'status 500')) },
    { name: 'third', isGuarded: true, find: never },
    { name: 'fourth', find: never },
  ]
  const { find } = createFallbackSource({ what: 'the USD price', sources, now: Date.now, log })
  for (let of = 1; of <= 2; of++) {
    const asked = find(numbered(`0${of}`), 'somebody').catch(() => {})
    for (let step = 0; step < 2; step++) {
      await setImmediate()
      pass(2_250)
    }
    await asked
  }
  const warning = (source: string, reason: string) => {
    const fields = { source, what: 'the USD price', reason }
    return { level: 'warn', message: 'a token source could not say', fields }
  }
  expect(lines).toEqual([
    warning('first', 'the feed is out of date'),
    warning('fourth', 'did not answer in time'),
  ])
})

test('for any answers at any times, the last round explains the result', async () => {
  const saying = fc.constantFrom<Saying>('none', 'none', 'fault', 'fault', 'a', 'b')
  const { freshMs, secondBestMs, absentMs, staleMs, retryMs, behindMs } = fallbackLimits
  const times = [0, 1, retryMs, secondBestMs, freshMs, absentMs, staleMs].flatMap((ms) => [ms, ms + 1])
  const step = fc.record({ says: fc.tuple(saying, saying, saying), after: fc.constantFrom(...times) })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      const { find, asked, says } = start(['none', 'none', 'none'])
      let round: Round | undefined
      for (const { says: sayings, after } of steps) {
        pass(after)
        says(...sayings)
        const result = await find().catch((fault: unknown) => fault)
        await setImmediate()
        const questions = asked()
        const before = round
        if (questions.length > 0) {
          if (round) expect(Date.now() - round.at).toBeGreaterThanOrEqual(lifetime(round.sayings))
          const left = isDenied(round?.sayings) ? undefined : found(round)
          round = { sayings: [...sayings], at: Date.now(), left }
          const last = sayings.findIndex(isValue)
          expect(questions).toEqual(last < 0 ? names : names.slice(0, last + 1))
        }
        if (!round) throw new Error('no source was ever asked')
        expect(Date.now() - round.at).toBeLessThan(Math.max(lifetime(round.sayings), 1))
        expect(result).toEqual(meanwhile(before) ?? explained(round))
      }
    }),
    { numRuns: 300 },
  )

  interface Round {
    sayings: Saying[]
    at: number
    /** The newest answer before this round. */
    left: Sourced<string> | undefined
  }
  function isValue(said: Saying): boolean {
    return said !== 'none' && said !== 'fault'
  }
  function isDenied(sayings: Saying[] | undefined): boolean {
    return sayings?.every((said) => said === 'none') ?? true
  }
  /** The newest answer after a round. */
  function found(round: Round | undefined): Sourced<string> | undefined {
    const index = round?.sayings.findIndex(isValue) ?? -1
    if (!round || index < 0) return round?.left
    const { sayings, at } = round
    return { ...answer(sayings[index] ?? '', names[index], lifetime(sayings)), at }
  }
  function lifetime(sayings: Saying[]): number {
    const first = sayings.find((said) => said !== 'none')
    if (first === undefined) return absentMs
    if (first !== 'fault') return freshMs
    return sayings.some(isValue) ? secondBestMs : retryMs
  }
  function explained(round: Round): Sourced<string> | Outage | undefined {
    if (round.sayings.some(isValue)) return found(round)
    if (isDenied(round.sayings)) return undefined
    const { left, at } = round
    return left && at - left.at < staleMs ? stale(left) : unavailable
  }
  /** An answer that was stale a moment ago is returned at once, whatever sources answer now. */
  function meanwhile(round: Round | undefined): Sourced<string> | undefined {
    const result = round && explained(round)
    if (!round?.left || !result || result instanceof Outage || !result.isStale) return undefined
    const isReported = Date.now() < round.at + retryMs + behindMs && Date.now() - round.left.at < staleMs
    return isReported ? result : undefined
  }
})
