import type { Hook, ParsedAppData } from '../domain/app-data/document.ts'
import type { Address } from '../domain/evm/address.ts'
import type { Interactions } from '../domain/order/order.ts'
import { hooksCall } from '../domain/settlement/calldata.ts'

/**
 * Calls that a settlement makes around an order's trade: each non-empty list of hooks is one call of the
 * trampoline.
 */
export function toInteractions(
  { preHooks, postHooks }: Pick<ParsedAppData, 'preHooks' | 'postHooks'>,
  trampoline: Address,
): Interactions {
  const toCalls = (hooks: readonly Hook[]) => (hooks.length > 0 ? [hooksCall(trampoline, hooks)] : [])
  return { pre: toCalls(preHooks), post: toCalls(postHooks) }
}
