import { formatUnits, maxOf, maxUint256, mulDivDown, mulDivUp } from '../amount.ts'
import { Refusal } from '../errors/error.ts'
import { factorScale } from '../fee/policy.ts'
import type { OrderData, OrderKind } from '../order/order.ts'
import type { QuoteReply } from './quote.ts'

export interface QuotedAmounts {
  sellAmount: bigint
  buyAmount: bigint
  feeAmount: bigint
}

/**
 * The amounts after volume fees, in parts per million, taken one after the other. Each fee is rounded down,
 * as in an auction: at the quoted price a trader is charged exactly the quoted fees.
 */
export function withVolumeFees(
  kind: OrderKind,
  { sellAmount: sell, buyAmount: buy, feeAmount }: QuotedAmounts,
  fees: readonly bigint[],
): QuotedAmounts {
  let [sellAmount, buyAmount] = [sell, buy]
  for (const fee of fees) {
    if (kind === 'sell') buyAmount -= mulDivDown(buyAmount, fee, factorScale)
    else sellAmount += mulDivDown(sellAmount + feeAmount, fee, factorScale)
  }
  return { sellAmount, buyAmount, feeAmount }
}

/**
 * The amounts before a volume fee that another service took: the inverse of `withVolumeFees`, exact for each
 * sell order. For a buy order amounts that this fee rounded down cannot give have one atom more after it.
 */
export function beforeVolumeFee(
  kind: OrderKind,
  { sellAmount, buyAmount, feeAmount }: QuotedAmounts,
  fee: bigint,
): QuotedAmounts {
  if (kind === 'sell')
    return { sellAmount, buyAmount: mulDivDown(buyAmount, factorScale, factorScale - fee), feeAmount }
  const paid = mulDivUp(sellAmount + feeAmount, factorScale, factorScale + fee)
  return { sellAmount: maxOf(paid - feeAmount, 0n), buyAmount, feeAmount }
}

/**
 * The sum of the volume fees in basis points, as a plain decimal: 200 parts per million are "2". Null without
 * fees.
 */
export function protocolFeeBps(fees: readonly bigint[]): string | null {
  const sum = fees.reduce((total, fee) => total + fee, 0n)
  return sum > 0n ? formatUnits(sum, 2) : null
}

/** The maximum in basis points: the whole amount. */
const maxSlippageBps = 10_000

const bpsScale = 10_000n

/**
 * The order to sign for a quote. The fee goes into the sell amount. The protocol's volume fees, the partners'
 * volume fees, and the trader's slippage go to the side that is not fixed. Every rounding loosens the limit,
 * by less than one atom each, and never prevents a fill: the minimum buy amount of a sell order is rounded
 * down, the maximum sell amount of a buy order up.
 *
 * The common client library signs the same amounts for the same quote, slippage and partner fee, except for
 * those atoms: it rounds the other way. The buy amount of a sell order is at least one atom, whatever the
 * slippage.
 * @throws Refusal InvalidParameter for a slippage outside 0..10,000, SellAmountOverflow
 */
export function orderToSign({ quote, terms }: QuoteReply, slippageBps: number): OrderData {
  checkSlippage(slippageBps)
  const afterVolumeFees = withVolumeFees(quote.kind, quote, terms.volumeFees)
  const limits = quote.kind === 'sell' ? sellLimits : buyLimits
  const { sellAmount, buyAmount } = limits(quote, afterVolumeFees, terms.partnerFees, BigInt(slippageBps))
  if (sellAmount > maxUint256) {
    throw new Refusal('SellAmountOverflow', 'sellAmount with fees and slippage exceeds uint256', {
      field: 'slippageBps',
    })
  }
  return {
    sellToken: quote.sellToken,
    buyToken: quote.buyToken,
    // Client libraries also send the owner's address, not the zero address that the contract reads as the
    // owner.
    receiver: terms.receiver ?? terms.from,
    sellAmount,
    buyAmount,
    validTo: terms.validTo,
    appData: terms.appDataHash,
    feeAmount: 0n,
    kind: quote.kind,
    partiallyFillable: false,
    sellTokenBalance: terms.sellTokenBalance,
    buyTokenBalance: terms.buyTokenBalance,
  }
}

function checkSlippage(bps: number): void {
  if (Number.isInteger(bps) && bps >= 0 && bps <= maxSlippageBps) return
  throw new Refusal('InvalidParameter', `slippageBps must be a whole number from 0 to ${maxSlippageBps}`, {
    field: 'slippageBps',
  })
}

type Limits = Pick<OrderData, 'sellAmount' | 'buyAmount'>

/** The limits of a sell order. Partner fees are a share of the buy amount without any cost. */
function sellLimits(
  quoted: QuotedAmounts,
  afterVolumeFees: QuotedAmounts,
  partnerFees: readonly bigint[],
  slippage: bigint,
): Limits {
  const costFree =
    quoted.buyAmount +
    mulDivUp(afterVolumeFees.buyAmount, afterVolumeFees.feeAmount, afterVolumeFees.sellAmount)
  const afterFees = maxOf(afterVolumeFees.buyAmount - feesUp(costFree, partnerFees), 0n)
  const minBuyAmount = mulDivDown(afterFees, bpsScale - slippage, bpsScale)
  return {
    sellAmount: afterVolumeFees.sellAmount + afterVolumeFees.feeAmount,
    buyAmount: maxOf(minBuyAmount, 1n),
  }
}

/**
 * The limits of a buy order. Partner fees are a share of the quoted sell amount without any cost, as in the
 * library; slippage covers their share of the costs.
 */
function buyLimits(
  quoted: QuotedAmounts,
  afterVolumeFees: QuotedAmounts,
  partnerFees: readonly bigint[],
  slippage: bigint,
): Limits {
  const afterFees =
    afterVolumeFees.sellAmount + afterVolumeFees.feeAmount + feesUp(quoted.sellAmount, partnerFees)
  return {
    sellAmount: mulDivUp(afterFees, bpsScale + slippage, bpsScale),
    buyAmount: afterVolumeFees.buyAmount,
  }
}

function feesUp(volume: bigint, fees: readonly bigint[]): bigint {
  return fees.reduce((sum, fee) => sum + mulDivUp(volume, fee, factorScale), 0n)
}
