import type { Auction } from '../domain/auction/auction.ts'
import type { Proposal } from '../domain/auction/solution.ts'
import type { Address } from '../domain/evm/address.ts'
import type { Pool } from '../domain/routing/pool.ts'

/** What a solver may trade against. */
export interface SolverMarket {
  pools: readonly Pool[]
}

export interface Solver {
  /** Submits the solver's settlements. */
  address: Address
  name: string
  /** Best proposals first; none is an answer. After the signal it returns soon with what it has. */
  solve(auction: Auction, market: SolverMarket, signal: AbortSignal): Promise<Proposal[]>
}
