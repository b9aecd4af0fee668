import type { TradeQuestion } from '../../chain/trade/check.ts'
import { maxOf, minOf } from '../../domain/amount.ts'
import type { Auction } from '../../domain/auction/auction.ts'
import type { RankedSolution } from '../../domain/auction/solution.ts'
import { type Address, nativeMarker, zeroAddress } from '../../domain/evm/address.ts'
import type { Failing } from '../../domain/order/event.ts'
import type { Order } from '../../domain/order/order.ts'
import { poolOutputDown } from '../../domain/routing/pool.ts'
import { type Hop, hopsOf, type Path } from '../../domain/routing/route.ts'
import { routeCalls } from '../../domain/settlement/calldata.ts'
import { wrappedForm } from '../../domain/token/token.ts'
import type { AuctionServices } from '../services.ts'

/** A failing part of a route, found without the orders of the settlement. */
export interface RouteFault {
  failing: Failing
  /** The answer of a contract, or the behaviour of the token. */
  revert: string
  /** True if a small amount passes. */
  isOfAmount: boolean
  /** The orders of the settlement that are traded through it, judged by their tokens. */
  orders: readonly Order[]
}

/** Swaps, tokens or orders of one settlement that are tried. */
const maxTried = 32
/** A small amount is this part of the one that fails. */
const smallPart = 1_000n

type Deps = Pick<AuctionServices, 'network' | 'trials'>

/** The block and the price of gas of a transaction that failed; those of the auction by default. */
type Seen = Partial<Pick<TradeQuestion, 'gasPrice'>> & { block: number }

/**
 * The tokens and pools of the solution's swaps that fail alone, in the block that they were computed for.
 * None where the swaps are not known, or pass alone.
 * @throws Outage
 */
export async function routeFaults(
  auction: Auction,
  { proposal, solver, executions }: RankedSolution,
  { network, trials }: Deps,
  seen: Seen = auction,
): Promise<RouteFault[]> {
  const paths = proposal.paths ?? []
  const hops = hopsOf({ paths }).slice(0, maxTried)
  const trial = { solver, ...seenBy(seen), network, trials }
  const found = await Promise.all(hops.map((hop) => faultOf(computedAlone(hop, hops), trial, auction.block)))
  const faults = new Map(found.flatMap((fault) => (fault ? [[fault.failing.address, fault]] : [])))
  const traded = new Set(executions.map(({ orderUid }) => orderUid))
  const orders = auction.orders.map(({ order }) => order).filter(({ uid }) => traded.has(uid))
  return [...faults.values()].map((fault) => {
    const ends = endsThrough(fault.failing.address, paths)
    const through = ({ sellToken, buyToken }: Order) =>
      ends.has(sellToken) || ends.has(wrappedForm(buyToken, network.wrappedNative))
    return { ...fault, orders: orders.filter(through) }
  })
}

/** The first and last tokens of the paths that the token or the pool is in. */
function endsThrough(address: Address, paths: readonly Path[]): Set<Address> {
  const isIn = ({ pool, tokenIn, tokenOut }: Hop) => [pool.address, tokenIn, tokenOut].includes(address)
  return new Set(
    paths
      .filter(({ hops }) => hops.some(isIn))
      .flatMap(({ hops: [first, ...rest] }) => [first.tokenIn, (rest.at(-1) ?? first).tokenOut]),
  )
}

/** The sell tokens that also fail without these orders, for any amount. @throws Outage */
export async function sellTokenFaults(
  auction: Pick<Auction, 'block' | 'gasPrice'>,
  { solver, executions }: Pick<RankedSolution, 'solver' | 'executions'>,
  failingOrders: readonly { order: Order }[],
  { network, trials }: Deps,
  seen: Seen = auction,
): Promise<RouteFault[]> {
  const sold = new Map(executions.map(({ orderUid, sell }) => [orderUid, sell]))
  const amounts = new Map(failingOrders.map(({ order }) => [order.sellToken, sold.get(order.uid) ?? 0n]))
  const faults = await Promise.all(
    [...amounts]
      .slice(0, maxTried)
      .map(([token, amount]) => tokenFault(token, amount, { solver, ...seenBy(seen), network, trials })),
  )
  return faults.flatMap((fault) => (fault && !fault.isOfAmount ? [{ ...fault, orders: [] }] : []))
}

/** The orders whose receivers the buy token refuses, though it pays others. @throws Outage */
export async function unpaidOrders(
  auction: Auction,
  { solver, executions }: Pick<RankedSolution, 'solver' | 'executions'>,
  { network, trials }: Deps,
  seen: Seen = auction,
): Promise<{ order: Order; revert: string }[]> {
  const bought = new Map(executions.map(({ orderUid, buy }) => [orderUid, buy]))
  const traded = auction.orders.map(({ order }) => order).filter(({ uid }) => bought.has(uid))
  const trial = { solver, ...seenBy(seen), network, trials }
  const found = await Promise.all(
    traded.slice(0, maxTried).map(async (order) => {
      // Whether it takes native coin is a part of its own trial.
      if (order.buyToken === nativeMarker) return []
      const receiver = order.receiver ?? order.owner
      const revert = await transferRevert(order.buyToken, bought.get(order.uid) ?? 0n, trial, receiver)
      return revert === undefined ? [] : [{ order, revert }]
    }),
  )
  return found.flat()
}

const seenBy = ({ block, gasPrice }: Seen): Seen => ({ block, gasPrice })

interface Trial extends Deps, Seen {
  solver: Address
}

type FoundFault = Omit<RouteFault, 'orders'>

/** A swap after others of its pool gives another amount than alone. */
function computedAlone(hop: Hop, hops: readonly Hop[]): Hop {
  const { tokenIn, amountIn, amountOut } = hop
  const first = hops.find(({ pool }) => pool.address === hop.pool.address)?.pool ?? hop.pool
  return { ...hop, pool: first, amountOut: minOf(amountOut, poolOutputDown(first, tokenIn, amountIn)) }
}

/** @param computedFor the block whose reserves its amounts come from */
async function faultOf(hop: Hop, trial: Trial, computedFor: number): Promise<FoundFault | undefined> {
  const swapTrial = { ...trial, block: computedFor }
  const revert = await swapRevert(hop, swapTrial)
  // A token may have failed in another block than the one of the swap.
  if (revert === undefined && trial.block === computedFor) return undefined
  const { tokenIn, tokenOut, amountIn, amountOut, pool } = hop
  const ofTokens = await Promise.all([
    tokenFault(tokenIn, amountIn, trial),
    tokenFault(tokenOut, amountOut, trial),
  ])
  const ofToken = ofTokens.find((fault) => fault?.isOfAmount === false) ?? ofTokens.find((fault) => fault)
  if (ofToken || revert === undefined) return ofToken
  const small = smallSwap(hop)
  const isOfAmount = small !== undefined && (await swapRevert(small, swapTrial)) === undefined
  return { failing: { kind: 'pool', address: pool.address }, revert, isOfAmount }
}

/** A token that the test of quotes refuses, or whose transfers in and out of the settlement contract fail. */
async function tokenFault(token: Address, amount: bigint, trial: Trial): Promise<FoundFault | undefined> {
  if (token === trial.network.wrappedNative) return undefined
  const failing = { kind: 'token', address: token } as const
  const refusal = await trial.trials.token(token)
  if (refusal !== undefined) return { failing, revert: refusal, isOfAmount: false }
  const revert = await transferRevert(token, amount, trial)
  if (revert === undefined) return undefined
  const small = await transferRevert(token, maxOf(1n, amount / smallPart), trial)
  return { failing, revert, isOfAmount: small === undefined }
}

function smallSwap(hop: Hop): Hop | undefined {
  const amountIn = hop.amountIn / smallPart
  const amountOut = poolOutputDown(hop.pool, hop.tokenIn, amountIn)
  return amountOut > 0n ? { ...hop, amountIn, amountOut } : undefined
}

function swapRevert(hop: Hop, trial: Trial): Promise<string | undefined> {
  const { tokenIn, tokenOut, amountIn, amountOut } = hop
  return tradeRevert(
    {
      sellToken: tokenIn,
      sellAmount: amountIn,
      buyToken: tokenOut,
      buyAmount: amountOut,
      interactions: routeCalls([{ hops: [hop], amountIn, amountOut }], trial.network.settlement),
    },
    trial,
  )
}

/** The token is sold for itself: it only comes in and goes out. */
function transferRevert(token: Address, amount: bigint, trial: Trial, receiver: Address | null = null) {
  const terms = { sellToken: token, sellAmount: amount, buyToken: token, buyAmount: amount }
  return tradeRevert({ ...terms, receiver }, trial)
}

type Terms = Pick<TradeQuestion, 'sellToken' | 'sellAmount' | 'buyToken' | 'buyAmount'> &
  Partial<Pick<TradeQuestion, 'receiver' | 'interactions'>>

/** Why a trade of a made-up trader fails; undefined where it passes, or cannot be tried. */
async function tradeRevert(
  terms: Terms,
  { solver, block, gasPrice, trials }: Trial,
): Promise<string | undefined> {
  const answer = await trials.trade({
    kind: 'sell',
    from: zeroAddress,
    receiver: null,
    txOrigin: solver,
    block,
    gasPrice,
    preInteractions: [],
    interactions: [],
    postInteractions: [],
    others: [],
    ...terms,
  })
  return answer?.outcome === 'failed' ? answer.reason : undefined
}
