import { maxUint256, minOf } from '../../domain/amount.ts'
import { type Address, zeroAddress } from '../../domain/evm/address.ts'
import type { Interaction } from '../../domain/order/order.ts'
import { type Pool, poolAfterSwap, poolOutputDown } from '../../domain/routing/pool.ts'
import { approveCall, swapCall, transferCall } from '../../domain/settlement/calldata.ts'
import type { EngineInteraction } from './answer.ts'

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
 * The allowances: one for each token and spender, the sum of those requested. It is set to zero first,
 * because some tokens do not allow a change from one non-zero allowance to another.
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
