import type { Heads } from '../chain/heads.ts'
import { formatRatioDown } from '../domain/amount.ts'
import { decimal, derived, described, from, objectOf } from '../domain/described.ts'
import { Outage, Refusal } from '../domain/errors/error.ts'
import type { Address } from '../domain/evm/address.ts'
import type { Clock } from '../domain/log.ts'
import { type NativeRate, usdPrice } from '../domain/token/prices.ts'
import type { Sourced } from '../domain/token/sourced.ts'
import { noPriceCodes } from './order-book-price.ts'
import {
  createWatch,
  knownValue,
  namedToken,
  type Subscriber,
  stateField,
  stateOf,
  type Update,
  updateFields,
  type Watched,
} from './watch.ts'

interface TokenPrices {
  usd: Watched<Sourced<string>>
  native: Watched<{ price: string }>
}

export type PricesUpdate = Update<Address, TokenPrices>
type Prices = Pick<PricesUpdate['changes'][number], 'value'>

const tokenPrices = described('TokenPrices', 'The prices of a token.', {
  token: from('subject', namedToken),
  usdPrice: derived(
    objectOf(usdPrice).orNull('Value of one whole token; null unless it is known.'),
    ({ value }: Prices) => knownValue(value.usd),
  ),
  usdPriceState: derived(stateField('The state of the value in dollars.'), ({ value }: Prices) =>
    stateOf(value.usd),
  ),
  nativePrice: derived(
    decimal.orNull(
      'Native atoms for one atom: 18 significant digits, rounded down; null unless it is known.',
    ),
    ({ value }: Prices) => knownValue(value.native)?.price ?? null,
  ),
  nativePriceState: derived(stateField('The state of the value in native coin.'), ({ value }: Prices) =>
    stateOf(value.native),
  ),
})

export const pricesUpdate = described('PricesUpdate', 'Prices of tokens at one block.', {
  ...updateFields,
  prices: from('changes', objectOf(tokenPrices).list('The changed prices, or all.')),
})

/**
 * Prices that clients watch: each is read once for each block of the market, for all its watchers.
 */
export interface PriceWatch {
  /**
   * All prices first, then what has changed.
   * @throws Refusal RateLimited, Unavailable when too many prices are watched
   */
  subscribe(tokens: readonly Address[], subscriber: Subscriber): AsyncGenerator<PricesUpdate, void>
}

interface PriceWatchOptions {
  heads: Heads
  /** The block of the pools that prices are computed from. @throws Outage */
  marketBlock(): Promise<number>
  /** Does the same as that of `TradingServices`. */
  nativeRates(addresses: readonly Address[]): Promise<Map<Address, NativeRate | Refusal>>
  /** Does the same as that of `TradingServices`. */
  usdPrice(token: Address, client: string): Promise<Sourced<string> | undefined>
  /** Tokens watched in this process. */
  max: number
  now: Clock
}

/** All watched tokens together count as one client of the sources. */
const client = 'watched prices'

export function createPriceWatch(options: PriceWatchOptions): PriceWatch {
  const { heads, marketBlock, max, now } = options
  const watch = createWatch<Address, TokenPrices>({
    what: 'prices',
    max,
    now,
    keyOf: (token) => token,
    isEqual: (one, other) => textOf(one) === textOf(other),
    start: () => heads.listen({ onHead, onOutage }),
    onSubscribed: () => heads.wake(),
  })
  const { entries, due } = watch
  let lastBlock: number | undefined

  function onOutage(): void {
    lastBlock = undefined
    watch.away()
  }

  async function onHead(): Promise<void> {
    const block = await marketBlock()
    if (block !== lastBlock) for (const entry of entries.values()) due.add(entry)
    const reading = [...due]
    if (reading.length > 0) {
      const prices = await readPrices(
        reading.map(({ subject }) => subject),
        options,
      )
      for (const [index, entry] of reading.entries()) {
        const price = prices[index]
        if (price) watch.set(entry, price)
      }
    }
    lastBlock = block
    watch.settle(block)
  }

  return { subscribe: watch.subscribe }
}

async function readPrices(
  tokens: readonly Address[],
  { nativeRates, usdPrice }: Pick<PriceWatchOptions, 'nativeRates' | 'usdPrice'>,
): Promise<TokenPrices[]> {
  const [rates, dollars] = await Promise.all([
    nativeRates(tokens).catch(unavailable),
    Promise.all(tokens.map((token) => usdPrice(token, client).catch(unavailable))),
  ])
  return tokens.map((token, index) => ({
    usd: dollars[index] ?? 'absent',
    native: rates === 'unavailable' ? rates : toNative(rates.get(token)),
  }))
}

function unavailable(fault: unknown): 'unavailable' {
  if (fault instanceof Outage || fault instanceof Refusal) return 'unavailable'
  throw fault
}

function toNative(rate: NativeRate | Refusal | undefined): TokenPrices['native'] {
  if (rate instanceof Refusal) return noPriceCodes.has(rate.code) ? 'absent' : 'unavailable'
  return rate ? { price: formatRatioDown(rate.nativeAmount, rate.tokenAmount) } : 'absent'
}

/** The text whose change is a change for clients: it lacks the time at which the price was read. */
function textOf({ usd, native }: TokenPrices): string {
  return JSON.stringify([typeof usd === 'string' ? usd : [usd.value, usd.source, usd.isStale], native])
}
