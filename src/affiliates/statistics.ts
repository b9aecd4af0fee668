import { createFairQueue, type FairQueue, shareQueuedWork } from '../concurrency/fair-queue.ts'
import { dollars, earnedDown, leftToNext, rewardsOf, termsOf } from '../domain/affiliate/affiliate.ts'
import { createLruCache } from '../domain/derived.ts'
import {
  address,
  dateTime,
  decimal,
  derived,
  described,
  from,
  safeInt,
  text,
  type ValueOf,
} from '../domain/described.ts'
import { Outage } from '../domain/errors/error.ts'
import type { Address } from '../domain/evm/address.ts'
import type { Clock } from '../domain/log.ts'
import type { Network } from '../domain/network/network.ts'
import type { Token } from '../domain/token/token.ts'
import {
  affiliateTotals,
  type CountedNetwork,
  type ReferredTradeRow,
  traderActivity,
  traderTotals,
} from '../storage/affiliate/statistics.ts'
import type { Db } from '../storage/database/database.ts'

/** The field of all figures. */
export const figuresAt = dateTime('The time of these figures.')

/** Dollars are integers of 10^-18. */
const earnings = {
  triggerVolume: dollars('The volume that a trader has to trade for a reward.'),
  totalEarned: dollars('The earned part of all rewards, rounded down.'),
  paidOut: derived(decimal('Always 0: the service pays nothing out.'), () => '0'),
  nextPayout: derived(
    dollars('totalEarned without paidOut.'),
    ({ totalEarned }: { totalEarned: bigint }) => totalEarned,
  ),
  computedAt: figuresAt,
}

export const affiliateStatistics = described(
  'AffiliateStatistics',
  'The earnings of a wallet’s code, in US dollars: for each triggerVolume that one of its traders trades, its part of one reward.',
  {
    wallet: address('The wallet of the code.'),
    code: text('The code.'),
    totalVolume: dollars('Eligible volume of all its traders.'),
    leftToNextReward: dollars(
      'The volume that the active trader nearest to the next reward, or a new one, still has to trade; 0 if the maximum eligible volume is less.',
    ),
    activeTraders: safeInt('Traders whose next trade can still count.'),
    totalTraders: safeInt('Traders bound to the code.'),
    ...earnings,
  },
)
type AffiliateStatistics = ValueOf<typeof affiliateStatistics>

export const traderStatistics = described(
  'TraderStatistics',
  'The earnings of a trader’s own trades under the code that he is bound to, in US dollars.',
  {
    account: address('The trader.'),
    boundCode: from(
      'code',
      text(
        'The code to which the trader is permanently bound: that of the first trade with a known and enabled code of another wallet.',
      ),
    ),
    linkedSince: dateTime('The time of the binding trade.'),
    rewardsEnd: dateTime('The time from which trades do not count.'),
    eligibleVolume: dollars('The eligible volume of the trader’s trades.'),
    leftToNextReward: dollars(
      'The volume that the trader still has to trade for the next reward; 0 if time or eligible volume runs out before.',
    ),
    ...earnings,
  },
)
type TraderStatistics = ValueOf<typeof traderStatistics>

interface TraderActivity {
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

interface StatisticsOptions {
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
const limits = { running: { max: 2, perKey: 1 }, waiting: { max: 64, perKey: 8 }, waitMs: 5_000 }

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
  const cache = createLruCache<string, { value: V }>({
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
