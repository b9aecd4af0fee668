import { createFairQueue, type FairQueue } from '../../concurrency/fair-queue.ts'
import { Refusal } from '../../domain/errors/error.ts'

/**
 * Turns for the code of orders and accounts, which strangers can make slow: one of them holds up himself, and all of
 * them together a bounded part. Each has one turn at a time.
 */
export function createContractCallQueue(atOnce: number): FairQueue {
  return createFairQueue({
    running: { most: atOnce, perKey: 1 },
    waiting: { most: 3 * atOnce, perKey: atOnce },
    refusal: () => new Refusal('Unavailable', 'too many wait for their wallets or hooks: try again later'),
  })
}
