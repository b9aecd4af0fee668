import type { Order, OrderData } from '../order/order.ts'
import { timeText } from '../programmatic/diagnosis.ts'
import type { HandlerType } from '../programmatic/handlers.ts'
import { type PollResult, pollResultTexts } from '../programmatic/statuses.ts'
import { readableDown } from '../text/readable.ts'
import { missingText, orderText, type Shortage, type TokenPair, tradeText } from './notification.ts'

/** Messages about programmatic orders and their parts. */

/** The place of a part among all; null where one of the two is not known. */
export interface PartPlace {
  /** Counted from 0. */
  index: number | null
  count: number | null
}

/** Formats a place: "Part 3 of 5". */
export function partText({ index, count }: PartPlace): string {
  if (index === null) return 'Part of a programmatic order'
  return count === null ? `Part ${index + 1}` : `Part ${index + 1} of ${count}`
}

/** Formats an expired part: "Part 3 of 5 expired: sell 0.5 WETH for at least 1,480 USDC. Its owner’s …". */
export function expiredPartText(
  place: PartPlace,
  order: Order,
  tokens: TokenPair,
  reason: string | null,
): string {
  return sentences(`${partText(place)} expired: ${orderText(order, tokens)}`, reason)
}

/**
 * Formats a part that cannot be placed: "Part 3 of 5 cannot be placed: balance too low, 0.5 WETH missing; in
 * time until 2027-01-15T08:59:59Z".
 */
export function shortPartText(
  place: PartPlace,
  shortage: Shortage,
  tokens: TokenPair,
  validTo: number,
): string {
  return `${partText(place)} cannot be placed: ${missingText(shortage, tokens)}; in time until ${timeText(validTo)}`
}

/** Parts that ended one after the other without an order in the book. */
interface MissedParts extends PartPlace {
  index: number
  /** The number of the last. */
  last: number
  /** The number of those that failed; between them may be others. */
  failed: number
}

/** Formats parts: "Parts 3 to 6 of 10 were not placed: sell 0.5 WETH for at least 1,480 USDC each. The …". */
export function missedPartsText(
  { index, last, count, failed }: MissedParts,
  part: Pick<OrderData, 'sellAmount' | 'buyAmount'>,
  { sell, buy }: TokenPair,
  reason: string | null,
): string {
  const terms = `sell ${readableDown(part.sellAmount, sell)} for at least ${readableDown(part.buyAmount, buy)}`
  if (failed === 1) return sentences(`${partText({ index, count })} was not placed: ${terms}`, reason)
  const range = `parts ${index + 1} to ${last + 1} of ${count}`
  const which = failed === last - index + 1 ? `P${range.slice(1)}` : `${failed} of the ${range}`
  return sentences(`${which} were not placed: ${terms} each`, reason)
}

/** The text of a poll that made no part. Answers of handlers are between quotes. */
export function pollText(result: PollResult, reason: string | null): string {
  return reason === null ? pollResultTexts[result] : `${pollResultTexts[result]} The answer: “${reason}”.`
}

/** The amounts that a programmatic order has traded in all. */
export interface ProgrammaticProgress {
  filledParts: number
  executedSellAmount: bigint
  executedBuyAmount: bigint
}

/** Formats an end: "TWAP finished: 4 of 5 parts filled, 2 WETH for 5,900 USDC". */
export function endedText(
  how: 'finished' | 'cancelled',
  type: HandlerType,
  count: number | null,
  { filledParts, executedSellAmount, executedBuyAmount }: ProgrammaticProgress,
  tokens: TokenPair | null,
): string {
  const name = type === 'TWAP' ? 'TWAP' : type === 'StopLoss' ? 'Stop loss' : 'Programmatic order'
  const of = count === null ? `${filledParts}` : `${filledParts} of ${count}`
  const parts = `${of} ${(count ?? filledParts) === 1 ? 'part' : 'parts'} filled`
  const amounts = { sellAmount: executedSellAmount, buyAmount: executedBuyAmount }
  const traded = tokens && executedSellAmount > 0n ? `, ${tradeText(amounts, tokens)}` : ''
  return `${name} ${how}: ${parts}${traded}`
}

function sentences(first: string, reason: string | null): string {
  return reason === null ? first : `${first}. ${reason}`
}
