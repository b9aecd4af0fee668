import type { Address } from '../../src/domain/evm/address.ts'
import { poolOutputDown } from '../../src/domain/routing/pool.ts'
import { answering, type Behaviour, poolsIn } from './solver-engine.ts'

export interface SentOrder {
  uid: string
  kind: string
  sellToken: Address
  buyToken: Address
  sellAmount: string
  buyAmount: string
}

export interface SentAuction {
  id: string | null
  orders: SentOrder[]
  deadline: string
  tokens: Record<string, { availableBalance: string; trusted: boolean }>
  surplusCapturingJitOrderOwners: Address[]
}

interface Bid {
  /** Thousandths of what the pool pays that it promises: more than 1,000 is false. */
  times?: bigint
  /** What is added to each solution. */
  more?: (order: SentOrder, paid: bigint, pool: Address) => object
}

/**
 * Sells each order of a request through the one best pool, each in a solution of its own and without a fee.
 */
export function bidding({ times = 1_000n, more = () => ({}) }: Bid = {}): Behaviour {
  return (question, response) => {
    if (question.path !== '/solve') return void response.end()
    const { orders } = question.body as SentAuction
    const pools = poolsIn(question)
    const solutions = orders.flatMap((order, id) => {
      const { sellToken, buyToken } = order
      const input = BigInt(order.sellAmount)
      const offers = pools
        .filter(
          ({ token0, token1 }) =>
            [token0, token1].toSorted().join() === [sellToken, buyToken].toSorted().join(),
        )
        .map((pool) => ({ pool, paid: poolOutputDown(pool, sellToken, input) }))
        .toSorted((a, b) => Number(a.paid > b.paid) - Number(a.paid < b.paid))
      const best = offers.at(-1)
      if (!best || order.kind !== 'sell') return []
      const promised = (best.paid * times) / 1_000n
      return [
        {
          id,
          prices: { [sellToken]: promised.toString(), [buyToken]: input.toString() },
          trades: [{ kind: 'fulfillment', order: order.uid, executedAmount: input.toString() }],
          interactions: [
            {
              kind: 'liquidity',
              internalize: false,
              id: best.pool.address,
              inputToken: sellToken,
              outputToken: buyToken,
              inputAmount: input.toString(),
              outputAmount: best.paid.toString(),
            },
          ],
          gas: 205_391,
          ...more(order, best.paid, best.pool.address),
        },
      ]
    })
    answering({ solutions })(question, response)
  }
}
