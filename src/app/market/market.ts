import type { Refusal } from '../../domain/errors/error.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Clock, Log } from '../../domain/log.ts'
import { goesBy } from '../../domain/network/chains.ts'
import type { Network } from '../../domain/network/network.ts'
import { depthOf } from '../../domain/routing/depth.ts'
import type { NativeRate } from '../../domain/token/native-rate.ts'
import { type PriceHistory, type PriceInterval, priceIntervals } from '../../domain/token/price-history.ts'
import { wrappedForm } from '../../domain/token/token.ts'
import type { TradingServices } from '../../graphql/context/networks.ts'
import { guardedSource } from '../../market/guarded-source.ts'
import type { Pools } from '../../market/pools/pools.ts'
import { createCoingeckoHistory } from '../../market/prices/coingecko-history.ts'
import type { PriceHistorySource } from '../../market/token-source.ts'
import type { Database } from '../../storage/database/database.ts'
import {
  createFallbackSource,
  type FallbackLimits,
  type FallbackSource,
} from '../../tokens/fallback-source.ts'
import { createOwnHistory } from '../../tokens/market/own-history.ts'
import { createMarketRecorder, type MarketRecorder } from '../../tokens/market/recorder.ts'
import type { Settings } from '../settings.ts'

export interface MarketOptions {
  network: Network
  db: Database
  settings: Pick<Settings, 'USD_PRICE_SOURCES'>
  pools: Pick<Pools, 'look'>
  tokens: TradingServices['tokens']
  nativeRates(addresses: readonly Address[]): Promise<Map<Address, NativeRate | Refusal>>
  log: Log
  now: Clock
}

export interface MarketData {
  services: Pick<TradingServices, 'priceHistory' | 'depth'>
  recorder: MarketRecorder
}

/** A history is some hundred points; an hour-old one says little about the next five minutes. */
const limits: Partial<FallbackLimits> = { maxKnown: 1_000, staleMs: 3_600_000, atOnce: 16, maxWaiting: 500 }

/** Histories of prices and the depth of markets on one network. */
export function composeMarket(options: MarketOptions): MarketData {
  const { network, pools, log, now } = options
  const recorder = createMarketRecorder(options)
  const histories = Object.fromEntries(
    priceIntervals.map((interval) => {
      const sources = historySources(options, interval, recorder)
      return [interval, createFallbackSource({ what: 'the history of prices', sources, log, now, limits })]
    }),
  ) as Record<PriceInterval, FallbackSource<PriceHistory>>
  /** Sources and pools know the native coin by its wrapped token only. */
  const wrapped = (token: Address) => wrappedForm(token, network.wrappedNative)
  return {
    recorder,
    services: {
      priceHistory: (token, interval, client) => histories[interval].find(wrapped(token), client),
      async depth(base, quote, levels) {
        const [sell, buy] = [wrapped(base), wrapped(quote)]
        const view = await pools.look([[sell, buy]])
        const found = depthOf(view.pools, sell, buy, levels)
        return found && { block: view.block, levels: found }
      },
    },
  }
}

/** The configured sources of prices that have a history too. Our own records are the last of them, also where they are not named. */
function historySources(
  { network, db, settings, tokens, log, now }: MarketOptions,
  interval: PriceInterval,
  recorder: MarketRecorder,
): PriceHistorySource[] {
  const own = (name: string) =>
    createOwnHistory({ name, network, db, tokens, onAsked: recorder.ask, now }, interval)
  const named = settings.USD_PRICE_SOURCES.filter(
    (source) => source.network === undefined || goesBy(network, source.network),
  )
  const sources = named.flatMap((source) => {
    if (source.kind === 'orderbook') return own(source.name) ?? []
    const outside =
      source.kind === 'coingecko' ? createCoingeckoHistory({ ...source, network, now }, interval) : undefined
    return outside ? guardedSource(outside, { now, log }) : []
  })
  if (named.some(({ kind }) => kind === 'orderbook')) return sources
  return [...sources, ...[own('recorded')].filter((source) => source !== undefined)]
}
