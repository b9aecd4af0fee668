import { Refusal } from '../../domain/errors/error.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { BalancesUpdate } from '../../tokens/balances.ts'
import type { PricesUpdate } from '../../tokens/prices.ts'

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

/** GraphQL fields that every update of watched values has. */
export const updateFields = {
  block: {
    type: 'SafeInt' as const,
    nullable: true as const,
    description: 'The block that was read; null while none was.',
    resolve: ({ block }: BalancesUpdate | PricesUpdate) => block,
  },
  isComplete: {
    type: 'Boolean' as const,
    description:
      'True if it has every value that the subscription names, as the first one has, and the first one after an outage of the node. Others have only changed values.',
    resolve: ({ isComplete }: BalancesUpdate | PricesUpdate) => isComplete,
  },
  isAvailable: {
    type: 'Boolean' as const,
    description:
      'False when the node is away: what came before may be out of date. A complete update follows when it is back.',
    resolve: ({ isAvailable }: BalancesUpdate | PricesUpdate) => isAvailable,
  },
}

/** @param value a text stands for a value that is not known */
export function stateOf(value: object | 'absent' | 'unavailable'): 'known' | 'absent' | 'unavailable' {
  return typeof value === 'string' ? value : 'known'
}

/** `null` for one that is not known. */
export function knownValue<Value extends object>(value: Value | 'absent' | 'unavailable'): Value | null {
  return typeof value === 'string' ? null : value
}
