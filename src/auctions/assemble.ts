import { setTimeout } from 'node:timers/promises'
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

/** `undefined` is for an order that is left out without a word: what is wrong, if anything, will show. */
type Verdict = { entry: AuctionOrder } | { order: Order; excluded: ExclusionReason } | undefined

/**
 * The auction of the newest block: every order that can be settled now, with native prices. Whoever is left
 * out gets an event that says why.
 * @returns undefined when no order is solvable
 */
export async function assembleAuction(services: AuctionServices): Promise<AssembledAuction | undefined> {
  const { db, network, settings } = services
  const now = unixSeconds(services.now())
  const head = await services.head()
  const block = head.number
  // Read first: a settlement that is indexed between the two shows in the orders, and never in neither.
  const inFlight = await ordersInFlight(db, network.chainId, block)
  const live = await liveOrders(db, network.chainId, now + settings.minLifetime, settings.maxOrders)
  const orders = live.filter(({ validFrom }) => validFrom === null || validFrom <= now)
  if (orders.length === 0) return undefined

  const pairs = pairsOf(orders, network)
  // Nothing is asked about those who are left out whatever the answer.
  const candidates = orders.filter(
    (order) =>
      !inFlight.has(order.id) && !spoiled(order, block, services) && !deniedReason(order, services.policy),
  )
  const traded = new Set([network.wrappedNative, ...pairs.flat()])
  const own = Promise.all([
    services.pools(pairs, head.hash),
    services.gasPrice(),
    readHoldings(candidates, services),
    services.codeChecks.ask(
      candidates.filter((order) => isSigned(order) && needsCodeCheck(order)),
      head,
    ),
  ])
  const dollar = priceDollar(services, head.hash, traded)
  const [[pools, gasPrice, held, answers], dollarPrice] = await Promise.all([own, notLongAfter(own, dollar)])
  const nativePrices = new Map([...priceTokens(traded, pools, network), ...dollarPrice])
  const funds = createFunds(held, answers)
  const circumstances = { now, block, inFlight, answers, funds, nativePrices, services }
  const verdicts = orders.map((order) => judgeOrSkip(order, circumstances))
  await recordExclusions(
    verdicts.flatMap((verdict) => (verdict ? [toExclusion(verdict)] : [])),
    services,
  )

  const entries = verdicts.flatMap((verdict) => (verdict && 'entry' in verdict ? [verdict.entry] : []))
  if (entries.length === 0) return undefined
  const id = await nextAuctionId(db)
  const deadlineBlock = block + settings.deadlineBlocks
  return {
    auction: { id, chainId: network.chainId, block, deadlineBlock, orders: entries, nativePrices, gasPrice },
    pools,
  }
}

interface Circumstances {
  /** Unix seconds. */
  now: number
  block: number
  inFlight: ReadonlySet<bigint>
  answers: ReadonlyMap<bigint, OrderAnswer>
  funds: Funds
  nativePrices: ReadonlyMap<Address, bigint>
  services: AuctionServices
}

/** A stored document that this version of the program refuses costs its own order alone. */
function judgeOrSkip(order: Order, circumstances: Circumstances): Verdict {
  try {
    return judge(order, circumstances)
  } catch (fault) {
    if (!(fault instanceof Refusal)) throw fault
    circumstances.services.log.warn('an order cannot be read', { uid: order.uid, fault: fault.message })
    return undefined
  }
}

function judge(
  order: Order,
  { now, block, inFlight, answers, funds, nativePrices, services }: Circumstances,
): Verdict {
  const exclude = (excluded: ExclusionReason): Verdict => ({ order, excluded })
  if (inFlight.has(order.id)) return exclude('in_flight')
  const denied = deniedReason(order, services.policy)
  if (denied) return exclude(denied)
  if (!isSigned(order)) return exclude('invalid_signature')
  const spoiling = spoiled(order, block, services)
  if (spoiling) return spoiling.reason ? exclude(spoiling.reason) : undefined
  const answer = answers.get(order.id)
  if (!answer && needsCodeCheck(order)) return undefined
  if (answer?.signature === 'invalid') return exclude('invalid_signature')
  const buyToken = wrappedForm(order.buyToken, services.network.wrappedNative)
  if (!nativePrices.get(order.sellToken) || !nativePrices.get(buyToken))
    return exclude('missing_native_price')
  const remaining = affordable(order, funds.left(order))
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

function spoiled(order: Order, block: number, { culprits }: AuctionServices) {
  return culprits.waiting(backOffKey(order), block)
}

/** Fees that the application behind the order asks for come after the protocol's own. */
function partnerPoliciesOf({ fullAppData }: Order): FeePolicy[] {
  if (!fullAppData?.includes('partnerFee')) return []
  return partnerPolicies(parseAppDataDocument(fullAppData).partnerFees)
}

/**
 * What can be filled of the fixed side with these sell atoms: all of it or nothing, unless the order is
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

/** What remains rounds to nothing on one side. */
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
 * What the dollar is worth, so that trades have a dollar value later. Routes through pools of its own: to
 * those who trade it is no different whether it is known. An auction goes without, too.
 */
async function priceDollar(
  { network, pools }: AuctionServices,
  blockHash: Bytes32,
  traded: ReadonlySet<Address>,
): Promise<Map<Address, bigint>> {
  const { usdReference, wrappedNative } = network
  if (usdReference === null || traded.has(usdReference)) return new Map()
  try {
    return priceTokens(
      new Set([usdReference]),
      await pools([[usdReference, wrappedNative]], blockHash),
      network,
    )
  } catch (fault) {
    if (fault instanceof Outage) return new Map()
    throw fault
  }
}

/** How much longer an auction waits for the dollar than for its own data, in milliseconds. */
const maxForDollarMs = 300

/** None, when they come later. */
async function notLongAfter(
  own: Promise<unknown>,
  prices: Promise<Map<Address, bigint>>,
): Promise<Map<Address, bigint>> {
  const tooLate = own.then(() => setTimeout(maxForDollarMs, new Map<Address, bigint>(), { ref: false }))
  return Promise.race([prices, tooLate])
}
