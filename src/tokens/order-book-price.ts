import { Outage, Refusal } from '../domain/errors/error.ts'
import type { RefusalCode } from '../domain/errors/refusal-codes.ts'
import type { Address } from '../domain/evm/address.ts'
import type { Network } from '../domain/network/network.ts'
import type { NativeRate } from '../domain/token/native-rate.ts'
import type { Token } from '../domain/token/token.ts'
import { isAbsurdPrice, usdPriceDown } from '../domain/token/usd-price.ts'
import type { UsdPriceSource } from '../market/token-source.ts'

export interface OrderBookPriceOptions {
  name: string
  network: Pick<Network, 'usdReference'>
  /** One that is no token is left out. */
  tokens(addresses: readonly Address[]): Promise<Map<Address, Pick<Token, 'decimals'> | Outage>>
  /** One that nobody has a price for is left out. @throws Outage, or Refusal when it takes too long */
  nativeRates(addresses: readonly Address[]): Promise<Map<Address, NativeRate | Refusal>>
}

/** Why there is no price, and will not be for a while. Whatever else is said, such as that a token is paused, passes. */
const saysNone: ReadonlySet<RefusalCode> = new Set<RefusalCode>([
  'UnsupportedToken',
  'NoLiquidity',
  'InsufficientLiquidity',
  'CustomSolverError',
])

/** A token's worth on the market of orders, in native atoms, and in how many digits it is counted. */
interface Rate {
  rate: NativeRate
  decimals: number
}

/** Our own prices, against the token that stands for the dollar. `undefined` where none does. */
export function createOrderBookPrice(options: OrderBookPriceOptions): UsdPriceSource | undefined {
  const { name, network, tokens, nativeRates } = options
  const { usdReference: reference } = network
  if (reference === null) return undefined
  return {
    name,
    async find(token) {
      const both = token === reference ? [token] : [token, reference]
      const [rates, metadata] = await Promise.all([nativeRates(both).catch(toOutage(name)), tokens(both)])
      const rateOf = (of: Address) => readValue(name, rates.get(of), metadata.get(of))
      const rate = rateOf(token)
      if (!rate) return undefined
      const dollar = rateOf(reference)
      if (!dollar) throw new Outage(name, 'the token that stands for the US dollar has no price')
      return usdPrice(rate, dollar)
    },
  }
}

/**
 * usd(token) = rate(token) / rate(reference) × 10^(decimals(token) − decimals(reference)), rounded down once. A price that is absurd comes
 * of decimals that are: then there is none.
 */
export function usdPrice(token: Rate, dollar: Rate): string | undefined {
  const numerator = token.rate.nativeAmount * dollar.rate.tokenAmount * 10n ** BigInt(token.decimals)
  const denominator = token.rate.tokenAmount * dollar.rate.nativeAmount * 10n ** BigInt(dollar.decimals)
  return isAbsurdPrice(numerator, denominator) ? undefined : usdPriceDown(numerator, denominator)
}

/** `undefined` when it has no price, or does not say in which units it counts. @throws Outage when that is not known now */
function readValue(
  name: string,
  rate: NativeRate | Refusal | undefined,
  token: Pick<Token, 'decimals'> | Outage | undefined,
): Rate | undefined {
  if (rate === undefined) return undefined
  if (rate instanceof Refusal) {
    if (saysNone.has(rate.code)) return undefined
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
