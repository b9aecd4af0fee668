import { setTimeout } from 'node:timers/promises'
import type { Block } from '../chain/chain.ts'
import { chunksOf } from '../chain/rpc/rpc.ts'
import type { AuctionOrder } from '../domain/auction/auction.ts'
import { Outage } from '../domain/errors/error.ts'
import type { Address } from '../domain/evm/address.ts'
import type { Bytes32 } from '../domain/evm/hex.ts'
import type { Network } from '../domain/network/network.ts'
import type { Order } from '../domain/order/order.ts'
import type { Pool } from '../domain/routing/pool.ts'
import { bestRouteForSell } from '../domain/routing/route.ts'
import { wrappedForm } from '../domain/token/token.ts'
import type { Pools } from '../market/pools/pools.ts'
import { nativeRate, normalizedPriceDown } from '../quotes/native-price.ts'
import type { AuctionServices } from './services.ts'

export interface AuctionMarket {
  pools: readonly Pool[]
  /** Wei for one unit of gas. */
  gasPrice: bigint
  nativePrices: ReadonlyMap<Address, bigint>
}

export async function readMarket(
  orders: readonly Order[],
  { hash }: Block,
  services: AuctionServices,
): Promise<AuctionMarket> {
  const { network } = services
  const pairs = pairsOf(orders, network)
  const tokens = new Set([network.wrappedNative, ...pairs.flat()])
  const reads = Promise.all([services.pools(pairs, hash), services.gasPrice()])
  const usdPrices = readUsdPrice(services, hash, tokens)
  const [[pools, gasPrice], usdPricesInTime] = await Promise.all([reads, inTime(usdPrices, reads)])
  const nativePrices = new Map([...priceTokens(tokens, pools, network), ...usdPricesInTime])
  return { pools, gasPrice, nativePrices }
}

/** Keys prices by the tokens that orders name: the native coin has the price of its wrapped form. */
export function pricesAsSigned(
  orders: readonly Order[],
  nativePrices: ReadonlyMap<Address, bigint>,
  { wrappedNative }: Network,
): Map<Address, bigint> {
  const tokens = new Set(orders.flatMap(({ sellToken, buyToken }) => [sellToken, buyToken]))
  return new Map(
    [...tokens].flatMap((token) => {
      const price = nativePrices.get(wrappedForm(token, wrappedNative))
      return price ? [[token, price] as const] : []
    }),
  )
}

/** Selects the prices of the orders' tokens, of the wrapped native token and of the dollar. */
export function pricesOf(
  entries: readonly AuctionOrder[],
  nativePrices: ReadonlyMap<Address, bigint>,
  { wrappedNative, usdReference }: Network,
): Map<Address, bigint> {
  const tokens = new Set(
    entries.flatMap(({ order }) => [order.sellToken, wrappedForm(order.buyToken, wrappedNative)]),
  )
  return new Map(
    [...nativePrices].filter(
      ([token]) => token === wrappedNative || token === usdReference || tokens.has(token),
    ),
  )
}

/** Tokens whose routes are searched among the same pools. */
const valuedAtOnce = 20

/**
 * The value of each amount in native atoms, if all of it is sold to the pools by one path. Amounts without a
 * route are left out.
 * @throws Outage
 */
export async function saleValues(
  amounts: ReadonlyMap<Address, bigint>,
  blockHash: Bytes32,
  { network: { wrappedNative }, pools }: { network: Network; pools: Pick<Pools, 'around'> },
): Promise<Map<Address, bigint>> {
  const values = new Map<Address, bigint>()
  for (const part of chunksOf([...amounts], valuedAtOnce)) {
    const others = part.filter(([token]) => wrappedForm(token, wrappedNative) !== wrappedNative)
    const pairs = others.map(([token]): [Address, Address] => [token, wrappedNative])
    const around = pairs.length > 0 ? await pools.around(pairs, blockHash) : []
    for (const [token, amount] of part) {
      const isCoin = wrappedForm(token, wrappedNative) === wrappedNative
      const value = isCoin
        ? amount
        : bestRouteForSell(around, token, wrappedNative, amount, onePath)?.amountOut
      if (value) values.set(token, value)
    }
  }
  return values
}

const onePath = { maxPaths: 1 }

/** Each once. */
function pairsOf(orders: readonly Order[], { wrappedNative }: Network): [Address, Address][] {
  const pairs = new Map<string, [Address, Address]>()
  for (const { sellToken, buyToken } of orders) {
    const pair: [Address, Address] = [sellToken, wrappedForm(buyToken, wrappedNative)]
    pairs.set(pair.join(), pair)
  }
  return [...pairs.values()]
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

/** Milliseconds that an auction waits for the dollar price after its other reads. */
const usdPriceGraceMs = 300

/** The prices, or none if they come too long after the other reads. */
async function inTime(
  usdPrices: Promise<Map<Address, bigint>>,
  reads: Promise<unknown>,
): Promise<Map<Address, bigint>> {
  const none = reads.then(() => setTimeout(usdPriceGraceMs, new Map<Address, bigint>(), { ref: false }))
  return Promise.race([usdPrices, none])
}
