import { createHmac, randomBytes } from 'node:crypto'
import { type ByteBudget, createByteBudget } from '../concurrency/byte-budget.ts'
import { createLruCache } from '../domain/derived.ts'
import { Refusal } from '../domain/errors/error.ts'
import type { Clock } from '../domain/log.ts'
import type { PassedKind } from './order-book.ts'

/** The client of a request that is passed on. */
export interface Asker {
  /** Absent in calls of the program itself, which no limit of clients counts. */
  client?: string | undefined
  /** The key in its `X-API-Key`, which may be one of the order book. */
  headerKey?: string | undefined
  /** The time of an earlier attempt of the same request whose end is not known. */
  interruptedAt?: Date | undefined
}

/** The calls that each client may cause, and the keys of clients that are passed on. */
export interface ClientLimits {
  /** Calls other than quotes and submissions, without a key of the client. */
  calls: Pick<ByteBudget, 'hasRoom' | 'add'>
  /** Counts a call. @returns the key to call with, if it is the client's @throws Refusal RateLimited */
  charge(kind: PassedKind, asker: Asker): string | undefined
  hasRoom(kind: PassedKind, asker: Asker): boolean
  /** The key of a client that its calls are made with; undefined for the one of this service. */
  keyOf(asker: Asker): string | undefined
  /** Stops calls with a key of a client, because the order book requests it. */
  pause(key: string, ms: number): void
}

interface ClientLimitsOptions {
  callsPerMinute: number
  quotesPerSecond: number
  submissionsPerSecond: number
  /** Reports whether a key may be passed on: the operator allows it, and the key is not the deployment's. */
  mayForward(key: string): boolean
  now: Clock
}

const minuteMs = 60_000
const maxPausedKeys = 10_000
const minPauseMs = 1_000

/**
 * Creates limits by which one client has a tenth of each budget. A key of a client has the whole of another,
 * as the order book counts it apart; so has a client with many keys. Keys are known by a hash only.
 */
export function createClientLimits(options: ClientLimitsOptions): ClientLimits {
  const { callsPerMinute, quotesPerSecond, submissionsPerSecond, mayForward, now } = options
  const perMinute = {
    calls: callsPerMinute,
    quotes: quotesPerSecond * 60,
    submissions: submissionsPerSecond * 60,
  }
  const budget = (what: keyof typeof perMinute, part: number) =>
    createByteBudget({ what, bytes: Math.max(4, perMinute[what] * part), ageMs: minuteMs }, { now })
  const budgets = (part: number) => {
    const calls = budget('calls', part)
    const [quote, submission] = [budget('quotes', part), budget('submissions', part)]
    return { read: calls, document: calls, quote, requote: quote, submission }
  }
  const [shared, keyed] = [budgets(0.1), budgets(1)]
  const pausedUntil = createLruCache<string, number>({ max: maxPausedKeys })
  const salt = randomBytes(32)
  const hashOf = (key: string) => createHmac('sha256', salt).update(key).digest('base64url')
  const keyOf = ({ headerKey }: Asker) =>
    headerKey !== undefined && forwardable.test(headerKey) && mayForward(headerKey) ? headerKey : undefined

  /** The buckets that a call is taken from. */
  function bucketsOf(kind: PassedKind, client: string, hash: string | undefined) {
    if (hash === undefined) return [{ budget: shared[kind], of: client }]
    return [hash, `client ${client}`].map((of) => ({ budget: keyed[kind], of }))
  }

  function pauseOf(hash: string | undefined): number {
    return hash === undefined ? 0 : Math.max(0, (pausedUntil.get(hash) ?? 0) - now())
  }

  return {
    calls: shared.read,
    keyOf,
    hasRoom(kind, asker) {
      const { client } = asker
      if (client === undefined) return true
      const key = keyOf(asker)
      const hash = key && hashOf(key)
      const hasCalls = bucketsOf(kind, client, hash).every(({ budget, of }) => budget.hasRoom(of))
      return hasCalls && pauseOf(hash) === 0
    },
    charge(kind, asker) {
      const { client } = asker
      const key = keyOf(asker)
      if (client === undefined) return key
      const hash = key && hashOf(key)
      const pauseMs = pauseOf(hash)
      if (pauseMs > 0) throw overLimit('the order book requests a pause of this API key', pauseMs)
      const buckets = bucketsOf(kind, client, hash)
      if (!buckets.every(({ budget, of }) => budget.hasRoom(of)))
        throw overLimit('this client has made the calls of the order book that one client may', retryMs)
      for (const { budget, of } of buckets) budget.add(of, 1)
      return key
    },
    pause: (key, ms) =>
      void pausedUntil.set(hashOf(key), now() + Math.min(maxPauseMs, Math.max(minPauseMs, ms))),
  }
}

/** A shorter one would be found, and redacted, in any text. */
const forwardable = /^[\x21-\x7e]{8,500}$/
const retryMs = 10_000
const maxPauseMs = 300_000

function overLimit(message: string, retryAfterMs: number): Refusal {
  return new Refusal('RateLimited', message, { data: { limit: 'calls to the order book', retryAfterMs } })
}
