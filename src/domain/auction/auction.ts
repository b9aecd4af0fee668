import type { Address } from '../evm/address.ts'
import type { FeePolicy } from '../fee/policy.ts'
import type { Order } from '../order/order.ts'

/** An order in one auction. */
export interface AuctionOrder {
  order: Order
  /** Unfilled atoms of the fixed side. */
  remaining: bigint
  feePolicies: FeePolicy[]
  /** Gas beyond its trade: a contract's signature check as measured, hooks, unwrapping. */
  extraGas: bigint
}

/** The solvable orders of one block, with native prices. */
export interface Auction {
  id: bigint
  chainId: number
  /** Block that the auction was built on. */
  block: number
  /** Last block for a settlement. */
  deadlineBlock: number
  orders: AuctionOrder[]
  /** Native atoms for 10^18 token atoms, by token. Always has the wrapped native token. */
  nativePrices: ReadonlyMap<Address, bigint>
  /** Whose orders count for the score where a solver brings them. */
  surplusCapturingOwners: readonly Address[]
  /** Wei for one unit of gas. */
  gasPrice: bigint
}
