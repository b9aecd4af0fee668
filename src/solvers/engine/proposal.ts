import type { AuctionOrder } from '../../domain/auction/auction.ts'
import { type JitOrder, type Proposal, toJitEntry, toLiquidityOrder } from '../../domain/auction/solution.ts'
import { type Address, zeroAddress } from '../../domain/evm/address.ts'
import { type Hex, hexSize } from '../../domain/evm/hex.ts'
import type { Interaction, OrderData } from '../../domain/order/order.ts'
import type { Pool } from '../../domain/routing/pool.ts'
import { approveCall } from '../../domain/settlement/calldata.ts'
import { settlementGas } from '../../domain/settlement/gas.ts'
import { selectorsOfRights } from '../../domain/settlement/rights.ts'
import { recoverSigner } from '../../domain/signing/signature.ts'
import { type EcdsaScheme, orderDigest, orderUid, type SigningDomain } from '../../domain/signing/signing.ts'
import { wrappedForm } from '../../domain/token/token.ts'
import { refusalNotice } from '../outside/notices.ts'
import type { Notice } from '../solver.ts'
import type { EngineInteraction, EngineSolution } from './client.ts'
import { engineCalls, internalized, isRefusal, type Permission } from './interactions.ts'

type JitTrade = Extract<EngineSolution['trades'][number], { kind: 'jit' }>

interface JitOptions {
  domain: SigningDomain
  wrappedNative: Address
  /** The time in Unix seconds. */
  now: number
}

const addressBytes = 20

/**
 * Reads an order that an engine adds itself, or returns the reason why it cannot be settled. Balances and
 * contract wallets are left to the simulation.
 */
function readJitOrder({ order }: JitTrade, options: JitOptions): AuctionOrder | { fault: string } {
  const { domain, wrappedNative, now } = options
  const { signingScheme: scheme, signature, receiver, ...rest } = order
  const data: OrderData = { ...rest, receiver: receiver === zeroAddress ? null : receiver, feeAmount: 0n }
  if (data.sellTokenBalance !== 'erc20' || data.buyTokenBalance !== 'erc20')
    return { fault: 'only balances of kind erc20 are settled' }
  if (data.sellAmount === 0n || data.buyAmount === 0n) return { fault: 'an amount is zero' }
  if (data.validTo <= now) return { fault: 'it has expired' }
  const signed = readSignature(domain, data, scheme, signature)
  if ('fault' in signed) return signed
  if (signed.owner === zeroAddress || signed.owner === domain.settlement)
    return { fault: `${signed.owner} is no owner` }
  const jit: JitOrder = { data, uid: orderUid(domain, data, signed.owner), ...signed }
  const buysNative = wrappedForm(data.buyToken, wrappedNative) !== data.buyToken
  return toJitEntry(toLiquidityOrder(jit, domain), buysNative)
}

type Signed = Pick<JitOrder, 'owner' | 'signingScheme' | 'signature'>

/**
 * Reads the owner and the signature in the settlement contract's form: the owner signs, precedes the
 * signature of a contract, or is the whole signature.
 */
function readSignature(
  domain: SigningDomain,
  data: OrderData,
  scheme: JitTrade['order']['signingScheme'],
  signature: Hex,
): Signed | { fault: string } {
  if (scheme === 'eip712') return recovered(domain, data, 'eip712', signature)
  if (scheme === 'ethSign') return recovered(domain, data, 'ethsign', signature)
  const size = hexSize(signature)
  if (size < addressBytes || (scheme === 'preSign' && size > addressBytes))
    return { fault: 'the signature has no owner of 20 bytes in front' }
  const owner = signature.slice(0, 2 + 2 * addressBytes) as Address
  if (scheme === 'preSign') return { owner, signingScheme: 'presign', signature: '0x' }
  return { owner, signingScheme: 'eip1271', signature: `0x${signature.slice(2 + 2 * addressBytes)}` }
}

function recovered(
  domain: SigningDomain,
  data: OrderData,
  signingScheme: EcdsaScheme,
  given: Hex,
): Signed | { fault: string } {
  const recovery = recoverSigner(signingScheme, orderDigest(domain, data), given)
  if ('fault' in recovery) return { fault: `the signature is not valid: ${recovery.fault}` }
  return { owner: recovery.signer, signingScheme, signature: recovery.signature }
}

interface ProposalOptions {
  pools: readonly Pool[]
  settlement: Address
  /** The contracts that an engine's interactions may neither call nor give an allowance to. */
  forbidden: readonly Address[]
  /** The interactions that may be left out; none if absent. */
  permission?: Permission | undefined
  /** The options for orders of the solver; without them it may bring none. */
  jit?: JitOptions | undefined
}

type EngineTrade = EngineSolution['trades'][number]

const noPermission: Permission = { limits: new Map(), paid: new Map() }

/** The limit of calldata, which leaves space for the trades below the limit of nodes for a transaction. */
const maxCalldata = 96 * 1_024

/**
 * Converts an engine's solution to a proposal, or to the reason why the settlement contract may not run it.
 * Amounts and prices are checked later.
 */
export function toProposal(solution: EngineSolution, options: ProposalOptions): Proposal | Notice {
  const { trades, preInteractions, interactions, postInteractions, flashloans, wrappers } = solution
  const jitTrades = trades.flatMap((trade) => (trade.kind === 'jit' ? [trade] : []))
  const { jit } = options
  const jitOrders = new Map<EngineTrade, AuctionOrder>()
  for (const trade of jitTrades) {
    const order = jit && readJitOrder(trade, jit)
    if (!order) return refusalNotice('own_order', 'orders of the solver itself are not settled')
    if ('fault' in order) return refusalNotice('own_order', `an order of the solver: ${order.fault}`)
    jitOrders.set(trade, order)
  }
  if (trades.length === 0)
    return { kind: 'emptySolution', code: 'invalid_amount', reason: 'the solution trades nothing' }
  if (flashloans.size > 0) return refusalNotice('unsupported', 'flash loans are not supported')
  if (wrappers.length > 0) return refusalNotice('unsupported', 'wrapper contracts are not supported')
  const internal = interactions.filter(({ internalize }) => internalize)
  const changes = internalized(internal, options.permission ?? noPermission)
  if (isRefusal(changes)) return changes
  const custom = interactions.flatMap((one) => (one.kind === 'custom' ? [one] : []))
  const named = [...preInteractions, ...custom, ...postInteractions]
  const spenders = custom.flatMap(({ allowances }) => allowances.map(({ spender }) => spender))
  const touched = [...named.map(({ target }) => target), ...spenders]
  const forbidden = options.forbidden.find((address) => touched.includes(address))
  if (forbidden)
    return refusalNotice(
      'forbidden_call',
      `an interaction may not call ${forbidden}, nor give it an allowance`,
    )
  if (named.some(({ callData }) => selectorsOfRights.has(callData.slice(0, 10))))
    return refusalNotice('forbidden_call', 'an interaction gives a right to tokens: name it as an allowance')
  const form = (interactions: readonly EngineInteraction[]) =>
    formOf(solution, interactions, jitOrders, options)
  const whole = form(interactions)
  const kept = form(interactions.filter((one) => !one.internalize))
  if (!whole || !kept)
    return refusalNotice(
      'unsupported',
      'a swap is through an unknown pool, or takes more from it than it pays',
    )
  const all = [...preInteractions, ...whole.interactions, ...postInteractions]
  if (all.reduce((sum, { callData }) => sum + hexSize(callData), 0) > maxCalldata)
    return refusalNotice('unsupported', 'no transaction holds this much calldata')
  const chosen = named.map(({ target, value, callData }) => ({ target, value, callData }))
  if (internal.length === 0) return { ...whole, chosen }
  return { ...kept, chosen, internalized: changes, uninternalized: whole }
}

/** The form of the proposal. @returns undefined for a swap that no pool makes */
function formOf(
  solution: EngineSolution,
  interactions: readonly EngineInteraction[],
  jitOrders: ReadonlyMap<EngineTrade, AuctionOrder>,
  options: ProposalOptions,
): Proposal | undefined {
  const calls = engineCalls(interactions, options)
  if (!calls) return undefined
  return {
    prices: solution.prices,
    trades: solution.trades.flatMap((trade) => {
      const { executedAmount, fee } = trade
      const orderUid = trade.kind === 'jit' ? jitOrders.get(trade)?.order.uid : trade.order
      return orderUid ? [{ orderUid, executedAmount, fee }] : []
    }),
    ...(jitOrders.size > 0 && { jitOrders: [...jitOrders.values()] }),
    before: solution.preInteractions,
    interactions: [...calls, ...withdrawals(interactions)],
    after: solution.postInteractions,
    gas: solution.gas || settlementGas(solution.trades.length, interactions.length),
  }
}

/** The calls that end each allowance, whether or not it was used. */
function withdrawals(interactions: readonly EngineInteraction[]): Interaction[] {
  const given = new Map(
    interactions
      .flatMap((one) => (one.kind === 'custom' ? one.allowances : []))
      .filter(({ amount, spender }) => amount > 0n && spender !== zeroAddress)
      .map(({ token, spender }) => [`${token}${spender}`, { token, spender }]),
  )
  return [...given.values()].map(({ token, spender }) => approveCall(token, spender, 0n))
}
