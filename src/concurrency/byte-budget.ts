import { LRUCache } from 'lru-cache'
import { Refusal } from '../domain/errors/error.ts'
import type { Clock } from '../domain/log.ts'

/** Bytes that each client can cause to be stored of what ends after an age. */
export interface ByteBudget {
  /** @throws Refusal RateLimited while the client has none left, with the time until it has */
  check(client: string): void
  hasRoom(client: string): boolean
  add(client: string, bytes: number): void
}

/** Least recently seen clients are forgotten first. */
const maxClients = 50_000

/**
 * A bucket of half the bytes for each client, in this process, which is full again after the age: so no more than `bytes` of a client are stored
 * at any time, but for those of the requests under way.
 * @param what in messages, such as `idempotency keys`
 */
export function createByteBudget(
  { what, bytes, ageMs }: { what: string; bytes: number; ageMs: number },
  now: Clock,
): ByteBudget {
  const burst = bytes / 2
  const msPerByte = ageMs / burst
  /** What each client’s bucket lacked, and when. */
  const clients = new LRUCache<string, { lacked: number; at: number }>({ max: maxClients })
  const missing = (client: string) => {
    const { lacked, at } = clients.get(client) ?? { lacked: 0, at: 0 }
    // A clock that was set back locks nobody out.
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
