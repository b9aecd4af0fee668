import { createLruCache } from '../domain/derived.ts'

/**
 * The keys in back-off, with reasons. Each further failure doubles the wait. It is kept in memory: a restart
 * ends all waits.
 */
export interface BackOff<Reason> {
  /**
   * Records a failure.
   * @param share of the wait, in (0, 1]: different shares spread the retries of keys that failed together
   */
  fail(key: string, block: number, reason: Reason, share?: number): void
  /** Ends the wait, and forgets the failures. */
  forgive(key: string): void
  /** Returns the reason of the last failure; undefined if the key need not wait. */
  waiting(key: string, block: number): Reason | undefined
}

/** The number of keys above which the oldest are forgotten. */
const maxKeys = 10_000

/** Creates a back-off. @param maxWaitBlocks a power of two */
export function createBackOff<Reason>(maxWaitBlocks: number): BackOff<Reason> {
  const failures = createLruCache<string, { count: number; until: number; reason: Reason }>({ max: maxKeys })
  return {
    fail(key, block, reason, share = 1) {
      const count = Math.min((failures.peek(key)?.count ?? 0) + 1, Math.log2(maxWaitBlocks))
      // The wait skips at least the auction of the next block.
      const waitBlocks = Math.max(2, Math.ceil(share * 2 ** count))
      failures.set(key, { count, until: block + waitBlocks, reason })
    },
    forgive: (key) => void failures.delete(key),
    waiting(key, block) {
      const failure = failures.peek(key)
      // The block may be lower after a reorganisation. A wait that would then exceed the maximum is void.
      return failure && block < failure.until && failure.until - block <= maxWaitBlocks
        ? failure.reason
        : undefined
    },
  }
}
