import type { Address } from '../domain/address.ts'

/** How a token treats those who hold it. */
export type TokenVerdict =
  /** What is sent arrives. */
  | 'plain'
  /** Less arrives than was sent, or more is taken. */
  | 'fee-on-transfer'
  /** Balances are computed, not stored: they change without a transfer, or do not hold what was sent. */
  | 'rebasing'
  /** It cannot be transferred at all, or is no token. */
  | 'stuck'
  /** Nothing could be tried: no holder is known and its storage is not understood. */
  | 'unknown'

/**
 * Tries transfers of the token in a call that changes nothing.
 * @param holder somebody who has some, such as a pool; `undefined` when nobody is known
 * @throws Outage
 */
export type CheckToken = (token: Address, holder: Address | undefined) => Promise<TokenVerdict>
