import { LRUCache } from 'lru-cache'
import { createFairQueue, type FairQueue, shareQueuedWork } from '../concurrency/fair-queue.ts'
import { earnedDown, leftToNext, rewardsOf, termsOf } from '../domain/affiliate/rewards.ts'
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

/** One side's part. Dollars are whole numbers of 10^-18. Nothing is ever paid out by the service. */
interface Earnings {
  code: string
  triggerVolume: bigint
  totalEarned: bigint
  /** 0 where no further reward can be reached. */
  leftToNextReward: bigint
  computedAt: Date
}

/** What a wallet's code brought. What is left is so for the trader who is nearest, or for a new one. */
export interface AffiliateStatistics
  extends Earnings,
    Pick<AffiliateTotals, 'totalVolume' | 'activeTraders' | 'totalTraders'> {
  wallet: Address
}

/** What a trader's own trades earned him. */
export interface TraderStatistics extends Earnings, Omit<TraderTotals, 'affiliate'> {
  account: Address
}

export interface TraderActivity {
  /** Newest first. */
  trades: ReferredTradeRow[]
  computedAt: Date
}

/**
 * From the trades that are stored here. Each client has turns of its own. Each throws an Outage when the
 * database, or a token that stands for the dollar, cannot be asked, and when there was no turn in time.
 */
export interface Statistics {
  /** undefined for a wallet that has no code. */
  ofAffiliate(wallet: Address, client: string): Promise<AffiliateStatistics | undefined>
  /** undefined for an account that is bound to no code. */
  ofTrader(account: Address, client: string): Promise<TraderStatistics | undefined>
  /** `after`: only those before this place. */
  activityOf(account: Address, page: Page, client: string): Promise<TraderActivity>
}

type Page = Parameters<typeof traderActivity>[3]

export interface StatisticsOptions {
  db: Db
  now: Clock
  /** The networks whose trades count. */
  networks: readonly {
    network: Pick<Network, 'chainId' | 'usdReference'>
    tokens(addresses: readonly Address[]): Promise<Map<Address, Pick<Token, 'decimals'> | Error>>
  }[]
}

/**
 * A large account's history takes long to read: it is not read again for every look, nor beside many others.
 */
const rememberedMs = 10_000
const maxKnown = 1_000
/** A page can hold a thousand trades. */
const maxPages = 100
/** A statement may take 10 s: whoever cannot begin in half of that is told so. */
const limits = { running: { most: 2, perKey: 1 }, waiting: { most: 64, perKey: 8 }, waitMs: 5_000 }

export function createStatistics({ db, now, networks }: StatisticsOptions): Statistics {
  const inTurn = createFairQueue({
    ...limits,
    refusal: (why) => new Outage('the computation of statistics', why),
  })
  const affiliates = createMemory<AffiliateStatistics | undefined>(maxKnown, now, inTurn)
  const traders = createMemory<TraderStatistics | undefined>(maxKnown, now, inTurn)
  const pages = createMemory<TraderActivity>(maxPages, now, inTurn)

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

/**
 * What was computed is told again for a while; what is being computed is computed once. A fault is not
 * remembered.
 */
function createMemory<V>(max: number, now: Clock, inTurn: FairQueue) {
  const memory = new LRUCache<string, { value: V }>({
    max,
    ttl: rememberedMs,
    ttlResolution: 0,
    perf: { now },
  })
  const once = shareQueuedWork<V>(inTurn)
  return async (key: string, client: string, compute: () => Promise<V>): Promise<V> => {
    const known = memory.get(key)
    if (known) return known.value
    return once(key, client, async () => {
      const value = await compute()
      memory.set(key, { value })
      return value
    })
  }
}

/**
 * Where nobody says how many digits the dollar has, there is none.
 * @throws Outage where that could not be asked
 */
async function countedNetwork({
  network: { chainId, usdReference },
  tokens,
}: StatisticsOptions['networks'][number]): Promise<CountedNetwork> {
  if (usdReference === null) return { chainId, reference: null }
  const token = (await tokens([usdReference])).get(usdReference)
  if (token instanceof Error) throw token
  const decimals = token?.decimals ?? null
  return { chainId, reference: decimals === null ? null : { token: usdReference, decimals } }
}
