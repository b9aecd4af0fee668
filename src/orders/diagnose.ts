import { setTimeout as pause } from 'node:timers/promises'
import type { Holding, ReadBalance } from '../chain/balance-reader.ts'
import type { Chain } from '../chain/chain.ts'
import { priceScale } from '../domain/amount.ts'
import { fundsReasons } from '../domain/diagnosis/account-reasons.ts'
import { isOverdue } from '../domain/diagnosis/auction-reasons.ts'
import { diagnose, needsBalanceRead, needsPriceRead } from '../domain/diagnosis/diagnose.ts'
import type { DiagnosedOrder, Diagnosis, DiagnosisInput } from '../domain/diagnosis/diagnosis.ts'
import { Outage, Refusal } from '../domain/errors/error.ts'
import { type Address, nativeMarker } from '../domain/evm/address.ts'
import type { Clock } from '../domain/log.ts'
import { nativeCoin } from '../domain/network/chains.ts'
import type { Network } from '../domain/network/network.ts'
import type { OrderData } from '../domain/order/order.ts'
import type { TradingPolicy } from '../domain/order/trading-policy.ts'
import type { NativeRate } from '../domain/token/prices.ts'
import { wrappedForm } from '../domain/token/token.ts'
import { normalizedPriceDown } from '../quotes/native-price.ts'
import type { StoredFacts, UnplacedOrderFacts } from '../storage/order/diagnosis-facts.ts'

export interface DiagnosisServices {
  network: Network
  now: Clock
  policy: Pick<TradingPolicy, 'deniedTokens'>
  /** Reads for the first answer about an order; only where the network follows an order book. */
  followed?: FollowedReads | undefined
  /** Settings of the network's auctions. */
  auctions: { everyBlocks: number; minLifetime: number }
  chain: Pick<Chain, 'balances'>
}

type ServiceRules = Pick<DiagnosisServices, 'network' | 'auctions' | 'followed'>

/** Orders of one look at the chain: those beyond are answered without it. */
const maxLooks = 100

type WithoutLook = Omit<DiagnosisInput, 'look'>

/**
 * Why each of these orders is not filled, in their order. At most one request to the node, for those that no
 * auction, or no survey of a followed order book, has looked at lately. On such a network, prices that are
 * not stored are read too.
 */
export async function diagnoseOrders(
  orders: readonly StoredFacts[],
  services: DiagnosisServices,
): Promise<Diagnosis[]> {
  const now = new Date(services.now())
  const rows = orders.map((stored) => ({ stored, facts: toFacts(stored, now, services) }))
  const { followed } = services
  const looked = rows
    .filter(({ stored, facts }) => (followed || !stored.hasOwnCode) && needsBalanceRead(facts))
    .slice(0, maxLooks)
  const holdings = looked.map(({ stored: { owner, order } }) => ({ owner, token: order.sellToken }))
  const unpriced = followed ? rows.filter(({ facts }) => needsPriceRead(facts)) : []
  const tokens = new Set(unpriced.flatMap(({ facts: { order } }) => [order.sellToken, order.buyToken]))
  const [looks, prices] = await Promise.all([
    followed ? followed.funds(holdings) : look(holdings, services),
    tokens.size > 0 ? followed?.prices([...tokens]) : undefined,
  ])
  const lookOf = new Map(looked.map(({ stored }, index) => [stored, looks[index] ?? null]))
  const priced = new Set(unpriced.map(({ stored }) => stored))
  return rows.map(({ stored, facts }) => {
    const known = prices && priced.has(stored) ? { ...facts, ...pricesOf(facts, prices) } : facts
    const seen = lookOf.get(stored) ?? null
    return diagnose({ ...known, look: followed ? judgedLook(seen, stored, known) : seen })
  })
}

/** Returns the funds that a look found; null where code of the order's own decides: only a survey runs it. */
function judgedLook(
  look: DiagnosisInput['look'],
  { isVerified, order }: StoredFacts,
  facts: WithoutLook,
): DiagnosisInput['look'] {
  if (look === null || look === 'away') return look
  const isShort = fundsReasons({ ...facts, look }, look, null).length > 0
  // Hooks may bring what is missing; an account that has all may still refuse the signature.
  return (isShort ? order.hasPreHooks : !isVerified) ? null : look
}

type ReadPrices = ReadonlyMap<Address, bigint | null>

/** The prices of an order's tokens as the newest ones of the market, or the tokens that have none. */
function pricesOf(
  { now, market, order: { sellToken, buyToken } }: WithoutLook,
  prices: ReadPrices,
): Pick<DiagnosisInput, 'market' | 'unpriced'> {
  const [sell, buy] = [prices.get(sellToken), prices.get(buyToken)]
  const newest = sell && buy ? { at: now, sell, buy } : undefined
  return {
    market: newest ? { newest, oldest: market?.oldest ?? newest } : market,
    unpriced: [sellToken, buyToken].filter((token) => prices.get(token) === null),
  }
}

/** The reads that an answer about an order of a followed order book waits for. */
interface FollowedReads {
  /** Returns the funds in the order of the holdings; null for those that could not be read in time. */
  funds(holdings: readonly Holding[]): Promise<DiagnosisInput['look'][]>
  /**
   * Returns native atoms for 10^18 atoms; null for a token without a price. Tokens that could not be read in
   * time are left out.
   */
  prices(tokens: readonly Address[]): Promise<ReadPrices>
}

/** Time of all reads for one answer, in milliseconds: they run at once. */
const readMs = 2_000
/** Holdings that are read at once, for all clients. */
const maxReading = 1_000
/** Tokens of one answer whose prices the order book is asked for: each is a call. */
const maxPriced = 4

interface FollowedReadsOptions extends Pick<DiagnosisServices, 'network' | 'chain'> {
  /** Prices of the newest auction that is stored, if it is of now. @throws Outage */
  newestPrices(tokens: readonly Address[]): Promise<ReadonlyMap<Address, bigint>>
}

/** Reads rates at the order book, for the client that is charged for it. */
type ReadRates = (tokens: readonly Address[]) => Promise<Map<Address, NativeRate | Refusal>>

/** Creates the reads for each client. Concurrent answers share those of one account and token. */
export function createFollowedReads(
  options: FollowedReadsOptions,
): (nativeRates: ReadRates) => FollowedReads {
  const { network, newestPrices } = options
  const running = new Map<string, Promise<DiagnosisInput['look']>>()
  const keyOf = ({ owner, token }: Holding) => `${owner}:${token}`

  /** Begins the reads that no other answer has begun. */
  function begin(holdings: readonly Holding[]): void {
    const others = new Map(holdings.map((holding) => [keyOf(holding), holding]))
    const begun = [...others].filter(([key]) => !running.has(key)).slice(0, maxReading - running.size)
    const reading = look(
      begun.map(([, holding]) => holding),
      options,
    )
    for (const [index, [key]] of begun.entries())
      running.set(
        key,
        reading.then((looks) => looks[index] ?? null).finally(() => running.delete(key)),
      )
  }

  async function readPrices(
    tokens: readonly Address[],
    found: Map<Address, bigint | null>,
    nativeRates: ReadRates,
  ): Promise<void> {
    const form = (token: Address) => wrappedForm(token, network.wrappedNative)
    const stored = await newestPrices(tokens.map(form))
    const priceOf = (token: Address) =>
      form(token) === network.wrappedNative ? priceScale : stored.get(form(token))
    for (const token of tokens) {
      const price = priceOf(token)
      if (price) found.set(token, price)
    }
    const left = tokens.filter((token) => !found.has(token)).slice(0, maxPriced)
    if (left.length === 0) return
    const rates = await nativeRates(left)
    for (const token of left) {
      const rate = rates.get(token)
      if (!(rate instanceof Refusal)) found.set(token, rate ? normalizedPriceDown(rate) || null : null)
    }
  }

  return (nativeRates) => ({
    async funds(holdings) {
      if (holdings.length === 0) return []
      begin(holdings)
      const late = pause(readMs, null, { ref: false })
      return Promise.all(holdings.map((holding) => Promise.race([running.get(keyOf(holding)) ?? null, late])))
    },
    async prices(tokens) {
      const found = new Map<Address, bigint | null>()
      const reading = readPrices(tokens, found, nativeRates).catch((fault: unknown) => {
        if (!(fault instanceof Outage || fault instanceof Refusal)) throw fault
      })
      await Promise.race([reading, pause(readMs, undefined, { ref: false })])
      return new Map(found)
    },
  })
}

function toFacts(
  { owner: _owner, hasOwnCode: _code, isVerified: _verified, ...row }: StoredFacts,
  now: Date,
  services: DiagnosisServices,
): WithoutLook {
  const { policy, followed } = services
  const { order, standing } = row
  const { sellToken, buyToken, effectiveValidTo } = order
  const service = serviceFacts(row.service, services)
  // No survey has renewed the standing; that of an order that has expired stays as it was.
  const isOld = followed && isOverdue({ now, order, service }) && effectiveValidTo * 1_000 > now.getTime()
  return {
    ...row,
    now,
    standing: isOld ? null : standing,
    tokens: withCoin(row.tokens, order, services.network.chainId),
    deniedTokens: [sellToken, buyToken].filter((token) => policy.deniedTokens.has(token)),
    service,
  }
}

/** Adds symbol and decimals of the native coin, which is no stored token. */
function withCoin(
  { sell, buy }: StoredFacts['tokens'],
  { sellToken, buyToken }: Pick<OrderData, 'sellToken' | 'buyToken'>,
  chainId: number,
): StoredFacts['tokens'] {
  const coin = nativeCoin(chainId)
  return {
    sell: sellToken === nativeMarker ? coin : sell,
    buy: buyToken === nativeMarker ? coin : buy,
  }
}

function serviceFacts(
  service: StoredFacts['service'],
  { network: { blockTimeMs }, auctions, followed }: ServiceRules,
): DiagnosisInput['service'] {
  const { minLifetime, everyBlocks } = auctions
  return {
    ...service,
    isFollowed: followed !== undefined,
    minLifetime,
    auctionPauseMs: everyBlocks * blockTimeMs,
    blockTimeMs,
  }
}

/** Reads the holdings, and returns them in their order. A node that is away is an answer. */
async function look(
  holdings: readonly Holding[],
  { chain }: Pick<DiagnosisServices, 'chain'>,
): Promise<DiagnosisInput['look'][]> {
  if (holdings.length === 0) return []
  try {
    const balances = await chain.balances(holdings)
    return balances.map((balance) => (balance instanceof Outage ? null : toFunds(balance)))
  } catch (fault) {
    if (fault instanceof Outage) return holdings.map(() => 'away')
    throw fault
  }
}

export function toFunds(balance: ReadBalance) {
  if (balance === 'absent') return { balance: 0n, allowance: 0n }
  return { balance: balance.balance, allowance: balance.allowance ?? 0n }
}

/** The known facts of an order that is not placed, in the form that is diagnosed. */
export function unplacedOrderFacts(
  order: OrderData & Pick<DiagnosedOrder, 'signingScheme' | 'validFrom' | 'hasPreHooks'>,
  { tokens, market, service, presigned }: UnplacedOrderFacts,
  services: Pick<DiagnosisServices, 'now'> & ServiceRules,
): DiagnosisInput {
  return {
    now: new Date(services.now()),
    order: {
      ...order,
      presigned,
      placementError: null,
      placementDetail: null,
      // It takes part in no auction yet: a halt of auctions is reported at once.
      creationDate: new Date(0),
      effectiveValidTo: order.validTo,
      executedSellAmount: 0n,
      executedBuyAmount: 0n,
      executedFeeAmount: 0n,
      cancelledAt: null,
      invalidatedOnChain: false,
    },
    tokens: withCoin(tokens, order, services.network.chainId),
    market,
    cancellation: null,
    lastTrade: null,
    failedHook: null,
    standing: null,
    bid: null,
    bestBid: null,
    attempt: null,
    refusal: null,
    deniedTokens: [],
    look: null,
    programmatic: null,
    service: serviceFacts(service, services),
  }
}
