import { maxOf, mulDivUp } from '../../../../domain/amount.ts'
import { hasEnded, type SpelledStatus } from '../../../../domain/order/status.ts'
import { amountOf, type TokenLike } from './amounts.ts'

interface OrderLike {
  kind: 'SELL' | 'BUY'
  sellAmount: string
  buyAmount: string
  sellToken: TokenLike
  buyToken: TokenLike
}

/** Terms of the order as a title. */
export function termsTitle(order: OrderLike): string {
  const sold = amountOf(order.sellAmount, order.sellToken)
  const bought = amountOf(order.buyAmount, order.buyToken)
  return order.kind === 'SELL' ? `Sell ${sold} for at least ${bought}` : `Buy ${bought} for at most ${sold}`
}

const token = '{ address symbol decimals }'

/** Fields of an order in a list. */
export const listedOrder = `uid status kind creationDate sellAmount buyAmount executedFraction executedSellAmount executedBuyAmount sellToken ${token} buyToken ${token} programmaticOrder { type }`

export interface TitledOrder extends OrderLike {
  status: SpelledStatus
  executedSellAmount: string
  executedBuyAmount: string
}

/** A title: the amounts that were traded once the order is filled, and its terms before. */
export function orderTitle(order: TitledOrder): string {
  if (order.status !== 'FULFILLED') return termsTitle(order)
  const sold = amountOf(order.executedSellAmount, order.sellToken)
  const bought = amountOf(order.executedBuyAmount, order.buyToken)
  return order.kind === 'SELL' ? `Sold ${sold} for ${bought}` : `Bought ${bought} for ${sold}`
}

/** “0.4” is “40 %”; a part never reads as the whole. */
export function filledPercent(fraction: string): string {
  const tenths = Math.floor(Number(fraction) * 1_000)
  return Number(fraction) > 0 && tenths === 0 ? 'less than 0.1 %' : `${tenths / 10} %`
}

export interface OrderState {
  text: string
  tone: 'good' | 'bad' | 'quiet'
}

/** Checks whether an order may still be filled. */
export const isLive = ({ status }: { status: SpelledStatus }) => !hasEnded(status)

/**
 * State of an order, in words.
 * @param end the reason why it left the auctions, if known
 */
export function stateOf(
  { status, executedFraction }: { status: SpelledStatus; executedFraction: string },
  end?: string,
): OrderState {
  const isPartly = executedFraction !== '0'
  const filled = `${filledPercent(executedFraction)} filled`
  if (isLive({ status })) {
    if (end === 'NEVER_TRADABLE') return { text: 'Cannot be filled', tone: 'bad' }
    if (end === 'EXPIRES_TOO_SOON')
      return { text: isPartly ? `Not offered any more, ${filled}` : 'Not offered any more', tone: 'bad' }
  }
  switch (status) {
    case 'FULFILLED':
      return { text: 'Filled', tone: 'good' }
    case 'OPEN':
      return isPartly
        ? { text: `Open, ${filled}`, tone: 'good' }
        : { text: 'Open, not filled yet', tone: 'quiet' }
    case 'PRESIGNATURE_PENDING':
      return { text: 'Waits for the owner’s signature on chain', tone: 'bad' }
    case 'CANCELLED':
      return { text: isPartly ? `Cancelled, ${filled}` : 'Cancelled', tone: 'bad' }
    case 'EXPIRED':
      return { text: isPartly ? `Expired, ${filled}` : 'Expired, not filled', tone: 'bad' }
  }
}

interface PartlySold extends Pick<OrderLike, 'kind' | 'sellAmount' | 'buyAmount'> {
  feeAmount: string
  executedSellAmountBeforeFees: string
  executedBuyAmount: string
  executedFeeAmount: string
}

/** Sell atoms that are still to be sold, rounded up, with the rest of the signed fee. */
export function leftToSellUp(order: PartlySold): bigint {
  const [sellAmount, buyAmount] = [BigInt(order.sellAmount), BigInt(order.buyAmount)]
  const unpaidFee = BigInt(order.feeAmount) - BigInt(order.executedFeeAmount)
  const left =
    order.kind === 'SELL'
      ? sellAmount - BigInt(order.executedSellAmountBeforeFees)
      : mulDivUp(sellAmount, maxOf(buyAmount - BigInt(order.executedBuyAmount), 0n), buyAmount)
  return maxOf(left, 0n) + maxOf(unpaidFee, 0n)
}
