import type { Address } from '../evm/address.ts'
import type { FeePolicy } from '../fee/policy.ts'
import type { Order } from '../order/order.ts'

/** An order as it stands in one auction. */
export interface AuctionOrder {
  order: Order
  /** Atoms of the fixed side that are still to fill. */
  remaining: bigint
  feePolicies: FeePolicy[]
  /** Gas beyond its trade: a contract's signature as it was measured, hooks, unwrapping. */
  extraGas: bigint
}

/** What solvers compete for: the solvable orders of one block, with native prices. */
export interface Auction {
  id: bigint
  chainId: number
  /** Block that the auction was built on. */
  block: number
  /** Last block for a settlement. */
  deadlineBlock: number
  orders: AuctionOrder[]
  /** Native atoms for 10^18 token atoms, by token. Holds the wrapped native token always. */
  nativePrices: ReadonlyMap<Address, bigint>
  /** Wei for one unit of gas. */
  gasPrice: bigint
}
