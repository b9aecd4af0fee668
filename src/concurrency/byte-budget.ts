import { LRUCache } from 'lru-cache'
import { Refusal } from '../domain/errors/error.ts'
import type { Clock } from '../domain/log.ts'

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

/** The number of clients above which the least recently seen are forgotten. */
const maxClients = 50_000

/**
 * Creates a bucket of half the bytes for each client in this process, which refills within the age. So at
 * most `bytes` of a client are stored at any time, except for requests in progress.
 * @param what in messages, such as `idempotency keys`
 */
export function createByteBudget(
  { what, bytes, ageMs }: { what: string; bytes: number; ageMs: number },
  now: Clock,
): ByteBudget {
  const burst = bytes / 2
  const msPerByte = ageMs / burst
  /** The missing bytes of each client's bucket, and their time. */
  const clients = new LRUCache<string, { lacked: number; at: number }>({ max: maxClients })
  const missing = (client: string) => {
    const { lacked, at } = clients.get(client) ?? { lacked: 0, at: 0 }
    // A clock that was set back blocks no client.
    return Math.max(0, lacked - Math.max(0, now() - at) / msPerByte)
  }
  return {
    hasRoom: (client) => missing(client) < burst,
    check(client) {
      const over = missing(client) - burst
      if (over < 0) return
      const retryAfterMs = Math.ceil((over + 1) * msPerByte)
      throw new Refusal('RateLimited', `this client has as many bytes of ${what} stored as it may`, {
        data: { limit: what, retryAfterMs },
      })
    },
    add(client, added) {
      clients.set(client, { lacked: missing(client) + added, at: now() })
    },
  }
}
