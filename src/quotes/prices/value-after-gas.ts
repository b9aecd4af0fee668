import type { OrderKind } from '../../domain/order/order.ts'
import type { NativeRate } from '../../domain/token/native-rate.ts'
import type { Estimate } from '../estimator.ts'

/** What everything in a quote is reckoned with. */
export interface MarketPrices {
  /** Wei for one unit of gas. */
  gasPrice: bigint
  sellRate: NativeRate
  buyRate: NativeRate
}

/**
 * What an estimate is worth to the trader after gas: what a sell order gets, less the gas; what a buy order pays, and the gas,
 * taken negative. In native atoms times the token's part of its rate, so that nothing is rounded: only good to compare with.
 */
export function valueAfterGas(kind: OrderKind, { gasPrice, sellRate, buyRate }: MarketPrices) {
  return ({ sellAmount, buyAmount, gas }: Estimate): bigint =>
    kind === 'sell'
      ? buyAmount * buyRate.nativeAmount - gas * gasPrice * buyRate.tokenAmount
      : -(sellAmount * sellRate.nativeAmount + gas * gasPrice * sellRate.tokenAmount)
}
