import type { Address } from '../../domain/evm/address.ts'
import type { Bytes32, Hex } from '../../domain/evm/hex.ts'

/** A call in a row of calls, each on the state that the one before leaves. */
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

/** What became of a call. */
export interface CallResult {
  succeeds: boolean
  /** Why it fails; null if it succeeds. */
  error: string | null
  gasUsed: number
  /** What it returned. */
  output: Hex
  logs: RawLog[]
  /** Native atoms that accounts have more or less. */
  native: ReadonlyMap<Address, bigint>
}

/** Storage by account and slot. */
export type Slots = ReadonlyMap<Address, ReadonlyMap<Bytes32, { before: Bytes32; after: Bytes32 }>>

export interface Head {
  number: number
  /** Unix seconds. */
  time: number
}

/** Code that the calls find at accounts instead of their own. */
export type CodeOverrides = Readonly<Record<Address, Hex>>

/** The bundle takes longer than it may. */
export class TooLong extends Error {}

/** The node cannot run the row of calls in this way: it has no such method, or refuses one of the calls as a whole. */
export class NotOffered extends Error {
  /** It has no such method. */
  readonly isMissing: boolean

  constructor(message: string, isMissing = false) {
    super(message)
    this.isMissing = isMissing
  }
}
