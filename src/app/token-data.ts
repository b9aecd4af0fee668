import type { Chain } from '../chain/chain.ts'
import type { Rpc } from '../chain/rpc/rpc.ts'
import type { Refusal } from '../domain/errors/error.ts'
import type { Address } from '../domain/evm/address.ts'
import type { Clock, Log } from '../domain/log.ts'
import { goesBy } from '../domain/network/chains.ts'
import type { Network } from '../domain/network/network.ts'
import type { NativeRate } from '../domain/token/native-rate.ts'
import { wrappedForm } from '../domain/token/token.ts'
import type { TradingServices } from '../graphql/context/networks.ts'
import { guardedSource } from '../market/guarded-source.ts'
import { createEthplorer } from '../market/holders/ethplorer.ts'
import { createMoralis } from '../market/holders/moralis.ts'
import { createChainFeed } from '../market/prices/chain-feed.ts'
import { createCoingecko } from '../market/prices/coingecko.ts'
import type { HolderSource, UsdPriceSource } from '../market/token-source.ts'
import type { Database } from '../storage/database/database.ts'
import { createFallbackSource } from '../tokens/fallback-source.ts'
import { createOrderBookPrice } from '../tokens/order-book-price.ts'
import { createOwnHolders } from '../tokens/own-holders.ts'
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

/** Each entry is a list of up to `maxHolders` holders. */
const maxCachedHolderLists = 1_000

export function composeTokenData(options: TokenDataOptions): TokenData {
  const { network, settings, log, now } = options
  const priceSources = sourcesFor(settings.USD_PRICE_SOURCES, options, createPriceSource)
  const holderSources = sourcesFor(settings.HOLDER_SOURCES, options, createHolderSource)
  const sources = { USD_PRICE_SOURCES: priceSources, HOLDER_SOURCES: holderSources }
  for (const [setting, { length }] of Object.entries(sources))
    if (length === 0) log.warn('no token source knows this network', { network: network.name, setting })
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

/** The configured sources that know the network. Warns of one that is configured for the network and does not know it. */
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

/** `undefined` where the source does not know the network. */
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
