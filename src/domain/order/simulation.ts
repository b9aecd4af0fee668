import type { Address } from '../evm/address.ts'
import type { Bytes32, Hex } from '../evm/hex.ts'
import type { Interactions, OrderData, SigningScheme } from './order.ts'

/** An order to simulate: signed, and maybe filled in part. */
export interface SimulatedOrder extends OrderData {
  owner: Address
  signingScheme: SigningScheme
  /** As the settlement contract takes it; null: as if it were signed. */
  signature: Hex | null
  interactions: Interactions
  /** Atoms of the fixed side. */
  filled: bigint
}

/** What the simulated call finds in place of an account's own state. */
export interface StateOverride {
  balance?: Hex
  code?: Hex
  stateDiff?: Record<Bytes32, Hex>
}

/** A settlement of one order alone, at its limit price, and what became of it. */
export interface OrderSimulation {
  /** The block that was named; null is the newest. */
  block: number | null
  from: Address
  to: Address
  input: Hex
  /** Units of gas. */
  gas: number
  overrides: Record<Address, StateOverride>
  /** Why it fails; null if it would succeed. */
  error: string | null
  /** Whether the made-up solver had what it pays with: otherwise it may have failed for that. */
  isFunded: boolean
}
