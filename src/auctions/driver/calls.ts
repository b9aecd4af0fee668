import type { ForeignSettlement } from '../../chain/settlement/foreign-call.ts'
import { type Address, address } from '../../domain/evm/address.ts'
import type { Network } from '../../domain/network/network.ts'
import { duePreInteractions, type Interaction, type Order } from '../../domain/order/order.ts'
import { lastingRights } from '../../solvers/outside/lasting-rights.ts'

const approve = '0x095ea7b3'
/** Of `approve`: selector, spender, amount. */
const approveDigits = 2 + 8 + 64 + 64

/**
 * Returns the calls of a revealed settlement that its solver chose, or why the settlement contract may not run them: all of them together
 * have to contain those of its orders, and may neither call what belongs to the protocol nor leave a right to the contract's tokens.
 */
export function chosenCalls(
  { interactions: [pre, intra, post] }: ForeignSettlement,
  orders: readonly Order[],
  network: Pick<Network, 'settlement' | 'vaultRelayer' | 'hooksTrampoline'>,
): Interaction[] | string {
  const ownPre = without(pre, orders.flatMap(duePreInteractions))
  const ownPost = without(
    post,
    orders.flatMap(({ interactions }) => interactions.post),
  )
  if (!ownPre || !ownPost) return 'the settlement lacks calls that its orders have signed'
  const calls = [...ownPre, ...intra, ...ownPost]
  const { settlement, vaultRelayer, hooksTrampoline } = network
  const forbidden = [settlement, vaultRelayer, hooksTrampoline]
  const called = calls.find(({ target }) => forbidden.includes(target))
  if (called) return `an interaction may not call ${called.target}`
  return rightsFault(calls) ?? calls
}

/** The calls without those that have to be among them; `undefined` when one is not. */
function without(calls: readonly Interaction[], needed: readonly Interaction[]): Interaction[] | undefined {
  const rest = [...calls]
  for (const { target, value, callData } of needed) {
    const index = rest.findIndex(
      (call) => call.target === target && call.value === value && call.callData === callData,
    )
    if (index < 0) return undefined
    rest.splice(index, 1)
  }
  return rest
}

/** Why calls leave a right: each allowance that is given has to be taken back by a later call. */
export function rightsFault(calls: readonly Interaction[]): string | undefined {
  const open = new Map<string, Address>()
  for (const { target, callData } of calls) {
    const selector = callData.slice(0, 10)
    if (!lastingRights.has(selector)) continue
    if (selector !== approve || callData.length < approveDigits)
      return 'an interaction gives a right to tokens that outlasts the settlement'
    const spender = address(`0x${callData.slice(34, 74)}`)
    const amount = BigInt(`0x${callData.slice(74, 138)}`)
    if (amount > 0n) open.set(target + spender, spender)
    else open.delete(target + spender)
  }
  const [spender] = open.values()
  return spender && `the allowance of ${spender} outlasts the settlement: end it with an approval of 0`
}
