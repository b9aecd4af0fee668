import { dateTime, decimal, flag, from, instant, int, safeInt, text } from '../domain/described.ts'
import { Outage, Refusal } from '../domain/errors/error.ts'
import type { Address } from '../domain/evm/address.ts'
import type { Clock } from '../domain/log.ts'
import type { Network } from '../domain/network/network.ts'
import {
  averageYearlyPercent,
  type PoolDay,
  type PoolValue,
  valuePools,
} from '../domain/routing/pool-value.ts'
import type { NativeRate } from '../domain/token/prices.ts'
import { type Sourced, sourceFields } from '../domain/token/sourced.ts'
import type { Db } from '../storage/database/database.ts'
import { findPoolDays, type PoolDays } from '../storage/token/pools.ts'
import { noPriceCodes } from './order-book-price.ts'

/** A pool with its value and volume in native atoms. */
export type ValuedPool = PoolDay & PoolValue & { chainId: number }

/** The pools whose logs the indexer counts, as of one block. */
export interface PoolFigures extends Omit<PoolDays, 'pools' | 'updatedAt'> {
  /** The greatest value first, then those of unknown value; ties by address. */
  pools: readonly ValuedPool[]
  byAddress: ReadonlyMap<Address, ValuedPool>
  averageApr: string | null
}

/** Fields of a page of pools. */
export const poolPageFields = {
  totalCount: int('Pools in the whole list.'),
  averageApr: decimal.orNull(
    'Per cent a year of all pools that are followed, each counted by its value; null when none is known.',
  ),
  fromBlock: safeInt(
    'The first block of the day. It begins a span of a quarter of an hour, so that the day is up to a quarter of an hour short.',
  ),
  fromTime: dateTime('The time of the first block.'),
  toBlock: from('block', safeInt('The last block of the day: reserves are those at its end.')),
  toTime: from('blockTime', dateTime('The time of the last block.')),
  ...sourceFields,
  source: text('The source of figures: `logs`, those of the pools.'),
  asOf: from('at', instant('The time of the last reading of logs.')),
  isStale: flag('True if newer logs cannot be read.'),
}

interface PoolFigureOptions {
  network: Pick<Network, 'chainId' | 'wrappedNative' | 'baseTokens' | 'blockTimeMs'>
  db: Db
  now: Clock
  /** Does the same as that of `TradingServices`. */
  nativeRates(addresses: readonly Address[]): Promise<Map<Address, NativeRate | Refusal>>
}

/** How long one read is good for. */
const freshMs = 2_000
/** How long it may be kept where it is sent to. */
const keepMs = 60_000
/** Logs that were read before this time are stale; more where blocks are rare. */
const lateMs = 60_000

/**
 * The figures of all followed pools, read at most once in a few seconds.
 * @returns a function that returns undefined while no pools are followed, and throws Outage
 */
export function createPoolFigures(
  options: PoolFigureOptions,
): () => Promise<Sourced<PoolFigures> | undefined> {
  const { network, db, now, nativeRates } = options
  const baseTokens = [...new Set([network.wrappedNative, ...network.baseTokens])]
  let latest: { read: Promise<Sourced<PoolFigures> | undefined>; at: number } | undefined

  async function read(): Promise<Sourced<PoolFigures> | undefined> {
    const days = await findPoolDays(db, network.chainId)
    if (!days) return undefined
    const { updatedAt, pools: counted, ...place } = days
    const { chainId } = network
    const onChain = counted.map((pool) => ({ ...pool, chainId }))
    const pools = valuePools(onChain, knownRates(await nativeRates(baseTokens))).sort(byValue)
    const isStale = now() - updatedAt.getTime() > Math.max(lateMs, 5 * network.blockTimeMs)
    const value = {
      ...place,
      pools,
      byAddress: new Map(pools.map((pool) => [pool.address, pool])),
      averageApr: averageYearlyPercent(pools),
    }
    return { value, source: 'logs', at: updatedAt.getTime(), keepMs: isStale ? 0 : keepMs, isStale }
  }

  return () => {
    const age = latest ? now() - latest.at : Number.POSITIVE_INFINITY
    if (!latest || age < 0 || age >= freshMs) {
      const started = { read: read(), at: now() }
      started.read.catch(() => {
        if (latest === started) latest = undefined
      })
      latest = started
    }
    return latest.read
  }
}

/** @throws Outage when one of them cannot be read now: what is not known would look like what has no price */
function knownRates(rates: ReadonlyMap<Address, NativeRate | Refusal>): Map<Address, NativeRate> {
  const known = new Map<Address, NativeRate>()
  for (const [token, rate] of rates) {
    if (!(rate instanceof Refusal)) known.set(token, rate)
    else if (!noPriceCodes.has(rate.code)) throw new Outage(`the price of ${token}`, rate.code)
  }
  return known
}

function byValue(a: ValuedPool, b: ValuedPool): number {
  if (a.value === b.value) return a.address < b.address ? -1 : 1
  return (a.value ?? -1n) > (b.value ?? -1n) ? -1 : 1
}
