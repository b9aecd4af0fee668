import type { Proposal } from '../../domain/auction/solution.ts'
import { type Address, zeroAddress } from '../../domain/evm/address.ts'
import { hexSize } from '../../domain/evm/hex.ts'
import type { Interaction } from '../../domain/order/order.ts'
import type { Pool } from '../../domain/routing/pool.ts'
import { approveCall } from '../../domain/settlement/calldata.ts'
import { settlementGas } from '../../domain/settlement/gas.ts'
import { lastingRights } from '../outside/lasting-rights.ts'
import type { Notice } from '../solver.ts'
import type { EngineInteraction, EngineSolution } from './answer.ts'
import { engineCalls } from './calls.ts'

export interface ProposalOptions {
  pools: readonly Pool[]
  settlement: Address
  /** Contracts that no interaction of an engine may call, nor be given an allowance for. */
  forbidden: readonly Address[]
}

/** Leaves room for the trades below what nodes accept as calldata of a transaction. */
const maxCalldata = 96 * 1_024

/** What an engine's solution proposes, or why the settlement contract may not run it. Amounts and prices are checked later. */
export function toProposal(solution: EngineSolution, options: ProposalOptions): Proposal | Notice {
  const { trades, preInteractions, interactions, postInteractions, flashloans, wrappers, prices } = solution
  const fulfillments = trades.flatMap((trade) => (trade.kind === 'fulfillment' ? [trade] : []))
  if (fulfillments.length < trades.length) return refusal('orders of the solver itself are not settled')
  if (trades.length === 0) return { kind: 'emptySolution', reason: 'the solution trades nothing' }
  if (flashloans.size > 0) return refusal('flash loans are not supported')
  if (wrappers.length > 0) return refusal('wrapper contracts are not supported')
  const internal = interactions.filter(({ internalize }) => internalize)
  if (internal.length > 0) return unbuffered(internal)
  const custom = interactions.flatMap((one) => (one.kind === 'custom' ? [one] : []))
  const named = [...preInteractions, ...custom, ...postInteractions]
  const spenders = custom.flatMap(({ allowances }) => allowances.map(({ spender }) => spender))
  const touched = [...named.map(({ target }) => target), ...spenders]
  const forbidden = options.forbidden.find((address) => touched.includes(address))
  if (forbidden) return refusal(`an interaction may not call ${forbidden}, nor give it an allowance`)
  if (named.some(({ callData }) => lastingRights.has(callData.slice(0, 10))))
    return refusal('an interaction gives a right to tokens: name it as an allowance')
  const calls = engineCalls(interactions, options)
  if (!calls) return refusal('a swap is through an unknown pool, or takes more from it than it pays')
  const all = [...preInteractions, ...calls, ...postInteractions]
  if (all.reduce((sum, { callData }) => sum + hexSize(callData), 0) > maxCalldata)
    return refusal('no transaction holds this much calldata')
  return {
    prices,
    trades: fulfillments.map(({ order, executedAmount, fee }) => ({ orderUid: order, executedAmount, fee })),
    before: preInteractions,
    interactions: [...calls, ...withdrawals(custom)],
    after: postInteractions,
    gas: solution.gas || settlementGas(trades.length, interactions.length),
  }
}

function refusal(reason: string): Notice {
  return { kind: 'driverError', reason, extra: { reason } }
}

function unbuffered(internal: readonly EngineInteraction[]): Notice {
  const tokens = internal.flatMap((one) =>
    one.kind === 'custom' ? one.outputs.map(({ token }) => token) : [one.outputToken],
  )
  return {
    kind: 'nonBufferableTokensUsed',
    reason: 'interactions may not be internalized',
    extra: { tokens: [...new Set(tokens)] },
  }
}

/** Ends each allowance, whether it was used or not. */
function withdrawals(custom: readonly Extract<EngineInteraction, { kind: 'custom' }>[]): Interaction[] {
  const given = new Map(
    custom
      .flatMap(({ allowances }) => allowances)
      .filter(({ amount, spender }) => amount > 0n && spender !== zeroAddress)
      .map(({ token, spender }) => [`${token}${spender}`, { token, spender }]),
  )
  return [...given.values()].map(({ token, spender }) => approveCall(token, spender, 0n))
}
