import { describe, expect, it } from 'vitest'
import type { AuctionOrder } from '../../../src/domain/auction/auction.ts'
import type { Solution } from '../../../src/domain/auction/solution.ts'
import type { Address } from '../../../src/domain/evm/address.ts'
import { maxTransactionGas } from '../../../src/domain/settlement/gas.ts'
import { expectNothingLeft, solve, solver } from '../../fakes/built-in-solver.ts'
import { atoms, samplePool } from '../../fakes/market.ts'
import { auctionOrder, coin, dollar, numbered, sampleAuction, wrapped } from '../../fakes/order.ts'

const deep = [samplePool('01', wrapped, dollar, 10_000n)]

interface Wish {
  kind?: 'sell' | 'buy'
  sell: Address
  buy: Address
  /** Thousandths of a native coin at the market price. */
  size: bigint
  /** Ten-thousandths of the market price that the limit asks for. */
  ask: bigint
  partiallyFillable?: boolean
}

let orders = 0
function wish({ kind = 'sell', sell, buy, size, ask, partiallyFillable = false }: Wish): AuctionOrder {
  const [sellAmount, buyAmount] =
    kind === 'sell'
      ? [atoms(sell, size), (atoms(buy, size) * ask) / 10_000n]
      : [(atoms(sell, size) * 10_000n) / ask, atoms(buy, size)]
  return auctionOrder({
    kind,
    sellToken: sell,
    buyToken: buy,
    sellAmount,
    buyAmount,
    partiallyFillable,
    validTo: 1_900_000_000 + orders++,
  })
}

const traded = (solutions: readonly Solution[]) =>
  new Set(solutions.flatMap(({ executions }) => executions.map(({ orderUid }) => orderUid)))

describe('sells and buys in one direction', () => {
  it('keep nothing of 100,000 dollars sold and 30 coins bought', async () => {
    const seller = wish({ sell: dollar, buy: wrapped, size: 33_333n, ask: 9_800n })
    const buyer = wish({ kind: 'buy', sell: dollar, buy: wrapped, size: 30_000n, ask: 9_800n })
    const { winners, rest } = await solve([seller, buyer], deep)
    expect(winners.map(({ executions }) => executions.length)).toEqual([2])
    expectNothingLeft(rest, 4n)
    const [one, two] = winners[0]?.executions ?? []
    // Both pay the same price.
    const price = (execution: typeof one) =>
      Number((execution?.sell ?? 0n) - (execution?.networkFee ?? 0n)) / Number(execution?.buy)
    expect(price(one) / price(two)).toBeCloseTo(1, 6)
  })
})

describe('opposite orders with limits inside the spread of the pool', () => {
  const ask = 9_990n

  it('match when the network fee leaves the buyer short', async () => {
    const seller = wish({ sell: wrapped, buy: dollar, size: 10_000n, ask })
    const buyer = wish({ kind: 'buy', sell: dollar, buy: wrapped, size: 10_000n, ask })
    const { winners, rest } = await solve([seller, buyer], deep)
    expect(winners.map(({ executions }) => executions.length)).toEqual([2])
    expect(winners[0]?.proposal.interactions).toEqual([])
    expectNothingLeft(rest, 2n)
    // The buyer pays for both in dollars: $0.67 at 1 gwei and $3,000.
    const fees = winners[0]?.proposal.trades.map(({ fee }) => Number(fee)) ?? []
    expect(fees[0]).toBe(0)
    expect(fees[1]).toBeGreaterThan(670_000)
    expect(fees[1]).toBeLessThan(680_000)
    // What the seller is told is less than an atom of the dollars that it gets.
    expect(winners[0]?.executions[0]?.networkFee).toBeLessThan(334_000_000n)
  })

  it('match one buyer with three sellers', async () => {
    const sellers = [3_000n, 3_000n, 4_000n].map((size) => wish({ sell: wrapped, buy: dollar, size, ask }))
    const buyer = wish({ kind: 'buy', sell: dollar, buy: wrapped, size: 10_000n, ask })
    const { winners, rest } = await solve([...sellers, buyer], deep)
    expect(winners.map(({ executions }) => executions.length)).toEqual([4])
    expect(winners[0]?.proposal.interactions).toEqual([])
    expectNothingLeft(rest, 4n)
  })

  it('match one seller with three buyers whose sizes differ a little', async () => {
    const seller = wish({ kind: 'buy', sell: wrapped, buy: dollar, size: 10_000n, ask })
    const buyers = [3_000n, 3_000n, 4_000n].map((size) => wish({ sell: dollar, buy: wrapped, size, ask }))
    const { winners } = await solve([seller, ...buyers], [])
    expect(winners.map(({ executions }) => executions.length)).toEqual([4])
  })

  it('send the rest of the larger side through the pool', async () => {
    const sellers = [3_000n, 3_000n, 4_000n].map((size) =>
      wish({ sell: wrapped, buy: dollar, size, ask: 9_900n }),
    )
    const buyer = wish({ sell: dollar, buy: wrapped, size: 8_000n, ask })
    const { winners, rest } = await solve([...sellers, buyer], deep)
    expect(winners.map(({ executions }) => executions.length)).toEqual([4])
    expect(winners[0]?.proposal.interactions).toHaveLength(2)
    expectNothingLeft(rest, 6n)
  })
})

describe('orders in a ring', () => {
  it('of three tokens need no pool', async () => {
    const ring = [
      wish({ sell: wrapped, buy: dollar, size: 1_000n, ask: 9_900n }),
      wish({ sell: dollar, buy: coin, size: 1_005n, ask: 9_900n }),
      wish({ sell: coin, buy: wrapped, size: 998n, ask: 9_900n }),
    ]
    const { winners, rest } = await solve(ring, [])
    expect(winners.map(({ executions }) => executions.length)).toEqual([3])
    expectNothingLeft(rest, 3n)
  })

  it('of which one can be filled in part', async () => {
    const ring = [
      wish({ sell: wrapped, buy: dollar, size: 5_000n, ask: 9_990n, partiallyFillable: true }),
      wish({ sell: dollar, buy: coin, size: 3_000n, ask: 9_990n, partiallyFillable: true }),
      wish({ sell: coin, buy: wrapped, size: 1_000n, ask: 9_950n }),
    ]
    const { winners, rest } = await solve(ring, [], 0n)
    expect(winners.map(({ executions }) => executions.length)).toEqual([3])
    expectNothingLeft(rest, 3n)
  })

  it('of four tokens need no pool', async () => {
    const extra = numbered('dd')
    const tokens = [wrapped, dollar, coin, extra]
    const auction = sampleAuction([])
    const nativePrices = new Map(auction.nativePrices).set(extra, 10n ** 18n)
    const ring = tokens.map((sell, index) => {
      const buy = tokens[(index + 1) % tokens.length] ?? wrapped
      const amount = (token: Address) => (token === extra ? 10n ** 18n : atoms(token, 1_000n))
      return auctionOrder({
        sellToken: sell,
        buyToken: buy,
        sellAmount: amount(sell),
        buyAmount: (amount(buy) * 99n) / 100n,
      })
    })
    const task = { ...auction, orders: ring, nativePrices }
    const [best] = await solver.solve(task, { pools: [] }, new AbortController().signal)
    expect(best?.trades).toHaveLength(4)
    expect(best?.interactions).toEqual([])
  })

  it('send what does not fit through pools', async () => {
    const pools = [...deep, samplePool('02', wrapped, coin, 10_000n), samplePool('03', dollar, coin, 10_000n)]
    const ring = [
      wish({ sell: wrapped, buy: dollar, size: 10_000n, ask: 9_900n }),
      wish({ sell: dollar, buy: coin, size: 11_000n, ask: 9_900n }),
      wish({ sell: coin, buy: wrapped, size: 9_000n, ask: 9_900n }),
    ]
    const { winners, rest } = await solve(ring, pools)
    expect(winners.map(({ executions }) => executions.length)).toEqual([3])
    const alone = await Promise.all(ring.map((entry) => solve([entry], pools)))
    const sum = alone.reduce((total, { winners: [winner] }) => total + (winner?.score ?? 0n), 0n)
    expect(winners[0]?.score).toBeGreaterThan(sum)
    expectNothingLeft(rest, 10n)
  })
})

describe('many orders of one pair', () => {
  it('are not crowded out by dust at generous prices', async () => {
    const dust = Array.from({ length: 60 }, () =>
      auctionOrder({
        sellToken: wrapped,
        buyToken: dollar,
        sellAmount: 10n ** 12n,
        buyAmount: 1n,
        validTo: 1_900_000_000 + orders++,
      }),
    )
    const real = wish({ sell: wrapped, buy: dollar, size: 1_000n, ask: 9_950n })
    const { winners } = await solve([...dust, real], deep)
    expect([...traded(winners)]).toEqual([real.order.uid])
  })

  it('are settled sixty at a time', async () => {
    const swaps = Array.from({ length: 60 }, () =>
      wish({ sell: wrapped, buy: dollar, size: 300n, ask: 9_900n }),
    )
    const { winners, rest } = await solve(swaps, deep)
    expect(traded(winners).size).toBe(60)
    expectNothingLeft(rest, 62n)
  })

  it('fill a transaction at most', async () => {
    const swaps = Array.from({ length: 400 }, () =>
      wish({ sell: wrapped, buy: dollar, size: 100n, ask: 9_800n }),
    )
    const { winners } = await solve(swaps, deep)
    expect(winners).toHaveLength(1)
    expect(winners[0]?.executions.length).toBeGreaterThan(120)
    expect(winners[0]?.proposal.gas).toBeLessThan(maxTransactionGas)
  })
})
