import type { Address } from '../../domain/evm/address.ts'
import type { Clock } from '../../domain/log.ts'
import { chains } from '../../domain/network/chains.ts'
import type { Network } from '../../domain/network/network.ts'
import { isAbsurdPrice, usdPriceDown } from '../../domain/token/usd-price.ts'
import { exchangeJson, isObject } from '../../outside/http-json.ts'
import { statusFault, tokenNonsense } from '../token-answer.ts'
import type { UsdPriceSource } from '../token-source.ts'

export interface CoingeckoOptions {
  name: string
  /** Base: `/simple/token_price/…` is appended to its path. */
  url: string
  apiKey?: string | undefined
  keyHeader: string
  network: Pick<Network, 'chainId'>
  now: Clock
}

/** Of the answer about one token. */
const maxBytes = 16_384

/** CoinGecko, or a service with its API. `undefined` where it does not know the chain. */
export function createCoingecko(options: CoingeckoOptions): UsdPriceSource | undefined {
  const { name, url, apiKey, keyHeader, network, now } = options
  const platform = chains.get(network.chainId)?.coingecko
  if (platform === undefined) return undefined
  const headers = apiKey === undefined ? {} : { [keyHeader]: apiKey }
  const peer = { name, url, now, headers, maxBytes }
  return {
    name,
    async find(token, signal) {
      const path = `/simple/token_price/${platform}`
      const query = { contract_addresses: token, vs_currencies: 'usd' }
      const { status, body } = await exchangeJson(peer, { path, query }, signal)
      if (status === 404 && body !== undefined) return undefined
      if (status !== 200) throw statusFault(name, status)
      const dollars = dollarsIn(body, token, name)
      return dollars === undefined ? undefined : toPrice(dollars, name)
    },
  }
}

/** `undefined` for `{}` and for an entry without a price. @throws Outage for an answer about another token */
function dollarsIn(body: unknown, token: Address, name: string): number | undefined {
  if (!isObject(body)) throw tokenNonsense(name, 'it is no object')
  const entries = Object.entries(body)
  if (entries.length === 0) return undefined
  const [[, entry] = [], another] = entries.filter(([key]) => key.toLowerCase() === token)
  if (another) throw tokenNonsense(name, 'the token is there twice')
  if (!isObject(entry)) throw tokenNonsense(name, 'it is not about the token')
  const dollars = entry.usd ?? undefined
  if (dollars === undefined || typeof dollars === 'number') return dollars
  throw tokenNonsense(name, 'a price is no number')
}

/** Reads the shortest decimal of the double, as JavaScript prints it. 0 means no price. */
function toPrice(dollars: number, name: string): string | undefined {
  const [, whole = '', fraction = '', exponent = '0'] =
    /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(dollars)) ?? []
  // The pattern excludes NaN, Infinity (the value of `1e400`) and negative numbers, except minus zero.
  if (whole === '' || Object.is(dollars, -0)) throw tokenNonsense(name, 'a price is out of range')
  const digits = BigInt(whole + fraction)
  const places = fraction.length - Number(exponent)
  const numerator = places < 0 ? digits * 10n ** BigInt(-places) : digits
  const denominator = places > 0 ? 10n ** BigInt(places) : 1n
  if (isAbsurdPrice(numerator, denominator)) throw tokenNonsense(name, 'a price is out of range')
  return usdPriceDown(numerator, denominator)
}
