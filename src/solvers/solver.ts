import type { Auction } from '../domain/auction/auction.ts'
import type { Proposal } from '../domain/auction/solution.ts'
import type { Address } from '../domain/evm/address.ts'
import type { Pool } from '../domain/routing/pool.ts'

/** Liquidity for solvers. */
export interface SolverMarket {
  pools: readonly Pool[]
}

export interface Solver {
  /** Account that submits the solver's settlements. */
  address: Address
  name: string
  /** The best proposals first; possibly none. After the signal it soon returns what it has. */
  solve(auction: Auction, market: SolverMarket, signal: AbortSignal): Promise<Proposal[]>
}
