import type { Hook, ParsedAppData } from '../domain/app-data/document.ts'
import type { Address } from '../domain/evm/address.ts'
import type { Interactions, NewOrder } from '../domain/order/order.ts'
import { hooksCall } from '../domain/settlement/calldata.ts'

/**
 * Calls that a settlement makes around an order's trade: each non-empty list of hooks is one call of the
 * trampoline. None without a document.
 */
export function toInteractions(
  document: Pick<ParsedAppData, 'preHooks' | 'postHooks'> | null,
  trampoline: Address,
): Interactions {
  const { preHooks = [], postHooks = [] } = document ?? {}
  const toCalls = (hooks: readonly Hook[]) => (hooks.length > 0 ? [hooksCall(trampoline, hooks)] : [])
  return { pre: toCalls(preHooks), post: toCalls(postHooks) }
}

/** The call that turns the contract's coins into the token that its orders sell: `wrapAll()`. */
const wrapAll = '0x4c84c1c8'

/** The calls around an order that sells the coins of the contract that owns it. */
export function withWrapping(target: NewOrder['owner'], { pre, post }: Interactions): Interactions {
  return { pre: [{ target, value: 0n, callData: wrapAll }, ...pre], post }
}
