import { LRUCache } from 'lru-cache'
import { createFairQueue, type FairQueue, shareQueuedWork } from '../concurrency/fair-queue.ts'
import { earnedDown, leftToNext, rewardsOf, termsOf } from '../domain/affiliate/affiliate.ts'
import { Outage } from '../domain/errors/error.ts'
import type { Address } from '../domain/evm/address.ts'
import type { Clock } from '../domain/log.ts'
import type { Network } from '../domain/network/network.ts'
import type { Token } from '../domain/token/token.ts'
import {
  type AffiliateTotals,
  affiliateTotals,
  type CountedNetwork,
  type ReferredTradeRow,
  type TraderTotals,
  traderActivity,
  traderTotals,
} from '../storage/affiliate/statistics.ts'
import type { Db } from '../storage/database/database.ts'

/** The earnings of an affiliate or a trader. Dollars are integers of 10^-18. The service pays nothing out. */
interface Earnings {
  code: string
  triggerVolume: bigint
  totalEarned: bigint
  /** The volume until the next reward; 0 if no further reward can be reached. */
  leftToNextReward: bigint
  computedAt: Date
}

/**
 * The statistics of a wallet's code. `leftToNextReward` is that of the trader nearest to a reward, or of a
 * new trader.
 */
export interface AffiliateStatistics
  extends Earnings,
    Pick<AffiliateTotals, 'totalVolume' | 'activeTraders' | 'totalTraders'> {
  wallet: Address
}

/** The statistics of a trader's own trades. */
export interface TraderStatistics extends Earnings, Omit<TraderTotals, 'affiliate'> {
  account: Address
}

export interface TraderActivity {
  /** The trades, newest first. */
  trades: ReferredTradeRow[]
  computedAt: Date
}

/**
 * Statistics computed from stored trades, in a queue with slots for each client. Each function throws an
 * Outage if the database does not answer, the metadata of a dollar token cannot be read, or no slot is free
 * in time.
 */
export interface Statistics {
  /** Returns undefined for a wallet without a code. */
  ofAffiliate(wallet: Address, client: string): Promise<AffiliateStatistics | undefined>
  /** Returns undefined for an account that is bound to no code. */
  ofTrader(account: Address, client: string): Promise<TraderStatistics | undefined>
  /** Returns a page of trades. `after` limits it to trades older than this cursor. */
  activityOf(account: Address, page: Page, client: string): Promise<TraderActivity>
}

type Page = Parameters<typeof traderActivity>[3]

export interface StatisticsOptions {
  db: Db
  now: Clock
  /** The networks whose trades count. */
  networks: readonly {
    network: Pick<Network, 'chainId' | 'usdReference' | 'wrappedNative'>
    tokens(addresses: readonly Address[]): Promise<Map<Address, Pick<Token, 'decimals'> | Error>>
  }[]
}

/**
 * The time for which results are cached. A large account's history is slow to read, so few statements run in
 * parallel.
 */
const cacheMs = 10_000
const maxEntries = 1_000
/** The number of cached pages. A page can contain a thousand trades. */
const maxPages = 100
/**
 * The limits of the queue. A statement may take 10 s: a request that cannot start within half of that fails.
 */
const limits = { running: { most: 2, perKey: 1 }, waiting: { most: 64, perKey: 8 }, waitMs: 5_000 }

export function createStatistics({ db, now, networks }: StatisticsOptions): Statistics {
  const queue = createFairQueue({
    ...limits,
    refusal: (why) => new Outage('the computation of statistics', why),
  })
  const affiliates = createCache<AffiliateStatistics | undefined>(maxEntries, now, queue)
  const traders = createCache<TraderStatistics | undefined>(maxEntries, now, queue)
  const pages = createCache<TraderActivity>(maxPages, now, queue)

  const countedNetworks = () => Promise.all(networks.map(countedNetwork))

  async function computeAffiliate(wallet: Address): Promise<AffiliateStatistics | undefined> {
    const computedAt = new Date(now())
    const totals = await affiliateTotals(db, wallet, await countedNetworks(), computedAt)
    if (!totals) return undefined
    const { affiliate, rewards, nearest, ...counted } = totals
    const terms = termsOf(affiliate)
    return {
      ...counted,
      wallet,
      code: affiliate.code,
      triggerVolume: terms.triggerVolume,
      totalEarned: earnedDown(rewards, terms, terms.affiliateShare),
      leftToNextReward: leftToNext(nearest, terms),
      computedAt,
    }
  }

  async function computeTrader(account: Address): Promise<TraderStatistics | undefined> {
    const computedAt = new Date(now())
    const totals = await traderTotals(db, account, await countedNetworks())
    if (!totals) return undefined
    const { affiliate, ...own } = totals
    const terms = termsOf(affiliate)
    return {
      ...own,
      account,
      code: affiliate.code,
      triggerVolume: terms.triggerVolume,
      totalEarned: earnedDown(rewardsOf(own.eligibleVolume, terms), terms, terms.traderShare),
      leftToNextReward: computedAt < own.rewardsEnd ? leftToNext(own.eligibleVolume, terms) : 0n,
      computedAt,
    }
  }

  async function computeActivity(account: Address, page: Page): Promise<TraderActivity> {
    const computedAt = new Date(now())
    return { trades: await traderActivity(db, account, await countedNetworks(), page), computedAt }
  }

  return {
    ofAffiliate: (wallet, client) => affiliates(wallet, client, () => computeAffiliate(wallet)),
    ofTrader: (account, client) => traders(account, client, () => computeTrader(account)),
    activityOf: (account, page, client) =>
      pages(`${account} ${page.first} ${page.after}`, client, () => computeActivity(account, page)),
  }
}

/** Caches results for a while, and shares running computations. Errors are not cached. */
function createCache<V>(max: number, now: Clock, queue: FairQueue) {
  const cache = new LRUCache<string, { value: V }>({
    max,
    ttl: cacheMs,
    ttlResolution: 0,
    perf: { now },
  })
  const runOnce = shareQueuedWork<V>(queue)
  return async (key: string, client: string, compute: () => Promise<V>): Promise<V> => {
    const cached = cache.get(key)
    if (cached) return cached.value
    return runOnce(key, client, async () => {
      const value = await compute()
      cache.set(key, { value })
      return value
    })
  }
}

/**
 * The network with its dollar reference. Without the decimals of its dollar token, a network has none.
 * @throws Outage if the token's metadata cannot be read
 */
async function countedNetwork({
  network: { chainId, usdReference, wrappedNative },
  tokens,
}: StatisticsOptions['networks'][number]): Promise<CountedNetwork> {
  if (usdReference === null) return { chainId, wrappedNative, reference: null }
  const token = (await tokens([usdReference])).get(usdReference)
  if (token instanceof Error) throw token
  const decimals = token?.decimals ?? null
  const reference = decimals === null ? null : { token: usdReference, decimals }
  return { chainId, wrappedNative, reference }
}
