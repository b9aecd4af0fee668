import { createLruCache } from '../domain/derived.ts'
import { Outage, Refusal } from '../domain/errors/error.ts'
import type { Address } from '../domain/evm/address.ts'
import type { GasMeter } from '../domain/evm/gas-meter.ts'
import type { NativeRate } from '../domain/token/prices.ts'
import { wrappedForm } from '../domain/token/token.ts'
import type { Asker } from './client-limits.ts'
import { inTime } from './read-through.ts'
import type { OrderBookWrites, WriteServices } from './writes.ts'

/**
 * Rates of tokens in the native coin. Tokens without a price are left out, tokens whose price is refused or
 * cannot be read now have a Refusal.
 */
export type ReadRates = (
  addresses: readonly Address[],
  asker?: Asker & GasMeter,
) => Promise<Map<Address, NativeRate | Refusal>>

/** The time for which a price, or that there is none, serves all clients. */
const freshMs = 60_000
const maxPrices = 20_000

/** All reads without a client, such as those of watched prices, count as one client. */
const program: Asker = { client: 'prices of the program' }

/** Reads native prices at the order book, for two seconds at most. A later answer serves the next read. */
export function createBookRates(
  { nativeRate }: Pick<OrderBookWrites, 'nativeRate'>,
  { limits, network, now }: Pick<WriteServices, 'limits' | 'network' | 'now'>,
): ReadRates {
  const { wrappedNative } = network
  const known = createLruCache<Address, { rate: NativeRate | undefined }>({
    max: maxPrices,
    ttl: freshMs,
    ttlResolution: 0,
    perf: { now },
  })
  const running = new Map<string, Promise<NativeRate | undefined>>()

  /** Reads of one key share a call: an answer to the key of one client is none to others. */
  function read(token: Address, asker: Asker): Promise<NativeRate | undefined> {
    const of = `${token} ${limits.keyOf(asker) ?? ''}`
    const other = running.get(of)
    if (other) return other
    const reading = nativeRate(token, asker)
      .then((rate) => {
        known.set(token, { rate })
        return rate
      })
      .finally(() => running.delete(of))
    running.set(of, reading)
    return reading
  }

  async function rateOf(token: Address, asker: Asker): Promise<NativeRate | Refusal | undefined> {
    if (wrappedForm(token, wrappedNative) === wrappedNative) return { nativeAmount: 1n, tokenAmount: 1n }
    const price = known.get(token)
    if (price) return price.rate
    try {
      return await inTime(read(token, asker), { network })
    } catch (fault) {
      if (fault instanceof Refusal) return fault
      if (fault instanceof Outage) return new Refusal('Unavailable', fault.message)
      throw fault
    }
  }

  return async (addresses, asker = program) => {
    const rates = await Promise.all(
      addresses.map(async (token) => [token, await rateOf(token, asker)] as const),
    )
    return new Map(rates.flatMap(([token, rate]) => (rate ? [[token, rate]] : [])))
  }
}

/** Reads rates at the order book for the tokens that others leave out. */
export function ratesBefore(own: ReadRates, book: ReadRates): ReadRates {
  return async (addresses, asker) => {
    const rates = await own(addresses, asker)
    const left = addresses.filter((token) => !rates.has(token))
    return left.length === 0 ? rates : new Map([...rates, ...(await book(left, asker))])
  }
}
