import { LRUCache } from 'lru-cache'

/** Who has to wait, and why: each further failure doubles the wait. Kept in memory: a restart gives everybody one more try. */
export interface BackOff<Reason> {
  /** @param share of the wait, in (0, 1]: those that failed together come back apart when it differs */
  fail(key: string, block: number, reason: Reason, share?: number): void
  forgive(key: string): void
  /** `undefined` for whoever does not have to wait. */
  waiting(key: string, block: number): Reason | undefined
}

/** Beyond this many the oldest are forgotten. */
const maxKeys = 10_000

/** @param longestWait in blocks, a power of two */
export function createBackOff<Reason>(longestWait: number): BackOff<Reason> {
  const failures = new LRUCache<string, { count: number; until: number; reason: Reason }>({ max: maxKeys })
  return {
    fail(key, block, reason, share = 1) {
      const count = Math.min((failures.peek(key)?.count ?? 0) + 1, Math.log2(longestWait))
      // The next block's auction is missed at least.
      const wait = Math.max(2, Math.ceil(share * 2 ** count))
      failures.set(key, { count, until: block + wait, reason })
    },
    forgive: (key) => void failures.delete(key),
    waiting(key, block) {
      const failure = failures.peek(key)
      // A chain that lost its end starts the wait anew, and no longer than it can be.
      return failure && block < failure.until && failure.until - block <= longestWait
        ? failure.reason
        : undefined
    },
  }
}
