import { type Hook, readAppDataDocument } from '../app-data/document.ts'
import type { Address } from '../evm/address.ts'
import type { Hex } from '../evm/hex.ts'
import { duePreInteractions, type Order } from '../order/order.ts'

export const hookPhases = ['pre', 'post'] as const
export type HookPhase = (typeof hookPhases)[number]

export const hookOutcomes = ['succeeded', 'reverted', 'outOfGas'] as const
/** The outcome of a hook that a settlement ran. A failed hook does not revert the settlement. */
export type HookOutcome = (typeof hookOutcomes)[number]

export const unknownHookReasons = ['notYetRead', 'notTraced', 'traceTooLarge', 'notCalled'] as const
/** The reason why the outcome of a hook is not known. */
export type UnknownHookReason = (typeof unknownHookReasons)[number]

export type HookedOrder = Pick<Order, 'fullAppData'> & Parameters<typeof duePreInteractions>[0]
/** All hooks of an order's document. */
export function hooksOf({ fullAppData }: Pick<Order, 'fullAppData'>): Record<HookPhase, readonly Hook[]> {
  const { preHooks = [], postHooks = [] } = readAppDataDocument(fullAppData || null) ?? {}
  return { pre: preHooks, post: postHooks }
}

/** The hooks that run with an order's next fill. Pre-hooks run only with the first one. */
export function dueHooks(order: HookedOrder): Record<HookPhase, readonly Hook[]> {
  const runsPreHooks = duePreInteractions(order).length > 0
  if (!runsPreHooks && order.interactions.post.length === 0) return { pre: [], post: [] }
  const { pre, post } = hooksOf(order)
  return { pre: runsPreHooks ? pre : [], post }
}

/** The hooks' calls in one settlement, before and after its trades, in order. */
export type RanHooks = Readonly<Record<HookPhase, readonly HookCall[]>>

/** A call of the trampoline, as a trace has it. */
export interface HookCall {
  target: Address
  callData: Hex
  /** The forwarded gas; null if the node does not report it. */
  gas: bigint | null
  gasUsed: bigint | null
  /** Null if the call succeeded. */
  failure: {
    /** The contract's answer; null without one. */
    reason: string | null
    /** The place where the gas ran out: in the hook's own call, or in a call inside it. */
    outOfGas: 'itself' | 'inside' | null
  } | null
}

export interface HookResult {
  outcome: HookOutcome
  reason: string | null
  gasUsed: bigint | null
}

/**
 * Assigns calls to hooks, both in order of execution, each call once: two orders may have the same hook. A
 * call belongs to a hook with its target and calldata, and exactly its gas limit. A trampoline that does not
 * check its gas forwards less.
 * @returns the call of each hook; undefined for a hook that was not called
 */
export function assignHookCalls(
  hooks: readonly Hook[],
  calls: readonly HookCall[],
): (HookCall | undefined)[] {
  const open = new Map<string, HookCall[]>()
  for (const call of calls) {
    const same = open.get(keyOf(call))
    if (same) same.push(call)
    else open.set(keyOf(call), [call])
  }
  return hooks.map((hook) => {
    const same = open.get(keyOf(hook)) ?? []
    const exact = same.findIndex(({ gas }) => gas === null || gas === hook.gasLimit)
    const index = exact >= 0 ? exact : same.findIndex(({ gas }) => gas !== null && gas < hook.gasLimit)
    return index >= 0 ? same.splice(index, 1)[0] : undefined
  })
}

const keyOf = ({ target, callData }: Pick<Hook, 'target' | 'callData'>) => `${target}:${callData}`

/**
 * The outcome of a hook's call. Out of gas is a call that used its whole limit, or that an inner call left
 * with less than a 64th of it (a call forwards at most 63/64 of the gas that is left), or that failed without
 * an answer because it was forwarded less than its limit.
 */
export function hookResult(
  { gas, gasUsed, failure }: HookCall,
  { gasLimit }: Pick<Hook, 'gasLimit'>,
): HookResult {
  if (!failure) return { outcome: 'succeeded', reason: null, gasUsed }
  const forwarded = gas ?? gasLimit
  const isUsedUp = gasUsed !== null && gasUsed * 64n >= forwarded * 63n
  const isOutOfGas =
    failure.outOfGas === 'itself' ||
    (failure.outOfGas === 'inside' && isUsedUp) ||
    (forwarded < gasLimit && failure.reason === null)
  return isOutOfGas
    ? { outcome: 'outOfGas', reason: null, gasUsed: gasUsed ?? forwarded }
    : { outcome: 'reverted', reason: failure.reason, gasUsed }
}

/** Formats a failure: "out of gas", or "reverted: the deadline is over". */
export function failureText({ outcome, reason }: Pick<HookResult, 'outcome' | 'reason'>): string {
  if (outcome === 'outOfGas') return 'out of gas'
  return reason === null ? 'reverted' : `reverted: ${reason}`
}

/**
 * The share of a hook's gas limit that has to stay free: the state changes until the order is settled, and
 * a call inside the hook gets at most 63/64 of the gas that is left.
 */
const spareShare = { parts: 1n, of: 10n }

/**
 * Reports whether a hook's gas limit is below what a simulation used, or so close that less than a tenth of
 * it is left.
 */
export function isLimitTight(
  { gasLimit }: Pick<Hook, 'gasLimit'>,
  { outcome, gasUsed }: Pick<HookResult, 'outcome' | 'gasUsed'>,
): boolean {
  if (outcome === 'outOfGas') return true
  if (outcome !== 'succeeded' || gasUsed === null) return false
  return (gasLimit - gasUsed) * spareShare.of < gasLimit * spareShare.parts
}
