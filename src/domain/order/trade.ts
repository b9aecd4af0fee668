import type { Address } from '../evm/address.ts'
import type { Bytes32 } from '../evm/hex.ts'
import type { OrderUid } from './uid.ts'

/** One Trade log of the settlement contract. */
export interface Trade {
  chainId: number
  blockNumber: number
  logIndex: number
  orderUid: OrderUid
  owner: Address
  sellToken: Address
  buyToken: Address
  /** The amount taken from the owner, signed fee included. */
  sellAmount: bigint
  buyAmount: bigint
  /** The signed part of the fee; 0 for zero-fee orders. */
  feeAmount: bigint
  txHash: Bytes32
  /** The auction of the settlement; null if it belongs to no auction of this service. */
  auctionId: bigint | null
}
