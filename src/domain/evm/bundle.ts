import type { Address } from './address.ts'
import type { Bytes32, Hex } from './hex.ts'

/** Transactions of a bundle, each on the state that the one before leaves. */
export interface BundleTransaction {
  from: Address
  to: Address
  input: Hex
  /** Native atoms. */
  value: bigint
  /** The most gas that it may use; null for an equal share of what the bundle may use. */
  gas: number | null
}

/** A log with its event, where the event is a known one. */
export interface SimulatedLog {
  address: Address
  topics: Bytes32[]
  data: Hex
  event: DecodedEvent | null
}

export interface DecodedEvent {
  name: string
  /** In the order of the event. Values are text: numbers are decimal, bytes are hex. */
  arguments: { name: string; type: string; value: string }[]
}

/** What an account has of a token more than before the bundle. */
export interface BalanceChange {
  account: Address
  /** `nativeMarker` for the chain's own coin. */
  token: Address
  /** Atoms; negative for less. */
  change: bigint
}

/** A slot of an account's storage that is not as before the bundle. */
export interface StorageChange {
  account: Address
  slot: Bytes32
  before: Bytes32
  after: Bytes32
}

/** What became of a transaction. Changes are those of the bundle up to and including it. */
export interface SimulatedTransaction {
  succeeds: boolean
  /** Why it fails; null if it succeeds. */
  error: string | null
  gasUsed: number
  logs: SimulatedLog[]
  /** Whether `logs` has all of them. */
  hasAllLogs: boolean
  balances: BalanceChange[]
  /** Whether `balances` has those of all accounts that logs name. */
  hasAllBalances: boolean
  /** Null where the node does not trace, or not so much. */
  storage: StorageChange[] | null
}

export interface BundleSimulation {
  /** The block on whose state it runs. */
  block: number
  transactions: SimulatedTransaction[]
}

export const bundleLimits = {
  transactions: 10,
  /** Bytes of all inputs together. */
  inputBytes: 49_152,
  /** Gas of all transactions together. */
  gas: 30_000_000,
}
