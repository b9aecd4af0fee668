import type { Address } from '../../domain/evm/address.ts'
import type { Clock } from '../../domain/log.ts'
import type { Health } from '../../outside/health.ts'
import { createNotices, type SolutionNotice } from '../engine/notices.ts'
import type { Solver } from '../solver.ts'
import { createDriverAuctionWriter } from './auction.ts'
import { createCompetingDriver } from './competing.ts'
import { createDriverSolver } from './solver.ts'

export interface DriverConnection {
  name: string
  url: string
  /** The account that submits its settlements. */
  address: Address
  solveMs: number
  health: Health
  now: Clock
  store(notice: SolutionNotice): Promise<void>
}

/** The limit of one answer: several times what its solutions need. */
const maxAnswerBytes = 1_000_000
/**
 * The limit of revealed calldata: two forms of one settlement, each with the maximum calldata that nodes
 * accept, as hex digits.
 */
const maxRevealedBytes = 600_000
const maxErrorBytes = 10_000
/**
 * The time limit for an answer to a settlement, longer than any deadline: a driver may answer when it is
 * done.
 */
const settleTimeoutMs = 30 * 60_000

/** Connects to a driver over HTTP that takes part in auctions. */
export function connectDriver({ name, url, address, solveMs, health, now, store }: DriverConnection): Solver {
  const peer = { name, url, now }
  return createDriverSolver({
    ...{ name, address, health, now, solveMs },
    driver: createCompetingDriver({
      solve: { ...peer, timeoutMs: solveMs, maxBytes: maxAnswerBytes },
      reveal: { ...peer, timeoutMs: solveMs, maxBytes: maxRevealedBytes },
      settle: { ...peer, timeoutMs: settleTimeoutMs, maxBytes: maxErrorBytes },
    }),
    write: createDriverAuctionWriter(),
    notify: createNotices({ peer: { ...peer, maxBytes: maxErrorBytes }, store }),
  })
}
