import { maxUint256, minOf } from '../../domain/amount.ts'
import { type Address, zeroAddress } from '../../domain/evm/address.ts'
import type { Interaction } from '../../domain/order/order.ts'
import { type Pool, poolAfterSwap, poolOutputDown } from '../../domain/routing/pool.ts'
import { approveCall, swapCall, transferCall } from '../../domain/settlement/calldata.ts'
import type { Notice } from '../solver.ts'
import type { EngineInteraction } from './client.ts'

/**
 * The amounts of a token that the settlement contract may pay, or keep, instead of an interaction that a
 * solver leaves out, in atoms.
 */
interface Limit {
  perSettlement: bigint
  /** The limit of payments in 24 hours, in all settlements of the solver. */
  perDay: bigint
}

export type Limits = ReadonlyMap<Address, Limit>
export type Amounts = ReadonlyMap<Address, bigint>

/** The amounts that one solution may leave out, given the payments so far. */
export interface Permission {
  limits: Limits
  /** The amounts paid in the last 24 hours, or still to be paid. */
  paid: Amounts
}

/** The amounts that the contract may still pay of each token, if it has them. */
export function allowedBy({ limits, paid }: Permission): Amounts {
  return new Map(
    [...limits].map(([token, { perSettlement, perDay }]) => {
      const left = perDay - (paid.get(token) ?? 0n)
      return [token, left > 0n ? minOf(left, perSettlement) : 0n]
    }),
  )
}

/**
 * The contract's gain of each token if these interactions are left out: their inputs stay, and it pays their
 * outputs itself. Every token must be permitted, and its inputs and outputs must stay within the limits.
 * @returns the refusal if it is not allowed
 */
export function internalized(
  interactions: readonly EngineInteraction[],
  permission: Permission,
): Amounts | Notice {
  const [inputs, outputs] = [new Map<Address, bigint>(), new Map<Address, bigint>()]
  const changes = new Map<Address, bigint>()
  const add = (sums: Map<Address, bigint>, token: Address, amount: bigint) =>
    sums.set(token, (sums.get(token) ?? 0n) + amount)
  for (const interaction of interactions) {
    const flows = flowsOf(interaction)
    for (const { token, amount } of flows.inputs) {
      add(inputs, token, amount)
      add(changes, token, amount)
    }
    for (const { token, amount } of flows.outputs) {
      add(outputs, token, amount)
      add(changes, token, -amount)
    }
  }
  const sends = interactions.some((one) => one.kind === 'custom' && one.value > 0n)
  const { limits, paid } = permission
  if (limits.size === 0 && interactions.length > 0)
    return refusal([...changes.keys()], 'interactions may not be internalized')
  const unlisted = [...changes.keys()].filter((token) => !limits.has(token))
  if (unlisted.length > 0) return refusal(unlisted, 'may not be internalized')
  if (sends) return refusal([], 'an interaction that sends native coins may not be internalized')
  const isAbove = (token: Address) => {
    const { perSettlement = 0n, perDay = 0n } = limits.get(token) ?? {}
    const net = -(changes.get(token) ?? 0n)
    const isAboveOnce = [inputs, outputs].some((sums) => (sums.get(token) ?? 0n) > perSettlement)
    return isAboveOnce || (net > 0n && (paid.get(token) ?? 0n) + net > perDay)
  }
  const above = [...changes.keys()].filter(isAbove)
  if (above.length > 0) return refusal(above, 'is above the limit of what may be internalized')
  return changes
}

function flowsOf(interaction: EngineInteraction) {
  if (interaction.kind === 'custom') return interaction
  const { inputToken, outputToken, inputAmount, outputAmount } = interaction
  return {
    inputs: [{ token: inputToken, amount: inputAmount }],
    outputs: [{ token: outputToken, amount: outputAmount }],
  }
}

function refusal(tokens: readonly Address[], what: string): Notice {
  const named = tokens.slice(0, 3).join(', ')
  return {
    kind: 'nonBufferableTokensUsed',
    code: 'contract_balance',
    reason: named ? `${named}: ${what}` : what,
    extra: { tokens: [...tokens] },
  }
}

/** The permission after the use by a solution. */
export function afterUse(permission: Permission, changes: Amounts): Permission {
  const paid = new Map(permission.paid)
  for (const [token, change] of changes) if (change < 0n) paid.set(token, (paid.get(token) ?? 0n) - change)
  return { ...permission, paid }
}

export function isRefusal(result: Amounts | Notice): result is Notice {
  return 'kind' in result
}

export interface CallsOptions {
  /** The pools of the request, in the state that the engine received. */
  pools: readonly Pool[]
  settlement: Address
}

/**
 * The settlement contract's calls for an engine's solution: approvals first, followed by its interactions in
 * order. Swaps through the request's pools use exactly the engine's amounts.
 * @returns undefined if it swaps through a pool that the request did not have, or takes more than the pool
 *   pays
 */
export function engineCalls(
  interactions: readonly EngineInteraction[],
  { pools, settlement }: CallsOptions,
): Interaction[] | undefined {
  const state = new Map(pools.map((pool): [string, Pool] => [pool.address, pool]))
  const calls = approvals(interactions)
  for (const interaction of interactions) {
    if (interaction.kind === 'custom') {
      const { target, value, callData } = interaction
      calls.push({ target, value, callData })
      continue
    }
    const { id, inputToken, outputToken, inputAmount, outputAmount } = interaction
    const pool = state.get(id.toLowerCase())
    if (!pool || !trades(pool, inputToken, outputToken)) return undefined
    if (outputAmount > poolOutputDown(pool, inputToken, inputAmount)) return undefined
    state.set(pool.address, poolAfterSwap(pool, inputToken, inputAmount, outputAmount))
    const [amount0, amount1] = outputToken === pool.token0 ? [outputAmount, 0n] : [0n, outputAmount]
    calls.push(
      transferCall(inputToken, pool.address, inputAmount),
      swapCall(pool.address, amount0, amount1, settlement),
    )
  }
  return calls
}

function trades({ token0, token1 }: Pool, one: Address, other: Address): boolean {
  return (one === token0 && other === token1) || (one === token1 && other === token0)
}

/**
 * The allowances: one for each token and spender, the sum of those requested. Each allowance is set to zero
 * first, because some tokens do not allow a change from one non-zero allowance to another.
 */
function approvals(interactions: readonly EngineInteraction[]): Interaction[] {
  const sums = new Map<string, { token: Address; spender: Address; amount: bigint }>()
  for (const interaction of interactions) {
    for (const { token, spender, amount } of interaction.kind === 'custom' ? interaction.allowances : []) {
      const key = `${token}${spender}`
      const sum = (sums.get(key)?.amount ?? 0n) + amount
      sums.set(key, { token, spender, amount: minOf(sum, maxUint256) })
    }
  }
  return [...sums.values()]
    .filter(({ amount, spender }) => amount > 0n && spender !== zeroAddress)
    .flatMap(({ token, spender, amount }) => [
      approveCall(token, spender, 0n),
      approveCall(token, spender, amount),
    ])
}
