import type { OrderKind } from '../../domain/order/order.ts'
import type { NativeRate } from '../../domain/token/native-rate.ts'
import type { Estimate } from '../estimator.ts'

/** The prices behind a quote. */
export interface MarketPrices {
  /** Wei for one unit of gas. */
  gasPrice: bigint
  sellRate: NativeRate
  buyRate: NativeRate
}

/**
 * The value of an estimate to the trader: for a sell order the buy amount less gas, for a buy order the
 * negative of the sell amount plus gas. It is in native atoms times the rate's token amount to avoid
 * rounding, so use it for comparisons only.
 */
export function valueAfterGas(kind: OrderKind, { gasPrice, sellRate, buyRate }: MarketPrices) {
  return ({ sellAmount, buyAmount, gas }: Estimate): bigint =>
    kind === 'sell'
      ? buyAmount * buyRate.nativeAmount - gas * gasPrice * buyRate.tokenAmount
      : -(sellAmount * sellRate.nativeAmount + gas * gasPrice * sellRate.tokenAmount)
}
