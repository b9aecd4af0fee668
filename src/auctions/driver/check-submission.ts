import {
  decodeForeign,
  encodeTrade,
  type ForeignSettlement,
  type SettledTrade,
  type TokenIndices,
} from '../../chain/settlement/call.ts'
import type { Auction, AuctionOrder } from '../../domain/auction/auction.ts'
import { directedPair } from '../../domain/auction/score.ts'
import type {
  Claim,
  Execution,
  Proposal,
  ProposedTrade,
  Solution,
  Submission,
} from '../../domain/auction/solution.ts'
import { type Address, address, zeroAddress } from '../../domain/evm/address.ts'
import { hexSize } from '../../domain/evm/hex.ts'
import type { Network } from '../../domain/network/network.ts'
import { duePreInteractions, type Interaction, type Order } from '../../domain/order/order.ts'
import { type Fault, filledFault, fillOutcome } from '../../domain/settlement/execution.ts'
import { contractFill, type PricePair } from '../../domain/settlement/fees.ts'
import { selectorsOfRights } from '../../domain/settlement/rights.ts'
import { wrappedForm } from '../../domain/token/token.ts'

const approve = '0x095ea7b3'
/** Hex digits of `approve`: selector, spender, amount. */
const approveDigits = 2 + 8 + 64 + 64

/**
 * Returns the calls of a revealed settlement that its solver chose, or why the settlement contract may not
 * run them: all of them together have to contain those of its orders, and may neither call what belongs to
 * the protocol nor leave a right to the contract's tokens.
 */
function chosenCalls(
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
    if (!selectorsOfRights.has(selector)) continue
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

type CheckNetwork = Pick<Network, 'settlement' | 'vaultRelayer' | 'hooksTrampoline' | 'wrappedNative'>

/** The bytes of calldata that nodes accept in a transaction. */
const maxCalldata = 128 * 1_024

/**
 * Computes the solution that a revealed settlement stands for. It trades exactly the orders that its solver
 * claims, with exactly the amounts that it claims: the rest is computed from its calldata as for a proposal.
 * The simulation runs it.
 */
export function checkSubmission(
  auction: Auction,
  solver: Address,
  { gas, submission, origin }: Proposal & { submission: Submission },
  network: CheckNetwork,
): Solution | Fault {
  const { calldata, claims } = submission
  if (hexSize(calldata) > maxCalldata)
    return { fault: 'no transaction holds this much calldata', code: 'unsupported' }
  const settlement = decodeForeign(calldata)
  if (!settlement) return otherThanClaimed('the revealed calldata is no settlement')
  if (settlement.auctionId !== auction.id)
    return otherThanClaimed('the revealed calldata does not end with the id of the auction')
  if (settlement.trades.length !== claims.size)
    return otherThanClaimed('the revealed calldata trades other orders than the solution')
  const entries = new Map(auction.orders.map((entry) => [entry.order.uid, entry]))
  const entryOf = claimedEntries(claims, entries)
  const checked: Checked[] = []
  for (const trade of settlement.trades) {
    const key = tradeKey(trade)
    const entry = key === undefined ? undefined : entryOf.get(key)
    if (!entry)
      return otherThanClaimed('the revealed calldata trades an order that the solution does not have')
    entryOf.delete(key ?? '')
    const outcome = checkTrade(settlement, trade, entry, claims.get(entry.order.uid), auction, network)
    if ('fault' in outcome) return { ...outcome, fault: `order ${entry.order.uid} ${outcome.fault}` }
    checked.push(outcome)
  }
  const orders = checked.map(({ order }) => order)
  const chosen = chosenCalls(settlement, orders, network)
  if (typeof chosen === 'string') return { fault: chosen, code: 'forbidden_call' }
  const given = { gas, submission, chosen, ...(origin && { origin }) }
  return toSolution(solver, given, settlement, checked, network)
}

const otherThanClaimed = (fault: string): Fault => ({ fault, code: 'other_than_claimed' })

interface Checked {
  order: Order
  uniform: PricePair
  execution: Execution
  score: bigint
}

/** The claimed orders that the auction has, by what their trades look like. */
function claimedEntries(
  claims: Submission['claims'],
  entries: ReadonlyMap<string, AuctionOrder>,
): Map<string, AuctionOrder> {
  const keyed = [...claims.keys()].flatMap((uid): [string, AuctionOrder][] => {
    const entry = entries.get(uid)
    const key = entry && encodedKey(entry.order)
    return key === undefined ? [] : [[key, entry as AuctionOrder]]
  })
  return new Map(keyed)
}

const anyTokens: TokenIndices = { sell: 0, buy: 0 }

/** Equal for an order and each trade of it. */
function encodedKey(order: Parameters<typeof encodeTrade>[0]): string {
  const { sellToken, buyToken } = order
  const members = Object.values(encodeTrade(order, anyTokens, 0n))
  return [sellToken, buyToken, ...members].join()
}

/** `undefined` for a signature that no order has. */
function tradeKey({ order, owner, ...signed }: SettledTrade): string | undefined {
  try {
    return encodedKey({ ...order, ...signed, owner: owner ?? zeroAddress })
  } catch {
    return undefined
  }
}

function checkTrade(
  settlement: ForeignSettlement,
  { indices, executedAmount }: SettledTrade,
  entry: AuctionOrder,
  claim: Claim | undefined,
  { nativePrices }: Auction,
  { wrappedNative }: CheckNetwork,
): Checked | Fault {
  const { order } = entry
  const { tokens, clearingPrices } = settlement
  if (!claim || !isAbout(claim, order))
    return otherThanClaimed('is claimed with other tokens or limits than it has')
  const own = pricePair(clearingPrices[indices.sell], clearingPrices[indices.buy])
  const uniform = pricePair(
    clearingPrices[tokens.indexOf(order.sellToken)],
    clearingPrices[tokens.indexOf(order.buyToken)],
  )
  if (!own || !uniform) return { fault: 'has no clearing price', code: 'invalid_price' }
  const fill = contractFill(order, executedAmount, own)
  const { executed } = claim
  if (fill.sell !== executed.sell || fill.buy !== executed.buy)
    return {
      fault: `is settled with other amounts than claimed: ${fill.sell} for ${fill.buy} instead of ${executed.sell} for ${executed.buy}`,
      code: 'invalid_amount',
    }
  const fault = filledFault(entry, order.kind === 'sell' ? fill.sell : fill.buy)
  if (fault) return fault
  const outcome = fillOutcome(entry, fill, uniform, { nativePrices, wrappedNative })
  return 'fault' in outcome ? outcome : { order, uniform, ...outcome }
}

function isAbout(claim: Claim, order: Order): boolean {
  return (
    claim.kind === order.kind &&
    claim.sellToken === order.sellToken &&
    claim.buyToken === order.buyToken &&
    claim.sellAmount === order.sellAmount &&
    claim.buyAmount === order.buyAmount
  )
}

function pricePair(sell: bigint | undefined, buy: bigint | undefined): PricePair | undefined {
  return sell && buy ? { sell, buy } : undefined
}

function toSolution(
  solver: Address,
  given: Pick<Proposal, 'gas' | 'submission' | 'chosen' | 'origin'>,
  { interactions: [before, intra, after] }: ForeignSettlement,
  checked: readonly Checked[],
  { wrappedNative }: CheckNetwork,
): Solution | Fault {
  const prices = new Map<Address, bigint>()
  const trades: ProposedTrade[] = []
  const pairScores = new Map<string, bigint>()
  let score = 0n
  for (const { order, uniform, execution, score: orderScore } of checked) {
    const buyToken = wrappedForm(order.buyToken, wrappedNative)
    prices.set(order.sellToken, uniform.sell).set(buyToken, uniform.buy)
    const { networkFee, feeSide, sell, buy } = execution
    const [fee, boughtFee] = feeSide === 'sell' ? [networkFee, 0n] : [0n, networkFee]
    trades.push({
      orderUid: order.uid,
      fee,
      boughtFee,
      executedAmount: order.kind === 'sell' ? sell - fee : buy,
    })
    const pair = directedPair(order.sellToken, buyToken)
    pairScores.set(pair, (pairScores.get(pair) ?? 0n) + orderScore)
    score += orderScore
  }
  if (pairScores.size === 0)
    return { fault: 'the solution has no score: it trades no order that counts for it', code: 'no_score' }
  const proposal = { prices, trades, interactions: intra, before, after, ...given }
  return { solver, proposal, executions: checked.map(({ execution }) => execution), score, pairScores }
}
