import type { Address } from '../../domain/evm/address.ts'
import { chains } from '../../domain/network/chains.ts'
import {
  intervalPoints,
  type PriceHistory,
  type PriceInterval,
  type PricePoint,
} from '../../domain/token/price-history.ts'
import { exchangeJson, isObject } from '../../outside/http-json.ts'
import { type PriceHistorySource, statusFault, tokenNonsense } from '../token-source.ts'
import type { CoingeckoOptions } from './coingecko.ts'

/** The limit of an answer for a day of five minutes: three lists of 289 pairs of numbers. */
const maxBytes = 262_144

/** The parameters by interval that make the provider answer with this spacing. */
const spans: Readonly<Record<PriceInterval, Record<string, string>>> = {
  fiveMinutes: { days: '1' },
  oneDay: { days: '30', interval: 'daily' },
}

/**
 * Creates a source of price histories from CoinGecko, or a service with its API; undefined if it does not
 * support the chain.
 */
export function createCoingeckoHistory(
  { name, url, apiKey, keyHeader, network, now }: CoingeckoOptions,
  interval: PriceInterval,
): PriceHistorySource | undefined {
  const platform = chains.get(network.chainId)?.coingecko
  if (platform === undefined) return undefined
  const headers = apiKey === undefined ? {} : { [keyHeader]: apiKey }
  const peer = { name, url, now, headers, maxBytes }
  return {
    name,
    async find(token, signal) {
      const path = `/coins/${platform}/contract/${token}/market_chart`
      const query = { vs_currency: 'usd', ...spans[interval] }
      const { status, body } = await exchangeJson(peer, { path, query }, signal)
      if (status === 404 && body !== undefined) return undefined
      if (status !== 200) throw statusFault(name, status)
      return toHistory(body, token, name, 2 * intervalPoints[interval])
    },
  }
}

/** Parses a history. @throws Outage for an invalid answer */
function toHistory(body: unknown, token: Address, name: string, maxPoints: number): PriceHistory | undefined {
  if (!isObject(body)) throw tokenNonsense(name, 'it is not an object')
  const volumes = new Map(pairsOf(body.total_volumes ?? [], token, name))
  const points = pairsOf(body.prices, token, name)
    .filter(([at, price], index, all) => price > 0 && at > (all[index - 1]?.[0] ?? 0))
    .map(([at, price]): PricePoint => ({ at, price, volume: volumes.get(at) ?? null }))
  return points.length > 0 ? points.slice(-maxPoints) : undefined
}

function pairsOf(list: unknown, token: Address, name: string): [number, number][] {
  if (!Array.isArray(list)) throw tokenNonsense(name, `the history of ${token} is not a list`)
  return list.map((pair: unknown) => {
    const [at, value] = Array.isArray(pair) ? pair : []
    if (!isSane(at) || !isSane(value)) throw tokenNonsense(name, `a point of ${token} is out of range`)
    return [at, value]
  })
}

/** Reports whether a value is in range. The limit is far above real prices, volumes and times. */
function isSane(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= 1e18
}
