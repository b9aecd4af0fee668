import type { Block } from '../chain/chain.ts'
import { parseAppDataDocument } from '../domain/app-data/document.ts'
import type { Auction, AuctionOrder } from '../domain/auction/auction.ts'
import type { LeftOutReason } from '../domain/auction/competition.ts'
import { Refusal } from '../domain/errors/error.ts'
import type { Address } from '../domain/evm/address.ts'
import { type FeePolicy, partnerPolicies, volumeShare } from '../domain/fee/policy.ts'
import { policiesFor } from '../domain/fee/rules.ts'
import { unixSeconds } from '../domain/log.ts'
import type { Pause, StandingReason } from '../domain/order/event.ts'
import type { Order } from '../domain/order/order.ts'
import { deniedReason } from '../domain/order/trading-policy.ts'
import type { Pool } from '../domain/routing/pool.ts'
import { extraOrderGas, settlementGas } from '../domain/settlement/gas.ts'
import { wrappedForm } from '../domain/token/token.ts'
import { nextAuctionId, ordersInFlight, ownersInFlight } from '../storage/auction/competition.ts'
import { type Admitted, admit, createFunds, rankOrders } from './admission/admit.ts'
import { needsCodeCheck } from './admission/code-checks.ts'
import type { LeftOut } from './admission/publish-auction.ts'
import type { StandingUpdate } from './admission/standings.ts'
import { backOffOf, pauseOfPool, tokensOf } from './failures/failing-orders.ts'
import { type AuctionMarket, pricesAsSigned, pricesOf, readMarket } from './market.ts'
import type { AuctionServices } from './services.ts'

export interface AssembledAuction {
  auction: Auction
  pools: readonly Pool[]
  /** The other live orders. */
  leftOut: LeftOut
}

/**
 * The auction at the head: the orders that are most likely to be filled, with native prices. Where each live
 * order stands is written.
 * @returns undefined when no order is solvable
 */
export async function assembleAuction(services: AuctionServices): Promise<AssembledAuction | undefined> {
  const { db, network, settings } = services
  const now = unixSeconds(services.now())
  const head = await services.head()
  // In-flight orders are read first: a settlement indexed between the two reads shows in the live orders, so
  // none is missed.
  const inFlight = await ordersInFlight(db, network.chainId, head.number)
  const { orders, verdicts, passed } = await readContestants(services, { now, head, inFlight })
  if (orders.length === 0) {
    await report(verdicts, head.number, services)
    return undefined
  }
  const market = await readMarket(orders, head, services)
  await services.marketPrices.keep(() => pricesAsSigned(orders, market.nativePrices, network))
  const { candidates, verdicts: unpriced } = rankOrders(orders, { ...market, ...network })
  const ranked = candidates.map(({ order }) => order)
  const isRanked = new Set(ranked)
  const others = orders.filter((order) => !isRanked.has(order))
  const usable = usableMarket(market, head.number, services)
  services.routedPrices.look([...ranked, ...others], usable, head.number, services.now())
  const { funds, answers } = await readFunds(ranked, head, services)
  const { admitted, verdicts: judged } = admit(candidates, answers, funds, settings.maxOrders)
  const entries = admitted.flatMap((one) => toEntry(one, now, services)).sort(byAge)
  const held = new Set(entries.map(({ order }) => order.id))
  const certain = judged.filter(({ order, reason }) => reason !== null || held.has(order.id))
  addFees(certain, entries, services)
  addCutOffs(certain, entries, usable.cutOff)
  await report([...verdicts, ...unpriced, ...certain], head.number, services)
  if (entries.length === 0) return undefined
  const auction: Auction = {
    id: await nextAuctionId(db),
    chainId: network.chainId,
    block: head.number,
    deadlineBlock: head.number + settings.deadlineBlocks,
    orders: entries,
    surplusCapturingOwners: await capturingOwners(services, head.number),
    nativePrices: pricesOf(entries, market.nativePrices, network),
    gasPrice: market.gasPrice,
  }
  const all = [...verdicts, ...unpriced, ...certain]
  return { auction, pools: usable.pools, leftOut: leftOutOf(orders, held, all, passed) }
}

/** Reads the funds of orders, the first of them first, and asks the code that decides about some. */
export async function readFunds(
  orders: readonly Order[],
  head: Block,
  { holdings, codeChecks }: Pick<AuctionServices, 'holdings' | 'codeChecks'>,
) {
  const [held, answers] = await Promise.all([
    holdings.read(
      orders.filter((order) => !needsCodeCheck(order)),
      head,
    ),
    codeChecks.ask(orders.filter(needsCodeCheck), head),
  ])
  return { funds: createFunds(held, answers), answers }
}

/** The market without what is paused. Prices of tokens are of all of it. */
function usableMarket({ pools, gasPrice }: AuctionMarket, block: number, services: AuctionServices) {
  const paused = new Map(
    pools.flatMap((pool) => {
      const pause = pauseOfPool(pool, block, services)
      return pause ? [[pool, pause] as const] : []
    }),
  )
  const usable = paused.size === 0 ? pools : pools.filter((pool) => !paused.has(pool))
  const traded = new Set(usable.flatMap(({ token0, token1 }) => [token0, token1]))
  return {
    pools: usable,
    gasPrice,
    /** Why all pools of a token of the order are left out. */
    cutOff(order: Order): Pause | undefined {
      if (paused.size === 0) return undefined
      const token = tokensOf(order, services.network).find((each) => !traded.has(each))
      return [...paused].find(([{ token0, token1 }]) => token === token0 || token === token1)?.[1]
    },
  }
}

function leftOutOf(
  orders: readonly Order[],
  held: ReadonlySet<bigint>,
  verdicts: readonly StandingUpdate[],
  passed: LeftOut,
): LeftOut {
  const leftOut = new Map<bigint, LeftOutReason>(passed)
  for (const { id } of orders) if (!held.has(id)) leftOut.set(id, 'not_checked')
  for (const { order, reason } of verdicts) if (reason !== null) leftOut.set(order.id, reason)
  return leftOut
}

/** Adds the gas of a settlement of each order alone, and the policy share of orders with a place. */
function addFees(
  verdicts: readonly StandingUpdate[],
  entries: readonly AuctionOrder[],
  { routedPrices }: Pick<AuctionServices, 'routedPrices'>,
): void {
  const byId = new Map(entries.map((entry) => [entry.order.id, entry]))
  for (const verdict of verdicts) {
    const entry = byId.get(verdict.order.id)
    const route = routedPrices.of(verdict.order)
    const hops = route?.gap === undefined ? 1 : route.hops
    verdict.gas = settlementGas(1, hops) + (entry?.extraGas ?? 0n)
    verdict.policyShare = entry && volumeShare(entry.feePolicies)
  }
}

/** Adds the pause that an order with a place waits for, if all pools of one of its tokens are left out. */
function addCutOffs(
  verdicts: readonly StandingUpdate[],
  entries: readonly AuctionOrder[],
  cutOff: (order: Order) => Pause | undefined,
): void {
  const byId = new Map(entries.map(({ order }) => [order.id, order]))
  for (const verdict of verdicts) {
    const order = verdict.reason === null ? byId.get(verdict.order.id) : undefined
    const pause = order && cutOff(order)
    if (!pause) continue
    verdict.revert = pause.revert
    verdict.failing = pause.failing
  }
}

/** Surplus-capturing owners, except those with a settlement under way. */
async function capturingOwners(
  { db, network, surplusCapturingOwners }: AuctionServices,
  block: number,
): Promise<Address[]> {
  if (surplusCapturingOwners.length === 0) return []
  const inFlight = await ownersInFlight(db, network.chainId, block)
  return surplusCapturingOwners.filter((owner) => !inFlight.has(owner))
}

async function report(
  verdicts: readonly StandingUpdate[],
  block: number,
  { meter, standings, routedPrices }: AuctionServices,
): Promise<void> {
  meter.stand(verdicts.map(({ reason }) => reason ?? 'in_auction'))
  // Not copied: there are as many as live orders.
  for (const verdict of verdicts) {
    verdict.routed = routedPrices.of(verdict.order)
    verdict.best = routedPrices.bestOf(verdict.order)
  }
  await standings.write(verdicts, block)
}

interface Moment {
  /** Unix seconds. */
  now: number
  head: Block
  inFlight: ReadonlySet<bigint>
}

/** The live orders that nothing the service knows excludes. The chain is not read for the other orders. */
export async function readContestants(
  services: AuctionServices,
  { now, head, inFlight }: Moment,
): Promise<{ orders: Order[]; verdicts: StandingUpdate[]; passed: LeftOut }> {
  const { book, standings, policy, settings } = services
  const { unsigned, ended, expired } = await book.read(now)
  await standings.end(ended)
  standings.forget(expired)
  standings.wait(unsigned.map((order) => ({ order, reason: 'invalid_signature' })))
  const verdicts: StandingUpdate[] = []
  const orders: Order[] = []
  const passed = new Map<bigint, LeftOutReason>()
  for (const order of book.orders()) {
    const untimely = untimelyReason(order, now, settings.minLifetime)
    if (untimely) passed.set(order.id, untimely)
    if (untimely) continue
    const backOff = backOffOf(order, head.number, services)
    const fault = book.faultOf(order)
    const settled = inFlight.has(order.id)
      ? 'in_flight'
      : (deniedReason(order, policy) ?? (fault === undefined ? undefined : 'document_refused'))
    const reason = settled ?? pauseReason(backOff)
    const pause = settled ? undefined : backOff
    const revert = settled === 'document_refused' ? fault : pause?.revert
    if (reason) verdicts.push({ order, reason, revert, failing: pause?.failing })
    else orders.push(order)
  }
  return { orders, verdicts, passed }
}

function untimelyReason(order: Order, now: number, minLifetime: number): LeftOutReason | undefined {
  if (order.effectiveValidTo < now + minLifetime) return 'expires_soon'
  return (order.validFrom ?? 0) > now ? 'not_yet_valid' : undefined
}

/** A failing order without a reason of its own waits too. */
function pauseReason(backOff: Pause | undefined): StandingReason | undefined {
  return backOff && (backOff.reason ?? 'settlement_failed')
}

/** A stored document that this version of the program refuses affects only its own order. */
function toEntry(
  { order, remaining, answer }: Admitted,
  now: number,
  services: AuctionServices,
): AuctionOrder[] {
  const { feePolicies, network, log } = services
  try {
    const isFree = services.surplusCapturingOwners.includes(order.owner)
    const rules = isFree ? [] : policiesFor(feePolicies, order, network.wrappedNative, now)
    const buysNative = wrappedForm(order.buyToken, network.wrappedNative) !== order.buyToken
    const extraGas = extraOrderGas(order, buysNative, answer?.signatureGas)
    return [{ order, remaining, feePolicies: [...rules, ...partnerPoliciesOf(order)], extraGas }]
  } catch (fault) {
    if (!(fault instanceof Refusal)) throw fault
    log.warn('an order cannot be read', { uid: order.uid, fault: fault.message })
    return []
  }
}

function byAge(a: AuctionOrder, b: AuctionOrder): number {
  return Number(a.order.id - b.order.id)
}

/** Partner fees, from the order's appData, are taken after the protocol fees. */
function partnerPoliciesOf({ fullAppData }: Order): FeePolicy[] {
  if (!fullAppData?.includes('partnerFee')) return []
  return partnerPolicies(parseAppDataDocument(fullAppData).partnerFees)
}
