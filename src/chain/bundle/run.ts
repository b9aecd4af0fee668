import type { Address } from '../../domain/evm/address.ts'
import type { Bytes32, Hex } from '../../domain/evm/hex.ts'

/** A call in a sequence of calls. Each runs on the state that the previous one leaves. */
export interface Call {
  from: Address
  to: Address
  input: Hex
  value: bigint
  gas: number
}

export interface RawLog {
  address: Address
  topics: Bytes32[]
  data: Hex
}

/** The result of a call. */
export interface CallResult {
  succeeds: boolean
  /** The reason for the failure; null if it succeeds. */
  error: string | null
  gasUsed: number
  /** The returned data. */
  output: Hex
  logs: RawLog[]
  /** The changes of accounts' native balances, in atoms. */
  native: ReadonlyMap<Address, bigint>
}

/** Storage by account and slot. */
export type Slots = ReadonlyMap<Address, ReadonlyMap<Bytes32, { before: Bytes32; after: Bytes32 }>>

export interface Head {
  number: number
  /** The time in Unix seconds. */
  time: number
}

/** The code that replaces accounts' own code during the calls. */
export type CodeOverrides = Readonly<Record<Address, Hex>>

/** The error of a bundle that exceeds its time limit. */
export class TooLong extends Error {}

/**
 * The error of a node that cannot run the sequence of calls in this way: it has no such method, or refuses
 * one of the calls as a whole.
 */
export class NotOffered extends Error {
  /** True if the node has no such method. */
  readonly isMissing: boolean

  constructor(message: string, isMissing = false) {
    super(message)
    this.isMissing = isMissing
  }
}
