import { setTimeout as pause } from 'node:timers/promises'
import type { Block } from '../chain/chain.ts'
import { Outage } from '../domain/errors/error.ts'
import { unixSeconds } from '../domain/log.ts'
import { accountOf, type Order } from '../domain/order/order.ts'
import { newestPrices } from '../storage/auction/competition.ts'
import { type AnyCandidate, admit, rankOrders } from './admission/admit.ts'
import { readContestants, readFunds } from './assemble.ts'
import { pricesAsSigned } from './market.ts'
import type { AuctionServices } from './services.ts'

/** The age at which prices of the order book's auctions are not those of now any more. */
export const pricesMs = 600_000

/** The pause between two looks: a named order is read before its first answer. */
const lookMs = 10_000

/**
 * Finds out, on a network whose auctions are held elsewhere, what keeps its live orders from being filled:
 * signatures, balances and allowances by the chain, and limits by the prices of the newest auction that is
 * stored. Runs until `signal` aborts; one process at a time may run it.
 */
export async function surveyOrders(services: AuctionServices, signal: AbortSignal): Promise<void> {
  const { network, settings, log } = services
  services.book.reset()
  services.standings.reset()
  let last = Number.NEGATIVE_INFINITY
  while (!signal.aborted) {
    try {
      const head = await services.head()
      if (head.number >= last + settings.everyBlocks || head.number < last) {
        last = head.number
        await surveyOnce(head, services)
      }
    } catch (fault) {
      if (!(fault instanceof Outage))
        log.warn('survey abandoned', { network: network.name, error: String(fault) })
    }
    await pause(lookMs, undefined, { signal }).catch(() => undefined)
  }
}

async function surveyOnce(head: Block, services: AuctionServices): Promise<void> {
  const { db, network, standings } = services
  const now = services.now()
  const { orders, verdicts } = await readContestants(services, {
    now: unixSeconds(now),
    head,
    inFlight: new Set(),
  })
  if (orders.length === 0) return standings.write(verdicts, head.number)
  const [nativePrices, gasPrice] = await Promise.all([
    newestPrices(db, network.chainId, new Date(now - pricesMs)),
    services.gasPrice(),
  ])
  await services.marketPrices.keep(() => pricesAsSigned(orders, nativePrices, network))
  const candidates = allCandidates(orders, { nativePrices, gasPrice, wrappedNative: network.wrappedNative })
  const ranked = candidates.map(({ order }) => order)
  const { funds, answers } = await readFunds(ranked, head, services)
  const found = admit(candidates, answers, funds, candidates.length).verdicts
  await standings.write([...verdicts, ...found], head.number)
  await services.rounds.note()
}

/** All orders, the likeliest first: whether a price is missing or too low is for the order book's solvers. */
function allCandidates(orders: readonly Order[], view: Parameters<typeof rankOrders>[1]): AnyCandidate[] {
  const { candidates, verdicts } = rankOrders(orders, view)
  const outlooks = new Map(verdicts.map(({ order, outlook }) => [order.id, outlook]))
  const others = orders
    .filter(({ id }) => outlooks.has(id))
    .map((order) => ({
      order,
      owner: accountOf(order),
      pair: `${order.sellToken}:${order.buyToken}`,
      outlook: outlooks.get(order.id),
      rank: 0n,
    }))
  return [...candidates, ...others]
}
