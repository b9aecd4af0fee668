import type { Address } from '../../../../src/domain/evm/address.ts'
import { type Pool, poolInputUp, poolOutputDown } from '../../../../src/domain/routing/pool.ts'
import type { SentAuction, SentOrder } from '../../../fakes/auction-engine.ts'
import { type GraphqlParams, poolsIn } from '../../../fakes/solver-engine.ts'

/** A whole order through the best single pool, within its limit. */
export interface Offer {
  order: SentOrder
  pool: Address
  input: bigint
  output: bigint
}

export interface Interaction {
  target: Address
  value: string
  callData: string
}

export interface Solution {
  id: number
  prices: Record<string, string>
  trades: { kind: 'fulfillment'; order: string; executedAmount: string }[]
  preInteractions?: Interaction[]
  interactions: object[]
  postInteractions?: Interaction[]
  gas: number
}

/** Returns one for each directed pair of the auction: two with a common pair cannot both win. */
export function offersIn(question: GraphqlParams): Offer[] {
  const pools = poolsIn(question)
  const taken = new Set<string>()
  return (question.body as SentAuction).orders.flatMap((order) => {
    const pair = `${order.sellToken}>${order.buyToken}`
    const offer = taken.has(pair) ? undefined : bestOffer(order, pools)
    if (offer) taken.add(pair)
    return offer ? [offer] : []
  })
}

function bestOffer(order: SentOrder, pools: readonly Pool[]): Offer | undefined {
  const { sellToken, buyToken } = order
  const [sell, buy] = [BigInt(order.sellAmount), BigInt(order.buyAmount)]
  const offers = pools.flatMap((pool): Offer[] => {
    if ([pool.token0, pool.token1].toSorted().join() !== [sellToken, buyToken].toSorted().join()) return []
    const input = order.kind === 'sell' ? sell : poolInputUp(pool, sellToken, buy)
    if (!input) return []
    const output = order.kind === 'sell' ? poolOutputDown(pool, sellToken, input) : buy
    return [{ order, pool: pool.address, input, output }]
  })
  const best = offers.toSorted((a, b) => Number(b.output - b.input - (a.output - a.input)))[0]
  return best && best.input <= sell && best.output >= buy ? best : undefined
}

/** Returns a solution whose claim and action can differ: the order gets or pays `promised`. */
export function toSolution(
  id: number,
  { order, pool, input, output }: Offer,
  promised: { input: bigint; output: bigint } = { input, output },
): Solution {
  const { sellToken, buyToken } = order
  return {
    id,
    prices: { [sellToken]: `${promised.output}`, [buyToken]: `${promised.input}` },
    trades: [
      {
        kind: 'fulfillment',
        order: order.uid,
        executedAmount: `${order.kind === 'sell' ? promised.input : promised.output}`,
      },
    ],
    interactions: [
      {
        kind: 'liquidity',
        internalize: false,
        id: pool,
        inputToken: sellToken,
        outputToken: buyToken,
        inputAmount: `${input}`,
        outputAmount: `${output}`,
      },
    ],
    gas: 300_000,
  }
}

/** Returns the promise, better for the order by this many millionths. */
export function better({ order, input, output }: Offer, millionths: bigint) {
  const more = 1_000_000n + millionths
  return order.kind === 'sell'
    ? { input, output: (output * more) / 1_000_000n }
    : { input: (input * 1_000_000n) / more, output }
}
