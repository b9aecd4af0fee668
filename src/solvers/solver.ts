import type { Auction } from '../domain/auction/auction.ts'
import type { RefusedSolution, SolutionRefusal } from '../domain/auction/refusal.ts'
import type { Proposal, ProposalOrigin } from '../domain/auction/solution.ts'
import type { Address } from '../domain/evm/address.ts'
import type { Pool } from '../domain/routing/pool.ts'

/** Liquidity for solvers. */
export interface SolverMarket {
  pools: readonly Pool[]
  /** Called with each solution that is refused before it is proposed. */
  refuse?(refused: RefusedSolution): void
}

/** What became of a solution, in the words of the solver protocol, and why in ours. */
export interface Notice {
  kind: string
  /** Why the solution may not compete, if the notice says that it may not. */
  code?: SolutionRefusal
  reason: string
  /** Members that the protocol has for this kind. */
  extra?: Record<string, unknown>
}

/** What an auction needs of a solver that is not part of this program. */
export interface OutsideSolver {
  /** Proposals that compete, at most: those with the best scores. */
  maxProposals: number
  /** Whether auctions wait for its answer: not after it was late. An answer that comes before the others counts in any case. */
  isPunctual(): boolean
  /** Sends and stores a notice about one of its proposals, or about an auction, without waiting. */
  notify(about: ProposalOrigin, notice: Notice): void
  /** Of solvers that submit their settlements themselves. */
  submits?: OwnSubmission
}

/** What a solver is sent that has won and submits its settlement itself. */
export interface Assignment {
  auctionId: bigint
  /** Its own id of the solution. */
  solutionId: number
  /** The last block in which its settlement counts. */
  deadlineBlock: number
}

export interface OwnSubmission {
  /**
   * Has it settle. Resolves as soon as it answers: at once, or when it is done.
   * @returns why it does not settle
   * @throws OutsideFault when it is unknown whether it has heard
   */
  settle(assignment: Assignment, signal: AbortSignal): Promise<string | undefined>
}

export interface Solver {
  /** Account that submits the solver's settlements. */
  address: Address
  name: string
  /** The best proposals first; possibly none. After the signal it soon returns what it has. */
  solve(auction: Auction, market: SolverMarket, signal: AbortSignal): Promise<Proposal[]>
  /** Of solvers that are not part of this program. */
  outside?: OutsideSolver
}
