import type { Auction } from '../domain/auction/auction.ts'
import type { Refused, RefusedSolution, SolverAnswer } from '../domain/auction/competition.ts'
import type { Proposal, Solution } from '../domain/auction/solution.ts'
import type { Unusable } from '../domain/auction/winner-selection.ts'
import type { Address } from '../domain/evm/address.ts'
import type { OrderUid } from '../domain/order/order.ts'
import type { Pool } from '../domain/routing/pool.ts'
import { OutsideFault } from '../outside/fault.ts'
import { refusalNotice, refusedBy } from '../solvers/outside/notices.ts'
import type { Solver, SolverMarket } from '../solvers/solver.ts'
import { checkProposal } from './check-proposal.ts'
import { checkSubmission } from './driver/check-submission.ts'
import { busySolvers } from './driver/delegate.ts'
import { timed } from './meter.ts'
import {
  auctionFaultNotice,
  isPaused,
  pausedSolvers,
  type Refuse,
  safeSolutions,
  withoutPlaced,
} from './outside.ts'
import type { AuctionServices } from './services.ts'

/** An auction with the solutions to it, and those of them that cannot win. */
export interface Contest extends Competed {
  auction: Auction
  unusable: Unusable
  /** The reasons of unusable proposals. */
  reverts: ReadonlyMap<Proposal, Refused>
  maxWinners: number
}

/** The answers of solvers. */
interface Competed {
  solutions: readonly Solution[]
  /** One for each solver of the network. */
  answers: readonly Answer[]
}

interface Answer {
  solver: Address
  answer: SolverAnswer
  /** Why it is not asked, or failed, in words. */
  fault: string | null
  /** The time until the answer; null without one. */
  milliseconds: number | null
  /** Solutions that do not compete. */
  refused: readonly RefusedSolution[]
}

/**
 * Collects the valid solutions of all solvers until the deadline, shuffled. A solver that fails or hangs
 * affects no other, and an auction does not wait for an outside one that was late before.
 */
export async function compete(
  auction: Auction,
  pools: readonly Pool[],
  services: AuctionServices,
  signal: AbortSignal,
): Promise<Competed> {
  services.knownPools.note(pools)
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(services.settings.solveMs)])
  const busy = await busySolvers(services)
  const paused = new Map([
    ...(await pausedSolvers(auction, services)),
    ...services.solvers.flatMap(({ address, outside }): [Address, string][] =>
      !outside && isPaused(address, auction.block, services)
        ? [[address, 'is paused: its settlements fail even where they are empty']]
        : [],
    ),
  ])
  const asked = services.solvers.filter(({ address }) => !busy.has(address) && !paused.has(address))
  const came = await timed(services, 'solve', () =>
    receivedAnswers(
      asked.map((solver) => ({
        isPunctual: solver.outside?.isPunctual() ?? true,
        answer: answerOf(solver, auction, pools, services, deadline),
      })),
    ),
  )
  const answers = services.solvers.map(({ address }): Answer => {
    const answer = came.find(({ solver }) => solver === address)
    if (answer) return answer
    const none = { solver: address, milliseconds: null, refused: [] }
    if (asked.some((solver) => solver.address === address)) return { ...none, answer: 'late', fault: null }
    return { ...none, answer: 'not_asked', fault: paused.get(address) ?? 'has enough to submit' }
  })
  return {
    solutions: shuffle(
      came.flatMap(({ solutions }) => solutions),
      services.random,
    ),
    answers,
  }
}

interface ReceivedAnswer extends Answer {
  solutions: Solution[]
}

interface RequestedSolver {
  isPunctual: boolean
  answer: Promise<ReceivedAnswer>
}

/** The answers of all punctual solvers, and those that the other solvers have sent by then. */
async function receivedAnswers(asked: readonly RequestedSolver[]): Promise<ReceivedAnswer[]> {
  const punctual = asked.filter(({ isPunctual }) => isPunctual)
  const came: ReceivedAnswer[] = []
  const answers = asked.map(({ answer }) => answer.then((one) => void came.push(one)))
  await Promise.all(punctual.length === 0 ? answers : answers.filter((_, index) => asked[index]?.isPunctual))
  return [...came]
}

async function answerOf(
  solver: Solver,
  auction: Auction,
  pools: readonly Pool[],
  services: AuctionServices,
  deadline: AbortSignal,
): Promise<ReceivedAnswer> {
  const { log, meter } = services
  const started = performance.now()
  const refused: RefusedSolution[] = []
  const about = { solver: solver.address, refused }
  try {
    const market: SolverMarket = { pools, refuse: (one) => void refused.push(one) }
    const proposals = await Promise.race([solver.solve(auction, market, deadline), aborted(deadline)])
    const milliseconds = Math.round(performance.now() - started)
    const solutions = await usable(proposals, solver, auction, services, (proposal, notice) => {
      const { origin } = proposal
      if (origin) solver.outside?.notify(origin, notice)
      const solutionIds = origin?.solutionIds ?? []
      refused.push({ ...refusedBy(notice), solutionIds, orderUids: tradedBy(proposal) })
    })
    meter.answered(solver.name, solutions.length === proposals.length ? 'ok' : 'refused')
    return { ...about, answer: 'answered', fault: null, milliseconds, solutions }
  } catch (error) {
    const answer = deadline.aborted ? 'late' : 'failed'
    meter.answered(solver.name, answer)
    log.warn('solver failed', {
      auctionId: String(auction.id),
      solver: solver.name,
      error: String(error),
    })
    const fault = error instanceof OutsideFault ? error.reason : null
    return { ...about, answer, fault, milliseconds: null, solutions: [] }
  }
}

/** The orders of the auction that a proposal trades, as its solver claims. */
function tradedBy({ trades, submission }: Proposal): OrderUid[] {
  return submission ? [...submission.claims.keys()] : trades.map(({ orderUid }) => orderUid)
}

/** The solutions that compete. */
async function usable(
  proposals: readonly Proposal[],
  solver: Solver,
  auction: Auction,
  services: AuctionServices,
  refuse: Refuse,
): Promise<Solution[]> {
  const { network, log } = services
  const { outside } = solver
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
    refuse(proposal, auctionFaultNotice(solution))
    return []
  })
  const paid = payable(solutions, auction, solver, services, refuse)
  if (!outside) return paid
  const ofOthers = await withoutPlaced(paid, refuse, services)
  return safeSolutions(auction, ofOthers, outside, services, refuse)
}

/**
 * The solutions that can be sent. Others win until the solver's account is funded; none do while gas is too
 * dear, since each auction would leave an attempt that is not sent. The solver is notified.
 */
function payable(
  solutions: readonly Solution[],
  { gasPrice }: Pick<Auction, 'gasPrice'>,
  { address }: Pick<Solver, 'address'>,
  { accounts }: Pick<AuctionServices, 'accounts'>,
  refuse: Refuse,
): Solution[] {
  return solutions.filter(({ proposal }) => {
    const refusal = accounts.refusal(address, proposal.gas, gasPrice)
    if (refusal) refuse(proposal, refusalNotice(refusal.code, refusal.message))
    return !refusal
  })
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
