import type { Auction } from '../domain/auction/auction.ts'
import type { Proposal } from '../domain/auction/solution.ts'
import type { Address } from '../domain/evm/address.ts'
import type { Pool } from '../domain/routing/pool.ts'

/** Liquidity for solvers. */
export interface SolverMarket {
  pools: readonly Pool[]
}

/** What became of a solution, in the words of the solver protocol, and why in ours. */
export interface Notice {
  kind: string
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
  /** Sends and stores a notice about one of its proposals, without waiting. */
  notify(proposal: Proposal, notice: Notice): void
  /** The same about an auction of which no proposal is known any more. */
  notifyOfAuction?(auctionId: bigint, notice: Notice): void
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
