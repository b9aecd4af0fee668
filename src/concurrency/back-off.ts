import { LRUCache } from 'lru-cache'

/** The keys in back-off, with reasons. Each further failure doubles the wait. Kept in memory: a restart ends all waits. */
export interface BackOff<Reason> {
  /** @param share of the wait, in (0, 1]: with different shares, keys that failed together are retried apart */
  fail(key: string, block: number, reason: Reason, share?: number): void
  /** Ends the wait, and forgets the failures. */
  forgive(key: string): void
  /** The reason of the last failure; `undefined` if the key does not have to wait. */
  waiting(key: string, block: number): Reason | undefined
}

/** Above this the oldest keys are forgotten. */
const maxKeys = 10_000

/** @param maxWaitBlocks a power of two */
export function createBackOff<Reason>(maxWaitBlocks: number): BackOff<Reason> {
  const failures = new LRUCache<string, { count: number; until: number; reason: Reason }>({ max: maxKeys })
  return {
    fail(key, block, reason, share = 1) {
      const count = Math.min((failures.peek(key)?.count ?? 0) + 1, Math.log2(maxWaitBlocks))
      // At least the auction of the next block is skipped.
      const waitBlocks = Math.max(2, Math.ceil(share * 2 ** count))
      failures.set(key, { count, until: block + waitBlocks, reason })
    },
    forgive: (key) => void failures.delete(key),
    waiting(key, block) {
      const failure = failures.peek(key)
      // After a reorg the block may be lower. A wait that would then exceed the longest one is void.
      return failure && block < failure.until && failure.until - block <= maxWaitBlocks
        ? failure.reason
        : undefined
    },
  }
}
