import type { Auction } from '../domain/auction/auction.ts'
import type { RefusedSolution, SolutionRefusal } from '../domain/auction/competition.ts'
import type { Proposal, ProposalOrigin } from '../domain/auction/solution.ts'
import type { Address } from '../domain/evm/address.ts'
import type { Pool } from '../domain/routing/pool.ts'

/** Liquidity for solvers. */
export interface SolverMarket {
  pools: readonly Pool[]
  /** Receives each solution that is refused before it is proposed. */
  refuse?(refused: RefusedSolution): void
}

/** A notice about the result of a solution: its kind from the solver protocol, and our reason. */
export interface Notice {
  kind: string
  /** The rule that keeps the solution from competing, if any. */
  code?: SolutionRefusal
  reason: string
  /** The members that the protocol has for this kind. */
  extra?: Record<string, unknown>
}

/** The interface of a solver outside this program, for auctions. */
export interface OutsideSolver {
  /** The maximum number of proposals that compete: those with the best scores. */
  maxProposals: number
  /**
   * Reports whether auctions wait for the solver's answer; they do not after an answer was late. An answer
   * that arrives before the other answers counts in any case.
   */
  isPunctual(): boolean
  /** Sends and stores a notice about one of its proposals, or about an auction, without waiting. */
  notify(about: ProposalOrigin, notice: Notice): void
  /** The interface of solvers that submit their settlements themselves. */
  submits?: OwnSubmission
}

/** The message to a solver that has won and submits its settlement itself. */
export interface Assignment {
  auctionId: bigint
  /** The solver's own id of the solution. */
  solutionId: number
  /** The last block in which its settlement counts. */
  deadlineBlock: number
}

export interface OwnSubmission {
  /**
   * Requests the settlement. Resolves as soon as the solver answers: at once, or when it is done.
   * @returns the reason why it does not settle
   * @throws OutsideFault if it is unknown whether the solver received the request
   */
  settle(assignment: Assignment, signal: AbortSignal): Promise<string | undefined>
}

export interface Solver {
  /** The account that submits the solver's settlements. */
  address: Address
  name: string
  /**
   * Returns the best proposals first, possibly none. After the signal it soon returns the proposals so far.
   */
  solve(auction: Auction, market: SolverMarket, signal: AbortSignal): Promise<Proposal[]>
  /** The interface of a solver outside this program. */
  outside?: OutsideSolver
}
