import { createFairQueue, type FairQueue } from '../../concurrency/fair-queue.ts'
import { Refusal } from '../../domain/errors/error.ts'

/**
 * Creates a queue for calls of untrusted code: hooks, tokens, wallets. Each owner has one slot at a time, so
 * slow code delays only its own owner's calls, and all slow code together occupies at most `atOnce` slots.
 */
export function createContractCallQueue(atOnce: number): FairQueue {
  return createFairQueue({
    running: { most: atOnce, perKey: 1 },
    waiting: { most: 3 * atOnce, perKey: atOnce },
    refusal: () => new Refusal('Unavailable', 'too many wait for their wallets or hooks: try again later'),
  })
}
