import type { Address } from '../evm/address.ts'
import type { FeePolicy } from '../fee/policy.ts'
import type { Order } from '../order/order.ts'

/** An order in one auction. */
export interface AuctionOrder {
  order: Order
  /** The unfilled atoms of the fixed side. */
  remaining: bigint
  feePolicies: FeePolicy[]
  /** Gas beyond the trade: a contract's signature check as measured, hooks, unwrapping. */
  extraGas: bigint
}

/** The solvable orders of one block, with native prices. */
export interface Auction {
  id: bigint
  chainId: number
  /** The block that the auction was built on. */
  block: number
  /** The last block for a settlement. */
  deadlineBlock: number
  orders: AuctionOrder[]
  /** Native atoms for 10^18 token atoms, by token. Always includes the wrapped native token. */
  nativePrices: ReadonlyMap<Address, bigint>
  /** Owners of orders that count for the score although a solver brings them. */
  surplusCapturingOwners: readonly Address[]
  /** Wei for one unit of gas. */
  gasPrice: bigint
}
