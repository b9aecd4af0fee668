import { mulDivUp } from '../../domain/amount.ts'
import type { AuctionOrder } from '../../domain/auction/auction.ts'
import type { Address } from '../../domain/evm/address.ts'
import { hopsOf } from '../../domain/routing/route.ts'
import { routeCalls } from '../../domain/settlement/calldata.ts'
import { settlementGas, sharedGasUp } from '../../domain/settlement/gas.ts'
import { type Batch, selectSizedBatch, toBatch } from './batch.ts'
import { acceptance, type BatchOrder, batchOrderAt } from './batch-order.ts'
import { balancedPrices, type Crossing, curveBetween } from './clearing-prices.ts'
import { dustOf } from './dust.ts'
import { type Clearing, clearExactly } from './exact-clearing.ts'
import { type Candidate, outcomeOf, pairOf, type Task, toCandidate } from './task.ts'

/** The limits of the iterations: fees depend on the numbers of trades and swaps, which depend on the fees. */
const maxBatches = 3
const maxAttempts = 24
/** The number of attempts after which a settlement with fewer swaps than were paid for suffices. */
const exactAttempts = 4

interface Cleared extends Candidate {
  hops: number
}

/**
 * Settles the most valuable of these orders together, each token at one price, and the rest through pools.
 */
export function clear(
  task: Task,
  tokens: readonly Address[],
  entries: readonly AuctionOrder[],
): Candidate | undefined {
  const markets = entries.length === 0 ? [] : centresOf(task, tokens, entries)
  return markets
    .flatMap((sorted) => clearAround(createMarket(task, sorted, entries), entries) ?? [])
    .reduce<Candidate | undefined>((a, b) => (a && a.value >= b.value ? a : b), undefined)
}

function clearAround(market: Crossing, entries: readonly AuctionOrder[]): Cleared | undefined {
  const { task } = market
  let best: Cleared | undefined
  let [trades, hops] = [entries.length, market.selling.some((curve) => curve.length > 0) ? 1 : 0]
  for (let search = 0; search < maxBatches; search++) {
    const gas = sharedGasUp(trades, hops)
    const members = entries.flatMap((entry) => batchOrderAt(task, market.tokens, entry, gas) ?? [])
    const choice = selectSizedBatch(market, members)
    const cleared = choice && settled(market, choice, hops)
    if (cleared && (!best || cleared.value > best.value)) best = cleared
    // If fewer orders than expected remain, each pays more, so that another choice may be better.
    const next = {
      trades: (cleared?.proposal.trades ?? choice?.members)?.length ?? 0,
      hops: cleared?.hops ?? hops,
    }
    if (next.trades === 0 || (next.trades === trades && next.hops === hops)) break
    ;({ trades, hops } = next)
  }
  return best
}

/**
 * The candidates for the first token, against which the other tokens are traded. Of two tokens it is the
 * token with the more valuable atom. With more tokens two are tried: the token with the largest excess or
 * deficit, and that with the deepest pools.
 */
function centresOf(task: Task, tokens: readonly Address[], entries: readonly AuctionOrder[]): Address[][] {
  const price = priceIn(task)
  if (tokens.length < 3) return [tokens.toSorted((a, b) => price(b) - price(a))]
  const maxBy = (amountOf: (token: Address) => number) =>
    tokens.reduce((a, b) => (Math.abs(amountOf(b)) > Math.abs(amountOf(a)) ? b : a))
  const deepest = maxBy((token) =>
    task.pools.reduce((sum, { token0, token1, reserve0, reserve1 }) => {
      const reserve = token === token0 ? reserve0 : token === token1 ? reserve1 : 0n
      return tokens.includes(token0) && tokens.includes(token1) ? sum + Number(reserve) * price(token) : sum
    }, 0),
  )
  const unbalanced = maxBy((token) =>
    entries.reduce((sum, { order }) => {
      const { sell, buy } = pairOf(order, task)
      const value = Number(order.sellAmount) * price(sell)
      return sum + (token === sell ? value : token === buy ? -value : 0)
    }, 0),
  )
  return [...new Set([unbalanced, deepest])].map((first) => [
    first,
    ...tokens.filter((token) => token !== first),
  ])
}

/** Returns the native atoms for one atom of a token. */
function priceIn({ auction }: Task) {
  return (token: Address) => Number(auction.nativePrices.get(token) ?? 0n) / 1e18
}

/** Creates the market. @param tokens the first token is that against which the other tokens are traded */
function createMarket(task: Task, tokens: readonly Address[], entries: readonly AuctionOrder[]): Crossing {
  const price = priceIn(task)
  const [first] = tokens
  const volume = entries.reduce(
    (sum, { order }) => sum + Number(order.sellAmount) * price(order.sellToken),
    0,
  )
  const curve = (from: Address | undefined, to: Address | undefined) =>
    from && to && from !== to ? curveBetween(task, from, to, BigInt(Math.ceil(volume / price(from)))) : []
  return {
    task,
    tokens,
    reference: tokens.map(price),
    selling: tokens.map((token) => curve(token, first)),
    buying: tokens.map((token) => curve(first, token)),
  }
}

/** Computes the choice exactly, without orders that fail at the exact price or with the exact fees. */
function settled(market: Crossing, choice: Batch, estimatedHops: number): Cleared | undefined {
  let hops = estimatedHops
  let { members } = choice
  for (let attempt = 1; attempt <= maxAttempts && members.length > 0; attempt++) {
    const gas = sharedGasUp(members.length, hops)
    const charged = withFees(market, members, gas)
    const next = charged.length === members.length ? toBatch(market, charged) : undefined
    if (!next) {
      members = withoutWorst(market, charged, members.length)
      continue
    }
    const clearing = clearExactly(market, next)
    if (!clearing) return undefined
    const swaps = hopsOf(clearing).length
    if (swaps > hops || (swaps < hops && attempt <= exactAttempts)) {
      hops = swaps
      continue
    }
    const candidate = toCleared(market, next.settled, clearing, gas)
    if (candidate) return candidate
    members = withoutRefused(market, next, clearing)
  }
  return undefined
}

/**
 * The members with the fees for this gas. A partially fillable order keeps its traded amount apart from the
 * fee.
 */
function withFees(market: Crossing, members: readonly BatchOrder[], gas: bigint): BatchOrder[] {
  return members.flatMap(({ entry, filled, isSell, trade }) => {
    const { task, tokens } = market
    const whole = batchOrderAt(task, tokens, entry, gas)
    if (!whole || filled === entry.remaining) return whole ?? []
    const needed = isSell ? trade.executedAmount + whole.trade.fee : trade.executedAmount
    return needed < entry.remaining ? (batchOrderAt(task, tokens, entry, gas, needed) ?? []) : whole
  })
}

function withoutWorst(market: Crossing, members: readonly BatchOrder[], before: number): BatchOrder[] {
  if (members.length < before) return [...members]
  const prices = balancedPrices(market, members)
  return members.toSorted((a, b) => acceptance(b, prices) - acceptance(a, prices)).slice(0, -1)
}

function withoutRefused(
  market: Crossing,
  { settled: trades, members }: Batch,
  clearing: Clearing,
): BatchOrder[] {
  const prices = pricesOf(market, clearing)
  const passes = trades.map(({ entry, trade }) => outcomeOf(market.task, entry, trade, prices) !== undefined)
  const refused = passes.lastIndexOf(false)
  return refused < 0 ? members.slice(0, -1) : members.filter((_, index) => index !== refused)
}

/** @param gas the gas that each order pays for, besides its own extra gas */
function toCleared(
  market: Crossing,
  members: readonly BatchOrder[],
  clearing: Clearing,
  gas: bigint,
): Cleared | undefined {
  const hops = hopsOf(clearing).length
  const entries = members.map(({ entry }) => entry)
  const extraGas = entries.reduce((sum, entry) => sum + entry.extraGas, 0n)
  const proposal = {
    trades: members.map(({ trade }) => trade),
    interactions: routeCalls(clearing.paths, market.task.settlement),
    paths: clearing.paths,
    gas: settlementGas(members.length, hops) + extraGas,
  }
  const paidGas = gas * BigInt(members.length) + extraGas
  const [found] = pricesFor(market, members, clearing)
    .flatMap((prices) => {
      const priced = { ...proposal, prices }
      const dust = dustOf(market.task, entries, priced, paidGas)
      return dust === undefined ? [] : [{ priced, dust }]
    })
    .sort((a, b) => (a.dust < b.dust ? -1 : 1))
  const candidate = found && toCandidate(market.task, entries, found.priced)
  return candidate && { ...candidate, hops }
}

/**
 * The prices to try. A buy order shows a fee in the bought token only at a price at which its sold atoms buy
 * just what it takes and the fee.
 */
function pricesFor(
  market: Crossing,
  members: readonly BatchOrder[],
  clearing: Clearing,
): Map<Address, bigint>[] {
  const prices = pricesOf(market, clearing)
  const buyer = members.find(({ isSell, trade }) => !isSell && trade.boughtFee > 0n)
  const [sell, buy] = buyer ? [market.tokens[buyer.from], market.tokens[buyer.to]] : []
  if (!buyer || !sell || !buy || market.tokens.length > 2) return [prices]
  const sold = mulDivUp(buyer.take, prices.get(buy) ?? 0n, prices.get(sell) ?? 1n)
  const exact = new Map([
    [sell, buyer.take],
    [buy, sold],
  ])
  return [exact, prices]
}

function pricesOf({ tokens }: Crossing, { prices }: Clearing): Map<Address, bigint> {
  return new Map(tokens.map((token, index) => [token, prices[index] ?? 0n]))
}
