import type { Address } from '../domain/evm/address.ts'
import type { PriceHistory } from '../domain/token/price-history.ts'
import type { TokenHolder } from '../domain/token/token.ts'

/** A provider of one kind of token data (prices, holders) on one network. */
export interface TokenSource<Value> {
  /** From the settings. */
  name: string
  /** The guard logs its faults. */
  isGuarded?: boolean
  /** `false` when the source has no data of the token, whether or not it answers now. Without it, it may have any. */
  knows?(token: Address): boolean
  /**
   * `undefined` when the source answers that it has none.
   * @throws Outage when it does not answer in time, refuses, or sends an invalid answer
   */
  find(token: Address, signal: AbortSignal): Promise<Value | undefined>
  /** Where one call of the source answers for several tokens. */
  several?: {
    /** Tokens in a call. */
    most: number
    /** In their order; an Error for one of which that is true only. @throws Outage as `find` does */
    find(tokens: readonly Address[], signal: AbortSignal): Promise<(Value | undefined | Error)[]>
  }
}

/**
 * US dollars for one whole token: a positive decimal of up to 18 significant digits, such as
 * `2999.400119976`.
 */
export type UsdPriceSource = TokenSource<string>

/** Never empty, with one spacing, such as of five minutes. */
export type PriceHistorySource = TokenSource<PriceHistory>

/** The greatest first, at most `maxHolders`, each with a positive balance. */
export type HolderSource = TokenSource<readonly TokenHolder[]>

export const maxHolders = 100
