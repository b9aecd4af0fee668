import { Outage, Refusal } from '../domain/errors/error.ts'
import type { RefusalCode } from '../domain/errors/refusal-codes.ts'
import type { Address } from '../domain/evm/address.ts'
import type { Network } from '../domain/network/network.ts'
import { isAbsurdPrice, type NativeRate, usdPriceDown } from '../domain/token/prices.ts'
import type { Token } from '../domain/token/token.ts'
import type { UsdPriceSource } from '../market/token-source.ts'

interface OrderBookPriceOptions {
  name: string
  network: Pick<Network, 'usdReference'>
  /** An address that is no token is left out. */
  tokens(addresses: readonly Address[]): Promise<Map<Address, Pick<Token, 'decimals'> | Outage>>
  /** A token without a price is left out. @throws Outage, or Refusal when it takes too long */
  nativeRates(addresses: readonly Address[]): Promise<Map<Address, NativeRate | Refusal>>
}

/** Codes that mean that there is no price. Other codes, such as that of a paused token, are temporary. */
export const noPriceCodes: ReadonlySet<RefusalCode> = new Set<RefusalCode>([
  'UnsupportedToken',
  'NoLiquidity',
  'InsufficientLiquidity',
  'CustomSolverError',
])

/** A token's rate to the native coin, and its decimals. */
interface Rate {
  rate: NativeRate
  decimals: number
}

/** The service's own prices, against the network's dollar token. `undefined` if it has none. */
export function createOrderBookPrice(options: OrderBookPriceOptions): UsdPriceSource | undefined {
  const { name, network, tokens, nativeRates } = options
  const { usdReference: reference } = network
  if (reference === null) return undefined
  return {
    name,
    async find(token) {
      const both = token === reference ? [token] : [token, reference]
      const [rates, metadata] = await Promise.all([nativeRates(both).catch(toOutage(name)), tokens(both)])
      const rateOf = (address: Address) => toRate(name, rates.get(address), metadata.get(address))
      const rate = rateOf(token)
      if (!rate) return undefined
      const dollar = rateOf(reference)
      if (!dollar) throw new Outage(name, 'the token that stands for the US dollar has no price')
      return usdPrice(rate, dollar)
    },
  }
}

/**
 * usd(token) = rate(token) / rate(reference) × 10^(decimals(token) − decimals(reference)), rounded down once.
 * An absurd price results from absurd decimals, and counts as none.
 */
export function usdPrice(token: Rate, dollar: Rate): string | undefined {
  const numerator = token.rate.nativeAmount * dollar.rate.tokenAmount * 10n ** BigInt(token.decimals)
  const denominator = token.rate.tokenAmount * dollar.rate.nativeAmount * 10n ** BigInt(dollar.decimals)
  return isAbsurdPrice(numerator, denominator) ? undefined : usdPriceDown(numerator, denominator)
}

/** `undefined` when the token has no price or no decimals. @throws Outage when either cannot be read now */
function toRate(
  name: string,
  rate: NativeRate | Refusal | undefined,
  token: Pick<Token, 'decimals'> | Outage | undefined,
): Rate | undefined {
  if (rate === undefined) return undefined
  if (rate instanceof Refusal) {
    if (noPriceCodes.has(rate.code)) return undefined
    throw new Outage(name, rate.code)
  }
  if (token instanceof Outage) throw token
  return token && token.decimals !== null ? { rate, decimals: token.decimals } : undefined
}

function toOutage(name: string) {
  return (fault: unknown): never => {
    throw fault instanceof Refusal ? new Outage(name, fault.code) : fault
  }
}
