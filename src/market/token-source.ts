import { Outage } from '../domain/errors/error.ts'
import type { Address } from '../domain/evm/address.ts'
import type { PriceHistory } from '../domain/token/price-history.ts'
import type { TokenHolder } from '../domain/token/token.ts'
import { OutsideFault } from '../outside/fault.ts'

/** A provider of one kind of token data (prices, holders) on one network. */
export interface TokenSource<Value> {
  /** The name from the settings. */
  name: string
  /** True if the guard logs its faults. */
  isGuarded?: boolean
  /**
   * Reports `false` if the source has no data of the token, whether or not it answers now. Without this
   * function it may have any.
   */
  knows?(token: Address): boolean
  /**
   * Returns the value; undefined if the source answers that it has none.
   * @throws Outage if it does not answer in time, refuses, or sends an invalid answer
   */
  find(token: Address, signal: AbortSignal): Promise<Value | undefined>
  /** The batch form, if one call of the source answers for several tokens. */
  several?: {
    /** The maximum number of tokens in a call. */
    max: number
    /**
     * Returns the values in the order of the tokens, with an Error for each token that failed alone.
     * @throws Outage as `find` does
     */
    find(tokens: readonly Address[], signal: AbortSignal): Promise<(Value | undefined | Error)[]>
  }
}

/**
 * A source of prices in US dollars for one whole token: a positive decimal of up to 18 significant digits,
 * such as `2999.400119976`.
 */
export type UsdPriceSource = TokenSource<string>

/** A source of histories, which are never empty and have one spacing, such as five minutes. */
export type PriceHistorySource = TokenSource<PriceHistory>

/** A source of the largest holders, largest first: at most `maxHolders`, each with a positive balance. */
export type HolderSource = TokenSource<readonly TokenHolder[]>

export const maxHolders = 100

/**
 * Creates the error for an invalid answer about one token: an outage of that token alone. Clients choose the
 * tokens, so such an answer must not count against the source.
 * @param what our text
 */
export function tokenNonsense(name: string, what: string): Outage {
  return new Outage(name, `sends an invalid answer: ${what}`)
}

/**
 * The error for a status other than 200: a fault of the source if it refuses our key, otherwise an outage of
 * this token alone.
 */
export function statusFault(name: string, status: number): Outage {
  const reason = `status ${status}`
  return status === 401 || status === 403 ? new OutsideFault(name, reason) : new Outage(name, reason)
}
