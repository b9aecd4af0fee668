import type { Chain } from '../chain/chain.ts'
import type { Rpc } from '../chain/rpc/rpc.ts'
import type { Refusal } from '../domain/errors/error.ts'
import type { Address } from '../domain/evm/address.ts'
import type { Clock, Log } from '../domain/log.ts'
import { goesBy } from '../domain/network/chains.ts'
import type { Network } from '../domain/network/network.ts'
import { depthOf } from '../domain/routing/depth.ts'
import { type PriceHistory, type PriceInterval, priceIntervals } from '../domain/token/price-history.ts'
import type { NativeRate } from '../domain/token/prices.ts'
import { wrappedForm } from '../domain/token/token.ts'
import type { TradingServices } from '../graphql/context/networks.ts'
import { guardedSource } from '../market/guarded-source.ts'
import { createEthplorer } from '../market/holders/ethplorer.ts'
import { createMoralis } from '../market/holders/moralis.ts'
import type { Pools } from '../market/pools/pools.ts'
import { createChainFeed } from '../market/prices/chain-feed.ts'
import { createCoingecko } from '../market/prices/coingecko.ts'
import { createCoingeckoHistory } from '../market/prices/coingecko-history.ts'
import { createTokenLists } from '../market/token-lists.ts'
import type { HolderSource, PriceHistorySource, UsdPriceSource } from '../market/token-source.ts'
import type { Database } from '../storage/database/database.ts'
import type { Signals } from '../storage/database/signals.ts'
import { createBalanceSessions } from '../tokens/balance-sessions.ts'
import { createFallbackSource, type FallbackLimits, type FallbackSource } from '../tokens/fallback-source.ts'
import { createOrderBookPrice } from '../tokens/order-book-price.ts'
import { createOwnHolders } from '../tokens/own-holders.ts'
import { createMarketRecorder, createOwnHistory, type MarketRecorder } from '../tokens/price-history.ts'
import type { HolderSourceSetting, PriceSourceSetting } from './settings/source-settings.ts'
import type { Settings } from './settings.ts'

export interface TokenDataOptions {
  network: Network
  rpc: Rpc
  head: Chain['head']
  db: Database
  settings: Pick<Settings, 'USD_PRICE_SOURCES' | 'HOLDER_SOURCES'>
  log: Log
  now: Clock
  tokens: TradingServices['tokens']
  nativeRates(addresses: readonly Address[]): Promise<Map<Address, NativeRate | Refusal>>
}

/** Prices and holders of tokens on one network. */
export type TokenData = Pick<TradingServices, 'usdPrice' | 'peekUsdPrice' | 'topHolders' | 'peekTopHolders'>

/** Limit of cached lists of up to `maxHolders` holders. */
const maxCachedHolderLists = 1_000

export function composeTokenData(options: TokenDataOptions): TokenData {
  const { network, settings, log, now } = options
  const priceSources = sourcesFor(settings.USD_PRICE_SOURCES, options, createPriceSource)
  const holderSources = sourcesFor(settings.HOLDER_SOURCES, options, createHolderSource)
  const sources = { USD_PRICE_SOURCES: priceSources, HOLDER_SOURCES: holderSources }
  for (const setting of ['USD_PRICE_SOURCES', 'HOLDER_SOURCES'] as const) {
    // The default names own records alone, which a network may lack: nothing is set wrong.
    const isNamed = settings[setting].some(({ kind }) => kind !== 'orderbook' && kind !== 'transfers')
    if (sources[setting].length === 0)
      log[isNamed ? 'warn' : 'debug'](`no source in ${setting} serves this network`, {
        network: network.name,
      })
  }
  const prices = createFallbackSource({ what: 'the USD price', sources: priceSources, log, now })
  const holders = createFallbackSource({
    what: 'the list of holders',
    sources: holderSources,
    log,
    now,
    limits: { maxKnown: maxCachedHolderLists },
  })
  /** Sources know the native coin by its wrapped token only. */
  const wrapped = (token: Address) => wrappedForm(token, network.wrappedNative)
  return {
    usdPrice: (token, client) => prices.find(wrapped(token), client),
    peekUsdPrice: (token) => prices.peek(wrapped(token)),
    topHolders: (token, client) => holders.find(wrapped(token), client),
    peekTopHolders: (token) => holders.peek(wrapped(token)),
  }
}

/** The configured sources that know the network. Warns of one configured for it that does not. */
function sourcesFor<Setting extends { name: string; network?: string | undefined }, Source>(
  list: readonly Setting[],
  options: TokenDataOptions,
  create: (source: Setting, options: TokenDataOptions) => Source | undefined,
): Source[] {
  const { network, log } = options
  return list.flatMap((setting) => {
    if (setting.network !== undefined && !goesBy(network, setting.network)) return []
    const source = create(setting, options)
    if (source === undefined && setting.network !== undefined)
      log.warn('a token source does not know this network', { source: setting.name, network: network.name })
    return source ?? []
  })
}

/** `undefined` if the source does not know the network. */
function createPriceSource(
  source: PriceSourceSetting,
  { network, rpc, tokens, nativeRates, now, log }: TokenDataOptions,
): UsdPriceSource | undefined {
  switch (source.kind) {
    case 'coingecko': {
      const outside = createCoingecko({ ...source, network, now })
      return outside && guardedSource(outside, { now, log })
    }
    case 'chainlink':
      return guardedSource(createChainFeed({ ...source, rpc, now }), { now, log })
    case 'orderbook':
      return createOrderBookPrice({ name: source.name, network, tokens, nativeRates })
  }
}

function createHolderSource(
  source: HolderSourceSetting,
  { network, db, head, now, log }: TokenDataOptions,
): HolderSource | undefined {
  if (source.kind === 'transfers') return createOwnHolders({ name: source.name, network, db, head })
  const create = { moralis: createMoralis, ethplorer: createEthplorer }[source.kind]
  const outside = create({ ...source, network, now })
  return outside && guardedSource(outside, { now, log })
}

interface MarketOptions {
  network: Network
  db: Database
  settings: Pick<Settings, 'USD_PRICE_SOURCES'>
  pools: Pick<Pools, 'look'>
  tokens: TradingServices['tokens']
  nativeRates(addresses: readonly Address[]): Promise<Map<Address, NativeRate | Refusal>>
  log: Log
  now: Clock
}

interface MarketData {
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

/** Configured price sources with a history. Our own records come last, even if they are not named. */
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

interface Parts {
  db: Database
  signals: Signals
  settings: Pick<Settings, 'TOKEN_LISTS'>
  now: Clock
  log: Log
}

/** Sessions of balances, and the token lists that they may name. */
export function composeBalanceSessions({ db, signals, settings, now, log }: Parts) {
  return {
    balanceSessions: createBalanceSessions({ db, signals, now, log }),
    tokenLists: createTokenLists({ allowed: settings.TOKEN_LISTS, now, log }),
  }
}
