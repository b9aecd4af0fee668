import { createLog } from '../../src/app/observing/log.ts'
import { type Candidate, rankOrders } from '../../src/auctions/admission/admit.ts'
import { createOrderBook } from '../../src/auctions/admission/order-book.ts'
import { createExclusions, createMarketPrices } from '../../src/auctions/admission/publish-auction.ts'
import type { RoutedPrice } from '../../src/auctions/admission/routed-prices.ts'
import { createStandings } from '../../src/auctions/admission/standings.ts'
import { recordCompetition } from '../../src/auctions/record.ts'
import type { Auction } from '../../src/domain/auction/auction.ts'
import { directedPair } from '../../src/domain/auction/score.ts'
import type { Solution } from '../../src/domain/auction/solution.ts'
import type { Address } from '../../src/domain/evm/address.ts'
import { unixSeconds } from '../../src/domain/log.ts'
import type { Network } from '../../src/domain/network/network.ts'
import type { Order } from '../../src/domain/order/order.ts'
import { endAttempt, nextAuctionId } from '../../src/storage/auction/competition.ts'
import { type Database, openDatabase } from '../../src/storage/database/database.ts'
import { query } from '../database/open.ts'
import { createRandom } from '../database/subjects.ts'

export const blockMs = 12_000
/** PostgreSQL writes a checkpoint every five minutes, and after it each page in full at its first change. */
const auctionsPerCheckpoint = 25
const gasPrice = 10n ** 9n
const ether = 10n ** 18n
/** The standard deviation of a price from one auction to the next. */
const volatility = 0.0005

export interface SimulatedOptions {
  databaseUrl: string
  network: Network
  /** The start value of a whole token of 18 decimals, in wei. */
  prices: ReadonlyMap<Address, bigint>
  auctions: number
  told: (auctions: number) => void
}

/** Writes the rows of auctions of all live orders, one every block, from state like the program's. */
export async function simulateAuctions(options: SimulatedOptions): Promise<void> {
  const { databaseUrl, network, auctions, told } = options
  const db = openDatabase({ url: databaseUrl, maxConnections: 4 })
  try {
    const start = Date.now()
    let time = start
    const services = { db, chainId: network.chainId, now: () => time }
    const standings = createStandings({ ...services, notificationPauseMs: 3_600_000 })
    const marketPrices = createMarketPrices(services)
    const orders = await liveOrders(db, network.chainId)
    const walk = walkPrices(options.prices, network.wrappedNative)
    const routeInTurns = createTurns()
    for (let number = 0; number < auctions; number++) {
      time = start + number * blockMs
      const nativePrices = walk()
      await marketPrices.keep(() => nativePrices)
      const { candidates } = rankOrders(orders, { nativePrices, gasPrice, ...network })
      const routed = routeInTurns(candidates, number)
      await standings.write(
        candidates.map(({ order, outlook }) => ({
          order,
          outlook,
          reason: null,
          routed: routed.get(order.id),
        })),
        number,
      )
      await record({
        db,
        now: services.now,
        log: createLog('warn'),
        standings,
        network,
        orders,
        nativePrices,
        number,
      })
      if ((number + 1) % auctionsPerCheckpoint === 0) await query(databaseUrl, 'CHECKPOINT')
      told(number + 1)
    }
  } finally {
    await db.close()
  }
}

/** Simulates the router's prices for a part of the orders after each auction: a pool takes 0.3 %. */
function createTurns() {
  const turns = 50n
  const prices = new Map<bigint, RoutedPrice>()
  return (candidates: readonly Candidate[], number: number) => {
    for (const { order, outlook } of candidates) {
      if (order.id % turns !== BigInt(number) % turns) continue
      const [sell, buy] = [order.sellAmount, order.buyAmount]
      prices.set(order.id, {
        sell,
        buy,
        block: number,
        at: Date.now(),
        gap: outlook.marketGap - 3_000n,
        hops: 1,
      })
    }
    return prices
  }
}

async function liveOrders(db: Database, chainId: number): Promise<Order[]> {
  const book = createOrderBook({
    ...{ db, chainId, log: createLog('warn'), maxOrders: 100_000 },
    readDocument: () => undefined,
  })
  await book.read(unixSeconds(Date.now()))
  return [...book.orders()].toSorted((a, b) => Number(a.id - b.id))
}

/** Changes all prices from one auction to the next, except that of the native token. */
function walkPrices(start: ReadonlyMap<Address, bigint>, wrappedNative: Address) {
  const random = createRandom(5)
  // The sum is close to a normal distribution.
  const step = () => (random() + random() + random() + random() - 2) * Math.sqrt(3) * volatility
  let prices = new Map([...start].map(([token, price]) => [token, Number(price)]))
  return () => {
    prices = new Map([...prices].map(([token, price]) => [token, price * Math.exp(step())]))
    return new Map([
      ...[...prices].map(([token, price]) => [token, BigInt(Math.round(price))] as const),
      [wrappedNative, ether] as const,
    ])
  }
}

interface Recording
  extends Pick<Parameters<typeof recordCompetition>[3], 'db' | 'now' | 'log' | 'standings'> {
  network: Network
  orders: readonly Order[]
  nativePrices: ReadonlyMap<Address, bigint>
  number: number
}

/** Stores an auction of all orders with one solution for one of them, whose settlement fails. */
async function record(recording: Recording): Promise<void> {
  const { db, now, network, orders, nativePrices, number } = recording
  const block = 1_000 + number
  const auction: Auction = {
    id: await nextAuctionId(db),
    chainId: network.chainId,
    block,
    deadlineBlock: block + 5,
    orders: orders.map((order) => ({
      order,
      remaining: order.sellAmount,
      feePolicies: [{ kind: 'surplus', factor: 500_000n, maxVolumeFactor: 10_000n }],
      extraGas: 0n,
    })),
    surplusCapturingOwners: [],
    nativePrices,
    gasPrice,
  }
  const order = orders[number % orders.length]
  if (!order) throw new Error('no order is live')
  const contest = {
    ...{ auction, solutions: [solutionOf(order)], unusable: new Map(), maxWinners: 1 },
    ...{ answers: [], reverts: new Map() },
  }
  await recordCompetition(contest, new Map(), block, { ...recording, exclusions: createExclusions() })
  await db.transaction((tx) =>
    endAttempt(tx, {
      auctionId: auction.id,
      solutionUid: 0,
      endedAt: new Date(now() + 5 * blockMs),
      endBlock: block + 5,
      outcome: 'timeout',
      txHash: null,
    }),
  )
}

function solutionOf(order: Order): Solution {
  const { uid, sellToken, buyToken, sellAmount: sell, buyAmount: buy, owner } = order
  const score = buy / 100n
  return {
    solver: owner,
    proposal: { prices: new Map(), trades: [], interactions: [], gas: 0n },
    executions: [{ orderUid: uid, sell, buy, networkFee: 0n, feeSide: 'sell', protocolFees: [0n] }],
    score,
    pairScores: new Map([[directedPair(sellToken, buyToken), score]]),
  }
}
