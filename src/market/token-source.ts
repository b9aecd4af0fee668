import type { Address } from '../domain/evm/address.ts'
import type { TokenHolder } from '../domain/token/token.ts'

/** Somebody who knows something of tokens on one network. */
export interface TokenSource<Value> {
  /** From the settings. */
  name: string
  /** It is guarded, and its faults are logged there. */
  isGuarded?: boolean
  /** That it has nothing to say of a token, whether or not it answers now. Without it, it may know of any. */
  knows?(token: Address): boolean
  /**
   * `undefined` when the source answers that it knows of none.
   * @throws Outage when it does not answer in time, refuses, or talks nonsense: never the same as none
   */
  find(token: Address, signal: AbortSignal): Promise<Value | undefined>
}

/**
 * US dollars for one whole token: a positive decimal of up to 18 significant digits, such as
 * `2999.400119976`.
 */
export type UsdPriceSource = TokenSource<string>

/** The greatest first, at most `maxHolders`, each with more than nothing. */
export type HolderSource = TokenSource<readonly TokenHolder[]>

export const maxHolders = 100
