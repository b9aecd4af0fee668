import { setTimeout } from 'node:timers/promises'
import type { Block } from '../chain/chain.ts'
import type { OrderAnswer } from '../chain/order/order-check.ts'
import { minOf, mulDivDown } from '../domain/amount.ts'
import { parseAppDataDocument } from '../domain/app-data/document.ts'
import type { Auction, AuctionOrder } from '../domain/auction/auction.ts'
import { Outage, Refusal } from '../domain/errors/error.ts'
import type { Address } from '../domain/evm/address.ts'
import type { Bytes32 } from '../domain/evm/hex.ts'
import { partnerPolicies } from '../domain/fee/partner.ts'
import type { FeePolicy } from '../domain/fee/policy.ts'
import { policiesFor } from '../domain/fee/rules.ts'
import { unixSeconds } from '../domain/log.ts'
import type { Network } from '../domain/network/network.ts'
import type { ExclusionReason } from '../domain/order/event.ts'
import { filledAmount, type Order } from '../domain/order/order.ts'
import { deniedReason } from '../domain/order/trading-policy.ts'
import type { Pool } from '../domain/routing/pool.ts'
import { extraOrderGas } from '../domain/settlement/gas.ts'
import { wrappedForm } from '../domain/token/token.ts'
import { nativeRate, normalizedPriceDown } from '../quotes/prices/native-price.ts'
import { nextAuctionId, ordersInFlight } from '../storage/auction/competition.ts'
import { liveOrders } from '../storage/order/orders.ts'
import { needsCodeCheck } from './code-checks.ts'
import { type Exclusion, recordExclusions } from './exclusions.ts'
import { createFunds, type Funds, readHoldings } from './funds.ts'
import type { AuctionServices } from './services.ts'
import { backOffKey } from './simulate.ts'

export interface AssembledAuction {
  auction: Auction
  pools: readonly Pool[]
}

/** `undefined`: the order is left out without an event, because no reason is certain yet. */
type Verdict = { entry: AuctionOrder } | { order: Order; excluded: ExclusionReason } | undefined

/**
 * The auction at the head: every order that can be settled now, with native prices. An order that is left
 * out gets an event with the reason.
 * @returns undefined when no order is solvable
 */
export async function assembleAuction(services: AuctionServices): Promise<AssembledAuction | undefined> {
  const { db, network, settings } = services
  const now = unixSeconds(services.now())
  const head = await services.head()
  // In-flight orders are read first: a settlement indexed between the two reads shows in the live orders, so none is missed.
  const inFlight = await ordersInFlight(db, network.chainId, head.number)
  const live = await liveOrders(db, network.chainId, now + settings.minLifetime, settings.maxOrders)
  const orders = live.filter(({ validFrom }) => validFrom === null || validFrom <= now)
  if (orders.length === 0) return undefined

  const pairs = pairsOf(orders, network)
  // The chain is not read for orders that are excluded in any case.
  const candidates = orders.filter(
    (order) =>
      !inFlight.has(order.id) && !backOffOf(order, head, services) && !deniedReason(order, services.policy),
  )
  const tokens = new Set([network.wrappedNative, ...pairs.flat()])
  const reads = Promise.all([
    services.pools(pairs, head.hash),
    services.gasPrice(),
    readHoldings(candidates, services),
    services.codeChecks.ask(
      candidates.filter((order) => isSigned(order) && needsCodeCheck(order)),
      head,
    ),
  ])
  const usdPrices = readUsdPrice(services, head.hash, tokens)
  const [[pools, gasPrice, holdings, answers], usdPricesInTime] = await Promise.all([
    reads,
    inTime(usdPrices, reads),
  ])
  const nativePrices = new Map([...priceTokens(tokens, pools, network), ...usdPricesInTime])
  const funds = createFunds(holdings, answers)
  const inputs = { now, head, inFlight, answers, funds, nativePrices, services }
  const verdicts = orders.map((order) => judgeOrSkip(order, inputs))
  await recordExclusions(
    verdicts.flatMap((verdict) => (verdict ? [toExclusion(verdict)] : [])),
    services,
  )

  const entries = verdicts.flatMap((verdict) => (verdict && 'entry' in verdict ? [verdict.entry] : []))
  if (entries.length === 0) return undefined
  const id = await nextAuctionId(db)
  const auction: Auction = {
    id,
    chainId: network.chainId,
    block: head.number,
    deadlineBlock: head.number + settings.deadlineBlocks,
    orders: entries,
    nativePrices,
    gasPrice,
  }
  return { auction, pools }
}

interface Inputs {
  /** Unix seconds. */
  now: number
  head: Block
  inFlight: ReadonlySet<bigint>
  answers: ReadonlyMap<bigint, OrderAnswer>
  funds: Funds
  nativePrices: ReadonlyMap<Address, bigint>
  services: AuctionServices
}

/** A stored document that this version of the program refuses affects only its own order. */
function judgeOrSkip(order: Order, inputs: Inputs): Verdict {
  try {
    return judge(order, inputs)
  } catch (fault) {
    if (!(fault instanceof Refusal)) throw fault
    inputs.services.log.warn('an order cannot be read', { uid: order.uid, fault: fault.message })
    return undefined
  }
}

function judge(
  order: Order,
  { now, head, inFlight, answers, funds, nativePrices, services }: Inputs,
): Verdict {
  const exclude = (excluded: ExclusionReason): Verdict => ({ order, excluded })
  if (inFlight.has(order.id)) return exclude('in_flight')
  const denied = deniedReason(order, services.policy)
  if (denied) return exclude(denied)
  if (!isSigned(order)) return exclude('invalid_signature')
  const backOff = backOffOf(order, head, services)
  if (backOff) return backOff.reason ? exclude(backOff.reason) : undefined
  const answer = answers.get(order.id)
  if (!answer && needsCodeCheck(order)) return undefined
  if (answer?.signature === 'invalid') return exclude('invalid_signature')
  const buyToken = wrappedForm(order.buyToken, services.network.wrappedNative)
  if (!nativePrices.get(order.sellToken) || !nativePrices.get(buyToken))
    return exclude('missing_native_price')
  const remaining = affordable(order, funds.available(order))
  if (remaining === undefined) return exclude('insufficient_balance')
  if (isDust(order, remaining)) return exclude('dust_order')
  const rules = policiesFor(services.feePolicies, order, services.network.wrappedNative, now)
  const feePolicies = [...rules, ...partnerPoliciesOf(order)]
  const extraGas = extraOrderGas(order, buyToken !== order.buyToken, answer?.signatureGas)
  funds.take(order, remaining)
  return { entry: { order, remaining, feePolicies, extraGas } }
}

function toExclusion(verdict: NonNullable<Verdict>): Exclusion {
  return 'entry' in verdict ? { order: verdict.entry.order, excluded: null } : verdict
}

function isSigned({ signingScheme, presigned }: Order): boolean {
  return signingScheme !== 'presign' || presigned
}

function backOffOf(order: Order, head: Block, { culprits }: AuctionServices) {
  return culprits.waiting(backOffKey(order), head.number)
}

/** Partner fees, from the order's appData, are taken after the protocol fees. */
function partnerPoliciesOf({ fullAppData }: Order): FeePolicy[] {
  if (!fullAppData?.includes('partnerFee')) return []
  return partnerPolicies(parseAppDataDocument(fullAppData).partnerFees)
}

/**
 * Atoms of the fixed side that `usable` sell atoms can fill: all that remain or none, unless the order is
 * partially fillable.
 */
function affordable(order: Order, usable: bigint): bigint | undefined {
  const target = order.kind === 'sell' ? order.sellAmount : order.buyAmount
  const remaining = target - filledAmount(order)
  if (!order.partiallyFillable) return usable >= order.sellAmount ? remaining : undefined
  if (usable === 0n) return undefined
  return order.kind === 'sell'
    ? minOf(remaining, usable)
    : minOf(remaining, mulDivDown(usable, order.buyAmount, order.sellAmount))
}

/** The remaining amount rounds to zero on one side. */
function isDust(order: Order, remaining: bigint): boolean {
  const [fixed, other] =
    order.kind === 'sell' ? [order.sellAmount, order.buyAmount] : [order.buyAmount, order.sellAmount]
  return mulDivDown(remaining, other, fixed) === 0n
}

function pairsOf(orders: readonly Order[], { wrappedNative }: Network): [Address, Address][] {
  return orders.map(({ sellToken, buyToken }) => [sellToken, wrappedForm(buyToken, wrappedNative)])
}

function priceTokens(
  tokens: ReadonlySet<Address>,
  pools: readonly Pool[],
  network: Network,
): Map<Address, bigint> {
  const prices = new Map<Address, bigint>()
  for (const token of tokens) {
    const rate = nativeRate(pools, network, token)
    const price = rate && normalizedPriceDown(rate)
    if (price) prices.set(token, price)
  }
  return prices
}

/**
 * The price of the dollar token, which gives trades a dollar value later. Its pools are read apart from the
 * auction's, so that solvers get the same pools whether it is known or not. An outage leaves it out.
 */
async function readUsdPrice(
  services: AuctionServices,
  blockHash: Bytes32,
  tokens: ReadonlySet<Address>,
): Promise<Map<Address, bigint>> {
  const { network } = services
  const { usdReference, wrappedNative } = network
  if (usdReference === null || tokens.has(usdReference)) return new Map()
  try {
    const pools = await services.pools([[usdReference, wrappedNative]], blockHash)
    return priceTokens(new Set([usdReference]), pools, network)
  } catch (fault) {
    if (fault instanceof Outage) return new Map()
    throw fault
  }
}

/** How long an auction waits for the dollar price after its other reads, in milliseconds. */
const usdPriceGraceMs = 300

/** The prices, or none if they come too long after the other reads. */
async function inTime(
  usdPrices: Promise<Map<Address, bigint>>,
  reads: Promise<unknown>,
): Promise<Map<Address, bigint>> {
  const none = reads.then(() => setTimeout(usdPriceGraceMs, new Map<Address, bigint>(), { ref: false }))
  return Promise.race([usdPrices, none])
}
