import type { ProgrammaticOrderStatus, ProgrammaticOrderType } from '../documents.generated.ts'
import { amountOf, symbolOf, type TokenLike } from './amounts.ts'
import { termsTitle } from './orders.ts'

const pair = 'sellToken { address symbol decimals } buyToken { address symbol decimals }'

/** Fields from which a programmatic order is titled. */
export const programmaticTerms = `type input { __typename
  ... on TwapInput { ${pair} partSellAmount minPartLimit n }
  ... on StopLossInput { ${pair} sellAmount buyAmount isSellOrder }
  ... on GoodAfterTimeInput { ${pair} sellAmount }
  ... on TradeAboveThresholdInput { ${pair} }
  ... on SwapOrderInput { ${pair} }
}`

/** Fields of a programmatic order in a list. */
export const listedProgrammatic = `id status creationDate owner resolvedOwner partCount filledParts network { name } ${programmaticTerms}`

/** A state in words, and its color. */
export type State = readonly [text: string, tone: 'good' | 'bad' | 'quiet']

export const programmaticStates: Readonly<Record<ProgrammaticOrderStatus, State>> = {
  SCHEDULED: ['Starts later', 'quiet'],
  ACTIVE: ['Active', 'good'],
  FILLED: ['Filled', 'good'],
  PARTLY_FILLED: ['Ended, partly filled', 'good'],
  EXPIRED: ['Expired, not filled', 'bad'],
  ENDED: ['Ended', 'quiet'],
  CANCELLED: ['Removed by its owner', 'bad'],
  INVALID: ['Can never trade', 'bad'],
}

/** The kind of a programmatic order, in words. */
export function programmaticKind(type: ProgrammaticOrderType): string {
  if (type === 'TWAP') return 'TWAP'
  if (type === 'UNKNOWN') return 'Programmatic order of an unknown kind'
  const words = type.toLowerCase().replaceAll('_', ' ')
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`
}

/** The words by which an order says that it is a part. */
export function partText({ type }: { type: ProgrammaticOrderType }): string {
  if (type === 'TWAP') return 'Part of a TWAP'
  return type === 'STOP_LOSS' ? 'Part of a stop loss' : 'Part of a programmatic order'
}

interface Pair {
  sellToken: TokenLike
  buyToken: TokenLike
}

type Input =
  | ({ __typename: 'TwapInput'; partSellAmount: string; n: string } & Pair)
  | ({ __typename: 'StopLossInput'; sellAmount: string; buyAmount: string; isSellOrder: boolean } & Pair)
  | ({ __typename: 'GoodAfterTimeInput'; sellAmount: string } & Pair)
  | ({ __typename: 'TradeAboveThresholdInput' | 'SwapOrderInput' } & Pair)
  | { __typename: 'CirclesBackingInput' | 'FeeBurnerInput' | 'PerpetualSwapInput' }

/** Terms of a programmatic order as a title, such as “TWAP: sell 0.6 WETH in 12 parts”. */
export function programmaticTitle(order: { type: ProgrammaticOrderType; input: Input | null }): string {
  const { input } = order
  const kind = programmaticKind(order.type)
  switch (input?.__typename) {
    case 'TwapInput': {
      const total = amountOf(BigInt(input.partSellAmount) * BigInt(input.n), input.sellToken)
      return `${kind}: sell ${total} in ${input.n} parts`
    }
    case 'StopLossInput': {
      const title = termsTitle({ ...input, kind: input.isSellOrder ? 'SELL' : 'BUY' })
      return `${kind}: ${title.charAt(0).toLowerCase()}${title.slice(1)}`
    }
    case 'GoodAfterTimeInput':
      return `${kind}: sell ${amountOf(input.sellAmount, input.sellToken)} for ${symbolOf(input.buyToken)}`
    case 'TradeAboveThresholdInput':
    case 'SwapOrderInput':
      return `${kind}: sell ${symbolOf(input.sellToken)} for ${symbolOf(input.buyToken)}`
    default:
      return kind
  }
}

/** Such as “3 of 12 parts filled”; undefined while none is, where their number is not known in advance. */
export function partsFilled({
  partCount,
  filledParts,
}: {
  partCount: number | null
  filledParts: number
}): string | undefined {
  if (partCount === null && filledParts === 0) return undefined
  const total = partCount === null ? '' : ` of ${partCount}`
  return `${filledParts}${total} ${partCount === 1 || (partCount === null && filledParts === 1) ? 'part' : 'parts'} filled`
}
