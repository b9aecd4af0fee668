import { createRandom } from '../database/subjects.ts'
import { post, type Question } from '../load/question.ts'
import { amountWorth, type PricedToken } from './pools.ts'

const traders = 50
/** The value of an order, in ether: as many small ones as large ones. */
const worth = { min: 0.05, factor: 100 }

type TokenPair = readonly [PricedToken, PricedToken]

export interface QuestionOptions {
  pairs: readonly TokenPair[]
  /** The path's first segment. */
  network: string
  quality: string
}

/** Returns the pairs to quote: all of them, or the given number. */
export function choosePairs(tokens: readonly PricedToken[], count: number): TokenPair[] {
  const random = createRandom(3)
  const all = tokens.flatMap((one, index) => tokens.slice(index + 1).map((other) => [one, other] as const))
  const shuffled = all
    .map((pair) => ({ pair, place: random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ pair }) => pair)
  return count === 0 ? shuffled : shuffled.slice(0, count)
}

/** Returns each pair once, so that all its data is cached. */
export function everyPair({ pairs, ...options }: QuestionOptions): Question[] {
  return pairs.map(([sell, buy]) => ask({ ...options, sell, buy, ether: 1, isBuy: false, trader: 0 }))
}

/** Returns random pairs, sizes, sides and traders; the same for the same seed. */
export function randomQuestions({ pairs, ...options }: QuestionOptions, seed: number): () => Question {
  const random = createRandom(seed)
  return () => {
    const [one, other] = pairs[Math.floor(random() * pairs.length)] ?? []
    if (!one || !other) throw new Error('there are no pairs')
    const [sell, buy] = random() < 0.5 ? [one, other] : [other, one]
    const ether = worth.min * worth.factor ** random()
    const trader = Math.floor(random() * traders)
    return ask({ ...options, sell, buy, ether, isBuy: random() < 0.25, trader })
  }
}

interface Wish extends Omit<QuestionOptions, 'pairs'> {
  sell: PricedToken
  buy: PricedToken
  ether: number
  isBuy: boolean
  trader: number
}

function ask({ network, quality, sell, buy, ether, isBuy, trader }: Wish): Question {
  const wei = BigInt(Math.round(ether * 1e6)) * 10n ** 12n
  const size = isBuy
    ? { kind: 'buy', buyAmountAfterFee: String(amountWorth(buy, wei)) }
    : { kind: 'sell', sellAmountBeforeFee: String(amountWorth(sell, wei)) }
  const body = {
    ...size,
    sellToken: sell.address,
    buyToken: buy.address,
    from: `0x${(0x7000 + trader).toString(16).padStart(40, '0')}`,
    priceQuality: quality,
  }
  return {
    request: post(`/${network}/api/v1/quote`, JSON.stringify(body)),
    expect: `"quote":{"sellToken":"${sell.address}"`,
  }
}
