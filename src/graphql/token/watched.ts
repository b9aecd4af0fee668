import { Refusal } from '../../domain/errors/error.ts'
import type { Address } from '../../domain/evm/address.ts'

/** The tokens whose balances one client may request or watch at once. */
export const maxNamedTokens = 1_500

/** This many tokens count as one read. */
export const namedPerRead = 8

/**
 * The number of watched tokens that count as one read when a stream begins: all that may be named take less
 * than a full bucket at the default rate. Delivered values count again.
 */
export const watchedPerRead = 16

/** @throws Refusal InvalidParameter */
export function checkWatched(tokens: readonly Address[], max: number): void {
  if (tokens.length >= 1 && tokens.length <= max) return
  throw new Refusal('InvalidParameter', `tokens must name 1 to ${max} tokens`, { field: 'tokens' })
}
