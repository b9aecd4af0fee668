import type { Spendable } from '../chain/chain.ts'
import type { Address } from '../domain/address.ts'
import { minOf, mulDivDown } from '../domain/amount.ts'
import { parseAppDataDocument } from '../domain/app-data.ts'
import type { Auction, AuctionOrder } from '../domain/auction.ts'
import { type ExclusionReason, exclusionLabel } from '../domain/event.ts'
import type { FeePolicy } from '../domain/fee-policy.ts'
import { unixSeconds } from '../domain/log.ts'
import type { Network } from '../domain/network.ts'
import { filledAmount, type Order } from '../domain/order.ts'
import { partnerPolicies } from '../domain/partner-fee.ts'
import type { Pool } from '../domain/pool.ts'
import { wrappedForm } from '../domain/token.ts'
import { nativeRate, normalizedPriceDown } from '../quotes/native-price.ts'
import { nextAuctionId, ordersInFlight } from '../storage/competition.ts'
import { appendFindings, type NewOrderEvent, newEvents } from '../storage/events.ts'
import { lockOrders } from '../storage/order-progress.ts'
import { liveOrders } from '../storage/orders.ts'
import type { AuctionDesk } from './desk.ts'

export interface AssembledAuction {
  auction: Auction
  pools: readonly Pool[]
}

type Verdict = { entry: AuctionOrder } | { order: Order; excluded: ExclusionReason }

/**
 * The auction of the newest block: every order that can be settled now, with native prices. Whoever is left out gets an event
 * that says why. @returns undefined when no order is solvable
 */
export async function assembleAuction(desk: AuctionDesk): Promise<AssembledAuction | undefined> {
  const { db, network, settings } = desk
  const now = unixSeconds(desk.now())
  const block = (await desk.head()).number
  // Read first: a settlement that is indexed between the two shows in the orders, and never in neither.
  const inFlight = await ordersInFlight(db, network.chainId, block)
  const live = await liveOrders(db, network.chainId, now + settings.minLifetime, settings.maxOrders)
  const orders = live.filter(({ validFrom }) => validFrom === null || validFrom <= now)
  if (orders.length === 0) return undefined

  const pairs = pairsOf(orders, network)
  const [pools, gasPrice, funds] = await Promise.all([
    desk.pools(pairs, block),
    desk.gasPrice(),
    readFunds(orders, desk),
  ])
  const nativePrices = priceTokens(
    new Set([network.wrappedNative, ...pairs.flat()]),
    pools,
    network.wrappedNative,
  )
  const verdicts = orders.map((order) => judge(order, { inFlight, funds, nativePrices, desk }))
  await recordVerdicts(verdicts, desk)

  const entries = verdicts.flatMap((verdict) => ('entry' in verdict ? [verdict.entry] : []))
  if (entries.length === 0) return undefined
  const id = await nextAuctionId(db)
  const deadlineBlock = block + settings.deadlineBlocks
  return {
    auction: { id, chainId: network.chainId, block, deadlineBlock, orders: entries, nativePrices, gasPrice },
    pools,
  }
}

interface Circumstances {
  inFlight: ReadonlySet<bigint>
  funds: Funds
  nativePrices: ReadonlyMap<Address, bigint>
  desk: AuctionDesk
}

function judge(order: Order, { inFlight, funds, nativePrices, desk }: Circumstances): Verdict {
  const exclude = (excluded: ExclusionReason): Verdict => ({ order, excluded })
  if (inFlight.has(order.id)) return exclude('in_flight')
  if (order.signingScheme === 'presign' && !order.presigned) return exclude('invalid_signature')
  const buyToken = wrappedForm(order.buyToken, desk.network.wrappedNative)
  if (!nativePrices.get(order.sellToken) || !nativePrices.get(buyToken))
    return exclude('missing_native_price')
  const remaining = affordable(order, funds.left(order))
  if (remaining === undefined) return exclude('insufficient_balance')
  if (isDust(order, remaining)) return exclude('dust_order')
  funds.take(order, remaining)
  return { entry: { order, remaining, feePolicies: [...desk.feePolicies, ...partnerPoliciesOf(order)] } }
}

/** Fees that the application behind the order asks for come after the protocol's own. */
function partnerPoliciesOf({ fullAppData }: Order): FeePolicy[] {
  if (!fullAppData?.includes('partnerFee')) return []
  return partnerPolicies(parseAppDataDocument(fullAppData).partnerFees)
}

/** What can be filled of the fixed side with these sell atoms: all of it or nothing, unless the order is partially fillable. */
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

/** Spendable sell atoms; orders of one account share them, the oldest first. */
interface Funds {
  left(order: Order): bigint
  take(order: Order, remaining: bigint): void
}

async function readFunds(orders: readonly Order[], { spendable }: AuctionDesk): Promise<Funds> {
  const key = ({ owner, sellToken }: Pick<Order, 'owner' | 'sellToken'>) => `${owner}:${sellToken}`
  const holders = [...new Map(orders.map((order) => [key(order), order])).values()]
  const answers: Spendable[] = await spendable(
    holders.map(({ owner, sellToken }) => ({ owner, token: sellToken })),
  )
  const left = new Map(
    holders.map((order, index) => [
      key(order),
      minOf(answers[index]?.balance ?? 0n, answers[index]?.allowance ?? 0n),
    ]),
  )
  return {
    left: (order) => left.get(key(order)) ?? 0n,
    take(order, remaining) {
      const sold =
        order.kind === 'sell' ? remaining : mulDivDown(remaining, order.sellAmount, order.buyAmount)
      left.set(key(order), (left.get(key(order)) ?? 0n) - sold)
    },
  }
}

function pairsOf(orders: readonly Order[], { wrappedNative }: Network): [Address, Address][] {
  return orders.map(({ sellToken, buyToken }) => [sellToken, wrappedForm(buyToken, wrappedNative)])
}

function priceTokens(
  tokens: ReadonlySet<Address>,
  pools: readonly Pool[],
  wrappedNative: Address,
): Map<Address, bigint> {
  const prices = new Map<Address, bigint>()
  for (const token of tokens) {
    const rate = nativeRate(pools, wrappedNative, token)
    const price = rate && normalizedPriceDown(rate)
    if (price) prices.set(token, price)
  }
  return prices
}

async function recordVerdicts(verdicts: readonly Verdict[], { db, now }: AuctionDesk): Promise<void> {
  const timestamp = new Date(now())
  const findings: NewOrderEvent[] = verdicts.map((verdict) =>
    'entry' in verdict
      ? { orderId: verdict.entry.order.id, label: 'ready', reason: null, timestamp }
      : {
          orderId: verdict.order.id,
          label: exclusionLabel(verdict.excluded),
          reason: verdict.excluded,
          timestamp,
        },
  )
  const fresh = await newEvents(db, findings)
  if (fresh.length === 0) return
  const uids = new Map(
    verdicts
      .map((verdict) => ('entry' in verdict ? verdict.entry.order : verdict.order))
      .map(({ id, uid }) => [id, uid]),
  )
  await db.transaction(async (tx) => {
    await lockOrders(
      tx,
      fresh.flatMap(({ orderId }) => uids.get(orderId) ?? []),
    )
    await appendFindings(tx, fresh)
  })
}
