import type { Address } from '../evm/address.ts'
import type { Bytes32, Hex } from '../evm/hex.ts'
import type { Interactions, OrderData, SigningScheme } from './order.ts'

/** An order to simulate: signed, and possibly filled in part. */
export interface SimulatedOrder extends OrderData {
  owner: Address
  signingScheme: SigningScheme
  /** The signature in the settlement contract's form; null simulates the order as if it were signed. */
  signature: Hex | null
  interactions: Interactions
  /** The filled atoms of the fixed side. */
  filled: bigint
}

/** State that replaces an account's own state in the simulated call. */
export interface StateOverride {
  balance?: Hex
  code?: Hex
  stateDiff?: Record<Bytes32, Hex>
}

/** A settlement of one order alone at its limit price, and its result. */
export interface OrderSimulation {
  /** The requested block; null is the newest. */
  block: number | null
  from: Address
  to: Address
  input: Hex
  /** The limit in gas units. */
  gas: number
  overrides: Record<Address, StateOverride>
  /** The reason for the failure; null if it would succeed. */
  error: string | null
  /**
   * True if the simulated solver had the funds that it pays with. Otherwise the settlement may have failed
   * for lack of them.
   */
  isFunded: boolean
}
