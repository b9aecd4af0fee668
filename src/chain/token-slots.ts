import type { Address } from '../domain/address.ts'
import type { Bytes32 } from '../domain/hex.ts'

/** Where a token keeps what it knows about an account, in its own storage. */
export interface TokenSlots {
  /** `undefined` when it was not found. */
  balance: ((owner: Address) => Bytes32) | undefined
  allowance: ((owner: Address, spender: Address) => Bytes32) | undefined
  /** Its storage decides a balance, and the balance is another number than what is stored: it rebases, or counts in shares. */
  isComputed: boolean
}

/** Found once for each token and remembered. @throws Outage */
export type FindTokenSlots = (token: Address) => Promise<TokenSlots>
