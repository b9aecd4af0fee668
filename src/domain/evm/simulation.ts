import type { Interactions, OrderData, SigningScheme } from '../order/order.ts'
import type { RanHooks } from '../settlement/hooks.ts'
import type { Address } from './address.ts'
import type { Bytes32, Hex } from './hex.ts'

/** A transaction of a bundle. Each one runs on the state that the previous one leaves. */
export interface BundleTransaction {
  from: Address
  to: Address
  input: Hex
  /** The value in native atoms. */
  value: bigint
  /** The gas limit; null for an equal share of the bundle's limit. */
  gas: number | null
}

/** A log with its event, if the event is known. */
export interface SimulatedLog {
  address: Address
  topics: Bytes32[]
  data: Hex
  event: DecodedEvent | null
}

export interface DecodedEvent {
  name: string
  /** The arguments in the order of the event. Values are text: numbers are decimal, bytes are hex. */
  arguments: { name: string; type: string; value: string }[]
}

/** The change of an account's token balance since before the bundle. */
export interface BalanceChange {
  account: Address
  /** The token; `nativeMarker` for the chain's own coin. */
  token: Address
  /** The change in atoms; negative for a decrease. */
  change: bigint
}

/** A slot of an account's storage that the bundle changed. */
export interface StorageChange {
  account: Address
  slot: Bytes32
  before: Bytes32
  after: Bytes32
}

/** The result of a transaction. Changes are those of the bundle up to and including it. */
export interface SimulatedTransaction {
  succeeds: boolean
  /** The reason for the failure; null if it succeeds. */
  error: string | null
  gasUsed: number
  logs: SimulatedLog[]
  /** True if `logs` is complete. */
  hasAllLogs: boolean
  balances: BalanceChange[]
  /** True if `balances` has all accounts that the logs name. */
  hasAllBalances: boolean
  /** The storage changes; null if the node cannot trace, or the trace is too large. */
  storage: StorageChange[] | null
}

export interface BundleSimulation {
  /** The block on whose state the bundle runs. */
  block: number
  transactions: SimulatedTransaction[]
}

export const bundleLimits = {
  transactions: 10,
  /** The limit of all inputs together, in bytes. */
  inputBytes: 49_152,
  /** The limit of all transactions together, in gas. */
  gas: 30_000_000,
}

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

/** The use of an order's simulation. */
export interface SimulationUse {
  /** True to trace a settlement that succeeds, which runs it once more, for the gas of its hooks. */
  tracesHooks: boolean
  /** True to give the owner the sold tokens and their allowance. */
  fundsOwner: boolean
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
  /** The hooks that ran; null if they were not traced, or the node does not show them. */
  hooks: RanHooks | null
}
