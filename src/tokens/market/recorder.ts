import { setTimeout as pause } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { mulDivDown, priceScale } from '../../domain/amount.ts'
import { Refusal } from '../../domain/errors/error.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Clock, Log } from '../../domain/log.ts'
import type { Network } from '../../domain/network/network.ts'
import type { NativeRate } from '../../domain/token/native-rate.ts'
import { intervalMs } from '../../domain/token/price-history.ts'
import { insertMarketPrices } from '../../storage/auction/competition.ts'
import type { Database } from '../../storage/database/database.ts'

/**
 * Records prices of the own market for histories: of the dollar token, of base tokens and of tokens that clients ask for. Auctions record
 * those of live orders in the same table, at the same times.
 */
export interface MarketRecorder {
  /** Prices of the token are recorded for a day from now. */
  ask(token: Address): void
  /** Records every five minutes until `signal` aborts. Never throws. */
  run(signal: AbortSignal): Promise<void>
}

export interface MarketRecorderOptions {
  network: Pick<Network, 'chainId' | 'usdReference' | 'wrappedNative' | 'baseTokens'>
  db: Database
  /** A token without a price is left out. @throws Outage, Refusal */
  nativeRates(addresses: readonly Address[]): Promise<Map<Address, NativeRate | Refusal>>
  now: Clock
  log: Log
}

/** The least recently asked for are dropped first. */
const maxAsked = 500
const askedForMs = 86_400_000
const perRead = 100
/** How often it looks whether the next time has come; also the pause after an outage. */
const lookMs = 10_000

export function createMarketRecorder(options: MarketRecorderOptions): MarketRecorder {
  const { network, db, nativeRates, now, log } = options
  const asked = new LRUCache<Address, true>({
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
