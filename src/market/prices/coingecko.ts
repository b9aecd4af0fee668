import { Outage } from '../../domain/errors/error.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Clock } from '../../domain/log.ts'
import { chains } from '../../domain/network/chains.ts'
import type { Network } from '../../domain/network/network.ts'
import { isAbsurdPrice, ratioOfDouble, usdPriceDown } from '../../domain/token/prices.ts'
import { OutsideFault } from '../../outside/fault.ts'
import { exchangeJson, isObject } from '../../outside/http-json.ts'
import { statusFault, tokenNonsense, type UsdPriceSource } from '../token-source.ts'

export interface CoingeckoOptions {
  name: string
  /** The base URL: `/simple/token_price/…` is appended to its path. */
  url: string
  apiKey?: string | undefined
  keyHeader: string
  /** The addresses in a call. By default 30 with a key, and 1 without: the public API accepts no more. */
  addressesPerCall?: number | undefined
  network: Pick<Network, 'chainId'>
  now: Clock
}

/** The limit of an answer. */
const maxBytes = 16_384

/** Creates a source from CoinGecko, or a service with its API; undefined if it does not support the chain. */
export function createCoingecko(options: CoingeckoOptions): UsdPriceSource | undefined {
  const { name, url, apiKey, keyHeader, addressesPerCall, network, now } = options
  const platform = chains.get(network.chainId)?.coingecko
  if (platform === undefined) return undefined
  const headers = apiKey === undefined ? {} : { [keyHeader]: apiKey }
  const peer = { name, url, now, headers, maxBytes }
  const max = addressesPerCall ?? (apiKey === undefined ? 1 : 30)

  async function ask(tokens: readonly Address[], signal: AbortSignal): Promise<unknown> {
    const path = `/simple/token_price/${platform}`
    const query = { contract_addresses: tokens.join(), vs_currencies: 'usd' }
    const { status, body } = await exchangeJson(peer, { path, query }, signal)
    if (status === 404 && body !== undefined) return undefined
    if (status !== 200) throw statusFault(name, status)
    return body
  }

  async function find(token: Address, signal: AbortSignal): Promise<string | undefined> {
    const body = await ask([token], signal)
    return body === undefined ? undefined : priceIn(pricesIn(body, [token], name), token, name)
  }

  /**
   * Prices several tokens in one call. An answer with none of the tokens counts for none of them. Each is
   * then requested alone.
   */
  async function findSeveral(
    tokens: readonly Address[],
    signal: AbortSignal,
  ): Promise<(string | undefined | Error)[]> {
    const [only, second] = tokens
    if (only && !second) return [await find(only, signal).catch(toError)]
    const prices = await ask(tokens, signal)
      .then((body) => pricesIn(body, tokens, name))
      .catch((fault: unknown) => {
        if (fault instanceof OutsideFault) throw fault
        return undefined
      })
    if (!prices) return Promise.all(tokens.map((token) => find(token, signal).catch(toError)))
    return tokens.map((token) => {
      try {
        return priceIn(prices, token, name)
      } catch (fault) {
        return toError(fault)
      }
    })
  }

  return { name, find, ...(max > 1 && { several: { max, find: findSeveral } }) }
}

function toError(fault: unknown): Error {
  if (fault instanceof Outage && !(fault instanceof OutsideFault)) return fault
  throw fault
}

/**
 * The entries by address, in lowercase.
 * @throws Outage if the body is not an object, or its entries are only about other tokens
 */
function pricesIn(body: unknown, tokens: readonly Address[], name: string): [string, unknown][] {
  if (!isObject(body)) throw tokenNonsense(name, 'it is not an object')
  const prices = Object.entries(body).map(([key, entry]): [string, unknown] => [key.toLowerCase(), entry])
  if (prices.length > 0 && !prices.some(([key]) => tokens.some((token) => token === key)))
    throw tokenNonsense(name, 'it is not about the token')
  return prices
}

/** The price of a token; undefined without an entry or a price. @throws Outage of the token */
function priceIn(prices: readonly [string, unknown][], token: Address, name: string): string | undefined {
  const [[, entry] = [undefined, {}], another] = prices.filter(([key]) => key === token)
  if (another) throw tokenNonsense(name, 'the token is listed twice')
  if (!isObject(entry)) throw tokenNonsense(name, 'it is not about the token')
  const dollars = entry.usd ?? undefined
  if (dollars === undefined) return undefined
  if (typeof dollars !== 'number') throw tokenNonsense(name, 'a price is not a number')
  return toPrice(dollars, name)
}

/** Converts a price; 0 means no price. */
function toPrice(dollars: number, name: string): string | undefined {
  const ratio = ratioOfDouble(dollars)
  if (!ratio || isAbsurdPrice(ratio.numerator, ratio.denominator))
    throw tokenNonsense(name, 'a price is out of range')
  return usdPriceDown(ratio.numerator, ratio.denominator)
}
