import { setTimeout as pause } from 'node:timers/promises'
import { mulDivDown, priceScale } from '../domain/amount.ts'
import { createLruCache } from '../domain/derived.ts'
import { Outage, Refusal } from '../domain/errors/error.ts'
import type { Address } from '../domain/evm/address.ts'
import type { Clock, Log } from '../domain/log.ts'
import type { Network } from '../domain/network/network.ts'
import {
  intervalMs,
  intervalPoints,
  type PriceHistory,
  type PriceInterval,
} from '../domain/token/price-history.ts'
import type { NativeRate } from '../domain/token/prices.ts'
import type { Token } from '../domain/token/token.ts'
import type { PriceHistorySource } from '../market/token-source.ts'
import { insertMarketPrices } from '../storage/auction/competition.ts'
import type { Database, Db } from '../storage/database/database.ts'
import { findMarketPrices } from '../storage/token/tokens.ts'
import { usdPrice } from './order-book-price.ts'

interface OwnHistoryOptions {
  name: string
  network: Pick<Network, 'chainId' | 'usdReference' | 'wrappedNative'>
  db: Db
  tokens(addresses: readonly Address[]): Promise<Map<Address, Pick<Token, 'decimals'> | Outage>>
  /** Called with a token whose prices are requested, so that they are recorded from now on. */
  onAsked(token: Address): void
  now: Clock
}

/**
 * Prices in dollars from the native prices that auctions and the own market recorded, against the network's
 * dollar token. `undefined` where there is no such token.
 */
export function createOwnHistory(
  { name, network, db, tokens, onAsked, now }: OwnHistoryOptions,
  interval: PriceInterval,
): PriceHistorySource | undefined {
  const { chainId, usdReference, wrappedNative } = network
  if (usdReference === null) return undefined
  const spanMs = intervalMs[interval]
  return {
    name,
    async find(token) {
      onAsked(token)
      // The wrapped coin is always worth one native coin, and is not recorded.
      const asked = [...new Set([token, usdReference])].filter((address) => address !== wrappedNative)
      const since = new Date(now() - intervalPoints[interval] * spanMs)
      const [recorded, metadata] = await Promise.all([
        findMarketPrices(db, { chainId, tokens: asked, since, spanMs }),
        tokens([token, usdReference]),
      ])
      const rateOf = (address: Address, at: number) => {
        const found = metadata.get(address)
        if (found instanceof Outage) throw found
        const nativeAmount = address === wrappedNative ? priceScale : recorded.get(address)?.get(at)
        const decimals = found?.decimals ?? null
        return nativeAmount === undefined || decimals === null
          ? undefined
          : { rate: { nativeAmount, tokenAmount: priceScale }, decimals }
      }
      const [first] = asked
      const times = first ? [...(recorded.get(first)?.keys() ?? [])] : spansSince(since, now(), spanMs)
      const history = times.flatMap((at): PriceHistory => {
        const [rate, dollar] = [rateOf(token, at), rateOf(usdReference, at)]
        const price = rate && dollar && dollar.rate.nativeAmount > 0n ? usdPrice(rate, dollar) : undefined
        return price === undefined ? [] : [{ at, price: Number(price), volume: null }]
      })
      return history.length > 0 ? history : undefined
    },
  }
}

function spansSince(since: Date, until: number, spanMs: number): number[] {
  const first = Math.ceil(since.getTime() / spanMs) * spanMs
  return Array.from(
    { length: Math.floor((until - first) / spanMs) + 1 },
    (_, index) => first + index * spanMs,
  )
}

/**
 * Records prices of the own market for histories: of the dollar token, of base tokens and of tokens that
 * clients ask for. Auctions record those of live orders in the same table, at the same times.
 */
export interface MarketRecorder {
  /** Prices of the token are recorded for a day from now. */
  ask(token: Address): void
  /** Records every five minutes until `signal` aborts. Never throws. */
  run(signal: AbortSignal): Promise<void>
}

interface MarketRecorderOptions {
  network: Pick<Network, 'chainId' | 'usdReference' | 'wrappedNative' | 'baseTokens'>
  db: Database
  /** A token without a price is left out. @throws Outage, Refusal */
  nativeRates(addresses: readonly Address[]): Promise<Map<Address, NativeRate | Refusal>>
  now: Clock
  log: Log
}

/** Beyond this number, the tokens that were not requested for the longest time are dropped. */
const maxAsked = 500
const askedForMs = 86_400_000
const perRead = 100
/** How often it looks whether the next time has come; also the pause after an outage. */
const lookMs = 10_000

export function createMarketRecorder(options: MarketRecorderOptions): MarketRecorder {
  const { network, db, nativeRates, now, log } = options
  const asked = createLruCache<Address, true>({
    max: maxAsked,
    ttl: askedForMs,
    ttlResolution: 0,
    perf: { now },
  })
  const always = [...network.baseTokens, ...(network.usdReference ? [network.usdReference] : [])]
  let last: number | undefined

  async function record(at: number): Promise<void> {
    const tokens = [...new Set([...always, ...asked.keys()])].filter(
      (token) => token !== network.wrappedNative,
    )
    for (let start = 0; start < tokens.length; start += perRead) {
      const rates = await nativeRates(tokens.slice(start, start + perRead))
      const prices = [...rates].flatMap(([token, rate]): [Address, bigint][] => {
        if (rate instanceof Refusal) return []
        const price = mulDivDown(rate.nativeAmount, priceScale, rate.tokenAmount)
        return price > 0n ? [[token, price]] : []
      })
      if (prices.length > 0) await insertMarketPrices(db, network.chainId, new Map(prices), new Date(at))
    }
  }

  return {
    ask: (token) => {
      asked.set(token, true)
    },
    async run(signal) {
      while (!signal.aborted) {
        const at = now() - (now() % intervalMs.fiveMinutes)
        if (at !== last) {
          try {
            await record(at)
            last = at
          } catch (fault) {
            log.debug('prices of the own market are not recorded now', { fault: String(fault) })
          }
        }
        await pause(lookMs, undefined, { signal, ref: false }).catch(() => undefined)
      }
    },
  }
}
