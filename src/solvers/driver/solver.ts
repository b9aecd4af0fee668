import type { Auction } from '../../domain/auction/auction.ts'
import type { Proposal } from '../../domain/auction/solution.ts'
import { Refusal } from '../../domain/errors/error.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Clock } from '../../domain/log.ts'
import { settlementGas } from '../../domain/settlement/gas.ts'
import { OutsideFault } from '../../outside/fault.ts'
import type { Health } from '../../outside/health.ts'
import { JsonText } from '../../outside/http-json.ts'
import {
  createNotices,
  faultNotice,
  refusalNotice,
  refusedBy,
  type SolutionNotice,
} from '../outside/notices.ts'
import { createPunctuality } from '../outside/punctuality.ts'
import type { Notice, Solver } from '../solver.ts'
import { createDriverAuctionWriter, type DriverAuctionWriter } from './auction.ts'
import { type CompetingDriver, createCompetingDriver, type DriverSolution } from './auction-client.ts'

interface DriverSolverOptions {
  name: string
  /** The account that submits its settlements. */
  address: Address
  driver: CompetingDriver
  health: Health
  write: DriverAuctionWriter
  notify(notice: SolutionNotice): void
  now: Clock
  /** The time for its solutions and for revealing them, in milliseconds. */
  solveMs: number
}

/** The maximum number of solutions of one answer that the driver is asked to reveal. */
const maxProposals = 3

/** The part of the time for solutions that is reserved for revealing them. */
const revealMs = (solveMs: number) => Math.min(1_000, Math.floor(solveMs / 5))

/**
 * Creates a solver from a driver that takes part in auctions: it proposes amounts, reveals the calldata for
 * them, and submits that itself.
 */
function createDriverSolver(options: DriverSolverOptions): Solver {
  const { name, address, driver, health, write, notify, now, solveMs } = options
  const punctuality = createPunctuality()

  /** Requests solutions. @throws OutsideFault, of which the driver is notified */
  async function ask(auction: Auction, signal: AbortSignal): Promise<DriverSolution[]> {
    const until = now() + solveMs
    const request = new JsonText(write(auction, new Date(until - revealMs(solveMs))))
    try {
      const solutions = await health.ask(() => driver.solve(auction.id, request, signal))
      punctuality.answered(now() <= until)
      return solutions
    } catch (fault) {
      const notice = faultNotice(fault)
      if (notice) notify({ auctionId: auction.id, solutionIds: [], ...notice })
      if (fault instanceof OutsideFault) punctuality.answered(false)
      if (fault instanceof Refusal) return []
      throw fault
    }
  }

  async function reveal(
    auctionId: bigint,
    solution: DriverSolution,
    signal: AbortSignal,
    refuse: (solution: DriverSolution, notice: Notice) => void,
  ): Promise<Proposal[]> {
    const { solutionId, orders: claims, gas } = solution
    const origin = { auctionId, solutionIds: [solutionId] }
    try {
      const calldata = await driver.reveal({ auctionId, solutionId }, signal)
      const submission = { calldata, claims }
      return [
        {
          prices: new Map(),
          trades: [],
          interactions: [],
          gas: gas || settlementGas(claims.size, claims.size),
          submission,
          origin,
        },
      ]
    } catch (fault) {
      const reason =
        fault instanceof Refusal ? fault.message : fault instanceof OutsideFault ? fault.reason : ''
      if (reason === '') throw fault
      if (fault instanceof OutsideFault) punctuality.answered(false)
      refuse(solution, refusalNotice('not_revealed', `it is not revealed: ${reason}`))
      return []
    }
  }

  return {
    name,
    address,
    outside: {
      maxProposals,
      isPunctual: () => health.state() === 'closed' && punctuality.isPunctual(),
      notify: (origin, notice) => notify({ ...origin, ...notice }),
      submits: { settle: (assignment, signal) => driver.settle(assignment, signal) },
    },
    async solve(auction, market) {
      const refuse = ({ solutionId, orders }: DriverSolution, notice: Notice) => {
        const solutionIds = [solutionId]
        notify({ auctionId: auction.id, solutionIds, ...notice })
        market.refuse?.({ ...refusedBy(notice), solutionIds, orderUids: [...orders.keys()] })
      }
      const signal = AbortSignal.timeout(solveMs)
      const solutions = await ask(auction, signal)
      const refusals = new Map(solutions.map((one) => [one, refusalOf(one, address)]))
      const accepted = solutions
        .filter((one) => refusals.get(one) === undefined)
        .toSorted((a, b) => Number(b.score > a.score) - Number(b.score < a.score))
      for (const one of accepted.splice(maxProposals))
        refusals.set(
          one,
          refusalNotice('too_many', `only the best ${maxProposals} solutions of an answer compete`),
        )
      for (const [one, notice] of refusals) if (notice) refuse(one, notice)
      const revealed = await Promise.all(accepted.map((one) => reveal(auction.id, one, signal, refuse)))
      return revealed.flat()
    },
  }
}

function refusalOf({ orders, submissionAddress }: DriverSolution, address: Address): Notice | undefined {
  if (orders.size === 0)
    return { kind: 'emptySolution', code: 'invalid_amount', reason: 'the solution trades nothing' }
  if (submissionAddress === address) return undefined
  return refusalNotice(
    'other_than_claimed',
    `it would be submitted from ${submissionAddress}, not from ${address}`,
  )
}

interface DriverConnection {
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
    name,
    address,
    health,
    now,
    solveMs,
    driver: createCompetingDriver({
      solve: { ...peer, timeoutMs: solveMs, maxBytes: maxAnswerBytes },
      reveal: { ...peer, timeoutMs: solveMs, maxBytes: maxRevealedBytes },
      settle: { ...peer, timeoutMs: settleTimeoutMs, maxBytes: maxErrorBytes },
    }),
    write: createDriverAuctionWriter(),
    notify: createNotices({ peer: { ...peer, maxBytes: maxErrorBytes }, store }),
  })
}
