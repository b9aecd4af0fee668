import type { Auction } from '../domain/auction/auction.ts'
import type { Solution } from '../domain/auction/solution.ts'
import type { Unusable } from '../domain/auction/winner-selection.ts'
import type { Network } from '../domain/network/network.ts'
import type { Pool } from '../domain/routing/pool.ts'
import type { OutsideSolver, Solver } from '../solvers/solver.ts'
import { solutionBookings } from './bookings.ts'
import { checkProposal } from './check-proposal.ts'
import { busySolvers } from './driver/busy.ts'
import { checkSubmission } from './driver/check-submission.ts'
import { timed } from './meter.ts'
import { askedSolvers, faultNotice, withoutFailing, withoutPlaced } from './outside.ts'
import type { AuctionServices } from './services.ts'

/** An auction with the solutions to it, and those of them that cannot win. */
export interface Contest {
  auction: Auction
  solutions: readonly Solution[]
  unusable: Unusable
  maxWinners: number
}

/**
 * Collects the valid solutions of all solvers until the deadline, shuffled. A solver that fails or hangs affects no other, and an auction
 * does not wait for an outside one that was late before.
 */
export async function compete(
  auction: Auction,
  pools: readonly Pool[],
  services: AuctionServices,
  signal: AbortSignal,
): Promise<Solution[]> {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(services.settings.solveMs)])
  const busy = await busySolvers(services)
  const solutions = await timed(services, 'solve', () =>
    whatCame(
      askedSolvers(auction, services)
        .filter(({ address }) => !busy.has(address))
        .map((solver) => ({
          isPunctual: solver.outside?.isPunctual() ?? true,
          answer: solutionsOf(solver, auction, pools, services, deadline),
        })),
    ),
  )
  return shuffle(solutions, services.random)
}

interface Asked {
  isPunctual: boolean
  answer: Promise<Solution[]>
}

/** The solutions of all punctual solvers, and those that the others have sent by then. */
async function whatCame(asked: readonly Asked[]): Promise<Solution[]> {
  const punctual = asked.filter(({ isPunctual }) => isPunctual)
  const came: Solution[][] = []
  const answers = asked.map(({ answer }) => answer.then((solutions) => void came.push(solutions)))
  await Promise.all(punctual.length === 0 ? answers : answers.filter((_, index) => asked[index]?.isPunctual))
  return came.flat()
}

async function solutionsOf(
  solver: Solver,
  auction: Auction,
  pools: readonly Pool[],
  services: AuctionServices,
  deadline: AbortSignal,
): Promise<Solution[]> {
  const { network, log, meter } = services
  const { outside } = solver
  try {
    const proposals = await Promise.race([solver.solve(auction, { pools }, deadline), aborted(deadline)])
    const solutions = proposals.flatMap((proposal) => {
      const { submission } = proposal
      const solution = submission
        ? checkSubmission(auction, solver.address, { ...proposal, submission }, network)
        : checkProposal(auction, solver.address, proposal, network.wrappedNative)
      if (!('fault' in solution)) return [solution]
      log.warn('solution refused', {
        auctionId: String(auction.id),
        solver: solver.name,
        fault: solution.fault,
      })
      outside?.notify(proposal, faultNotice(solution.fault))
      return []
    })
    const paid = payable(solutions, auction, solver, services)
    const unplaced = outside ? await withoutPlaced(paid, outside, services) : paid
    const safe = outside ? await guarded(auction, unplaced, outside, network) : unplaced
    const usable = outside ? await withoutFailing(auction, safe, outside, services) : safe
    meter.answered(solver.name, usable.length === proposals.length ? 'ok' : 'refused')
    return usable
  } catch (error) {
    meter.answered(solver.name, deadline.aborted ? 'late' : 'failed')
    log.warn('solver failed', {
      auctionId: String(auction.id),
      solver: solver.name,
      error: String(error),
    })
    return []
  }
}

/** The solutions that the solver's account can pay for. Others win until it is funded; the solver is notified. */
function payable(
  solutions: readonly Solution[],
  { gasPrice }: Pick<Auction, 'gasPrice'>,
  { address, outside }: Pick<Solver, 'address' | 'outside'>,
  { accounts }: Pick<AuctionServices, 'accounts'>,
): Solution[] {
  return solutions.filter(({ proposal }) => {
    const reason = accounts.shortage(address, proposal.gas, gasPrice)
    if (reason !== undefined) outside?.notify(proposal, { kind: 'driverError', reason, extra: { reason } })
    return reason === undefined
  })
}

/** With what keeps the settlement contract's tokens safe from the solver's calls. */
async function guarded(
  auction: Auction,
  solutions: Solution[],
  outside: OutsideSolver,
  network: Network,
): Promise<Solution[]> {
  if (!outside.guard) return solutions
  return outside.guard(
    auction,
    solutions.map((solution) => ({ solution, bookings: solutionBookings(auction, solution, network) })),
  )
}

/** Rejects a moment after the signal: a solver has that long to return what it has. */
function aborted(signal: AbortSignal): Promise<never> {
  const graceMs = 100
  return new Promise((_, reject) => {
    const late = () => setTimeout(() => reject(new Error('over the deadline')), graceMs).unref()
    if (signal.aborted) late()
    else signal.addEventListener('abort', late, { once: true })
  })
}

/** Breaks ties at random, not by the order of solvers. */
function shuffle<T>(items: readonly T[], random: () => number): T[] {
  const shuffled: T[] = []
  for (const item of items) shuffled.splice(Math.floor(random() * (shuffled.length + 1)), 0, item)
  return shuffled
}
