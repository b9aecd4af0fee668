import { maxOf, maxUint256, mulDivDown } from '../domain/amount.ts'
import { Refusal } from '../domain/errors/error.ts'
import type { OrderKind } from '../domain/order/order.ts'
import type { QuotedAmounts } from '../domain/quote/amounts.ts'
import type { QuoteSize } from '../domain/quote/quote.ts'
import { amountThrough, buying } from '../domain/routing/graph.ts'
import type { Route } from '../domain/routing/route.ts'
import type { NetworkFee } from '../domain/settlement/gas.ts'
import type { NativeRate } from '../domain/token/prices.ts'
import type { Estimate } from './estimator.ts'

/**
 * The amounts of a quote, for each size form. Only `sellAmountBeforeFee` includes the fee: the rest is sold
 * at the rate of the estimate, rounded down, so that a quote never promises more than the market gives. A fee
 * in the bought token is part of the price: a sell order gets less, a buy order pays for more.
 * @throws Refusal SellAmountDoesNotCoverFee, also if the rest buys nothing; SellAmountOverflow
 */
export function quotedAmounts(
  size: QuoteSize,
  estimate: Pick<Estimate, 'sellAmount' | 'buyAmount' | 'route'>,
  { sold: feeAmount, bought: boughtFee }: NetworkFee,
): QuotedAmounts {
  if (size.form === 'buyAmountAfterFee') {
    const { buyAmount } = estimate
    const sellAmount = estimate.sellAmount + soldForMore(estimate.route, boughtFee)
    if (sellAmount + feeAmount > maxUint256) throw overflow(size)
    return { sellAmount, buyAmount, feeAmount }
  }
  const { sellAmount } = estimate
  const buyAmount = maxOf(estimate.buyAmount - boughtFee, 0n)
  if (size.form === 'sellAmountAfterFee') {
    if (sellAmount + feeAmount > maxUint256) throw overflow(size)
    if (buyAmount === 0n) throw buysNothing(size.form, feeAmount)
    return { sellAmount, buyAmount, feeAmount }
  }
  if (feeAmount >= size.amount) {
    throw new Refusal(
      'SellAmountDoesNotCoverFee',
      `the fee is ${feeAmount} sell token atoms, the sell amount ${size.amount}`,
      { field: size.form, data: feeData(feeAmount) },
    )
  }
  const soldAmount = size.amount - feeAmount
  const boughtAmount = mulDivDown(buyAmount, soldAmount, size.amount)
  if (boughtAmount === 0n) throw buysNothing(size.form, feeAmount)
  return { sellAmount: soldAmount, buyAmount: boughtAmount, feeAmount }
}

/**
 * The sold atoms that the largest path of a route takes for more of the bought token; none without a route.
 * Often there are none: the last atom already pays for more than was asked for.
 */
function soldForMore(route: Route | null, more: bigint): bigint {
  if (!route || more === 0n) return 0n
  const path = route.paths.reduce((a, b) => (b.amountOut > a.amountOut ? b : a))
  const steps = path.hops.map(({ pool, tokenIn, tokenOut }) => ({ pool, from: tokenOut, to: tokenIn }))
  const sold = amountThrough(buying, steps.toReversed(), path.amountOut + more)
  return sold === undefined ? 0n : sold - path.amountIn
}

/** Creates the refusal of a size that buys nothing. @param feeAmount the fee, if known */
export function buysNothing(form: QuoteSize['form'], feeAmount?: bigint): Refusal {
  return new Refusal(
    'SellAmountDoesNotCoverFee',
    'the sell amount after the fee buys less than one atom of the buy token',
    { field: form, ...(feeAmount !== undefined && { data: feeData(feeAmount) }) },
  )
}

const feeData = (feeAmount: bigint) => ({ fee_amount: `0x${feeAmount.toString(16)}` })

function overflow({ form }: QuoteSize): Refusal {
  return new Refusal('SellAmountOverflow', 'the sell amount with the fee exceeds uint256', { field: form })
}

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
