import { createLruCache } from '../domain/derived.ts'
import { Refusal } from '../domain/errors/error.ts'
import type { Clock } from '../domain/log.ts'
import { createCommonUse, type SharedBudgets } from './common-use.ts'

/** The bytes that each client can cause to be stored, of data that expires after an age. */
export interface ByteBudget {
  /**
   * Checks the budget.
   * @throws Refusal RateLimited while the client has none left, with the time until it has
   */
  check(client: string): void
  hasRoom(client: string): boolean
  add(client: string, bytes: number): void
}

/** Counts the use of budgets, for metrics. */
export interface StoredMeter {
  countStored(what: string, bytes: number): void
  /** Counts a request that a budget refuses. */
  countLimited(limit: string): void
}

export interface ByteBudgetOptions {
  now: Clock
  /** Counts the use of all processes; without it each process counts its own. */
  shared?: SharedBudgets | undefined
  meter?: StoredMeter | undefined
}

/** The number of clients above which the least recently seen are forgotten. */
const maxClients = 50_000
/** Bytes that several processes store before they know of each other are owed, up to this many budgets. */
const maxOwed = 2

/**
 * Creates a bucket of half the bytes for each client, which refills within the age. So at most `bytes` of a
 * client are stored at any time, except for requests in progress.
 * @param what in messages and metrics, such as `idempotency keys`
 */
export function createByteBudget(
  { what, bytes, ageMs }: { what: string; bytes: number; ageMs: number },
  { now, shared, meter }: ByteBudgetOptions,
): ByteBudget {
  const burst = bytes / 2
  const msPerByte = ageMs / burst
  const kind = `stored ${what}`
  /** The missing bytes of each client's bucket, and their time. */
  const clients = createLruCache<string, { lacked: number; at: number }>({ max: maxClients })
  const missing = (client: string) => {
    const { lacked, at } = clients.get(client) ?? { lacked: 0, at: 0 }
    // A clock that was set back blocks no client.
    return Math.max(0, lacked - Math.max(0, now() - at) / msPerByte)
  }
  const common =
    shared &&
    createCommonUse(shared, ({ client }, fullInMs) => {
      clients.set(client, { lacked: fullInMs / msPerByte, at: now() })
    })
  return {
    hasRoom: (client) => missing(client) < burst,
    check(client) {
      const over = missing(client) - burst
      if (over < 0) return
      meter?.countLimited(kind)
      const retryAfterMs = Math.ceil((over + 1) * msPerByte)
      throw new Refusal('RateLimited', `this client has as many bytes of ${what} stored as it may`, {
        data: { limit: what, retryAfterMs },
      })
    },
    add(client, added) {
      meter?.countStored(what, added)
      clients.set(client, { lacked: missing(client) + added, at: now() })
      common?.add({ client, kind, costMs: added * msPerByte, maxMs: maxOwed * ageMs })
    },
  }
}
