import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkProposal } from '../../../src/auctions/check-proposal.ts'
import { toSettlementPlan } from '../../../src/auctions/settlement-calldata.ts'
import { mulDivUp, priceScale } from '../../../src/domain/amount.ts'
import type { Auction, AuctionOrder } from '../../../src/domain/auction/auction.ts'
import type { Solution } from '../../../src/domain/auction/solution.ts'
import type { Address } from '../../../src/domain/evm/address.ts'
import type { FeePolicy } from '../../../src/domain/fee/policy.ts'
import type { Order } from '../../../src/domain/order/order.ts'
import type { Pool } from '../../../src/domain/routing/pool.ts'
import { settlementFees } from '../../../src/domain/settlement/fees.ts'
import { solver } from '../../fakes/built-in-solver.ts'
import { auctionOrder, numbered, sampleAuction, wrapped } from '../../fakes/order.ts'
import { simulate } from '../../fakes/settlement-simulator.ts'

const [unit, other] = [numbered('d1'), numbered('d2')]
const weth = 10n ** 18n
const gasPrice = 10n ** 9n

function pool(digits: string, a: Address, b: Address, reserveA: bigint, reserveB: bigint): Pool {
  const [token0, token1, reserve0, reserve1] = a < b ? [a, b, reserveA, reserveB] : [b, a, reserveB, reserveA]
  return { address: numbered(digits), token0, token1, reserve0, reserve1 }
}

function auctionOf(entries: AuctionOrder[], prices: Record<Address, bigint>): Auction {
  const auction = sampleAuction(entries, gasPrice)
  const nativePrices = new Map([...auction.nativePrices, ...(Object.entries(prices) as [Address, bigint][])])
  return { ...auction, nativePrices }
}

interface Settled {
  solution: Solution
  /** What the contract keeps of each token, and the network fees that its calldata shows. */
  kept: Map<Address, bigint>
  fees: { token: Address; amount: bigint }[]
  protocol: { token: Address; amount: bigint }[]
}

async function settle(auction: Auction, pools: Pool[]): Promise<Settled[]> {
  const proposals = await solver.solve(auction, { pools }, new AbortController().signal)
  return proposals.map((proposal) => {
    const solution = checkProposal(auction, solver.address, proposal, wrapped)
    if ('fault' in solution) throw new Error(solution.fault)
    const plan = toSettlementPlan(auction, solution, wrapped)
    const { fills, left } = simulate(plan, pools)
    expect(fills).toEqual(solution.executions.map(({ sell, buy }) => ({ sell, buy })))
    const charged = plan.trades.map((trade) => {
      const entry = auction.orders.find(({ order }) => order.uid === trade.order.uid)
      const read = entry && settlementFees(plan, trade, { ...entry.order, feePolicies: entry.feePolicies })
      if (!read) throw new Error('no fees')
      return read
    })
    return {
      solution,
      kept: new Map([...left].filter(([, amount]) => amount !== 0n)),
      fees: charged.map(({ feeToken: token, networkFee: amount }) => ({ token, amount })),
      protocol: charged.flatMap(({ protocolFees }) => protocolFees),
    }
  })
}

const cost = (gas: bigint) => gas * gasPrice
/** The gas of one order and one swap. */
const alone = cost(125_391n + 80_000n)

describe('a token whose atom is worth a coin', () => {
  const pools = [pool('01', unit, wrapped, 1_000n, 1_000n * weth)]
  const buys = { kind: 'buy', sellToken: unit, buyToken: wrapped } as const
  const sells = { kind: 'sell', sellToken: unit, buyToken: wrapped } as const
  const one = async (order: Partial<Order>, policies: FeePolicy[] = []) => {
    const auction = auctionOf([auctionOrder(order, policies)], { [unit]: weth * weth })
    return (await settle(auction, pools))[0]
  }

  it('is sold for an exact amount at what the swap takes, and the rest of the last atom pays the fee', async () => {
    for (const [wanted, sold] of [
      [4n * weth, 5n],
      [(3n * weth) / 2n, 2n],
      [(17n * weth) / 2n, 9n],
      [123_456_789n, 1n],
    ] as const) {
      const best = await one({ ...buys, sellAmount: sold, buyAmount: wanted })
      expect(best?.solution.executions).toMatchObject([
        { sell: sold, buy: wanted, networkFee: alone, feeSide: 'buy' },
      ])
      expect(best?.kept).toEqual(new Map([[wrapped, alone]]))
      expect(best?.fees).toEqual([{ token: wrapped, amount: alone }])
      expect(best?.solution.score).toBe(0n)
    }
  })

  it('is sold whole, and the fee comes out of what it buys', async () => {
    for (const sold of [1n, 2n, 7n]) {
      const out = (sold * 997n * 1_000n * weth) / (1_000_000n + sold * 997n)
      const best = await one({ ...sells, sellAmount: sold, buyAmount: weth / 2n })
      expect(best?.solution.executions).toMatchObject([
        { sell: sold, buy: out - alone, networkFee: alone, feeSide: 'buy' },
      ])
      expect(best?.kept).toEqual(new Map([[wrapped, alone]]))
      const exact = await one({ ...sells, sellAmount: sold, buyAmount: out - alone })
      expect(exact?.solution.score).toBe(0n)
      expect(await one({ ...sells, sellAmount: sold, buyAmount: out - alone + 1n })).toBeUndefined()
    }
  })

  it('is bought at what the swap gives, for a fee in the sold token', async () => {
    const entry = { sellToken: wrapped, buyToken: unit }
    const best = await one({ ...entry, kind: 'sell', sellAmount: (5n * weth) / 2n, buyAmount: 2n })
    expect(best?.solution).toMatchObject({ score: 0n, executions: [{ sell: (5n * weth) / 2n, buy: 2n }] })
    const bought = await one({ ...entry, kind: 'buy', sellAmount: 3n * weth, buyAmount: 2n })
    const sold = mulDivUp(1_000n * weth * 1_000n, 2n, 998n * 997n)
    expect(bought?.solution.executions).toMatchObject([
      { sell: sold + alone, buy: 2n, networkFee: alone, feeSide: 'sell' },
    ])
    expect(bought?.kept).toEqual(new Map([[wrapped, alone]]))
  })

  it('has fees of policies in the bought token beside that of the network', async () => {
    const policies: FeePolicy[] = [{ kind: 'volume', factor: 5_000n }]
    const best = await one({ ...sells, sellAmount: 3n, buyAmount: 2n * weth }, policies)
    const out = (3n * 997n * 1_000n * weth) / (1_000_000n + 3n * 997n)
    const volumeFee = ((out - alone) * 5_000n) / 1_000_000n
    expect(best?.kept).toEqual(new Map([[wrapped, alone + volumeFee]]))
    expect(
      [...(best?.fees ?? []), ...(best?.protocol ?? [])].reduce((sum, { amount }) => sum + amount, 0n),
    ).toBe(alone + volumeFee)
  })

  it('is sold in part by a partially fillable order', async () => {
    const limit = { sellAmount: 40n, buyAmount: 39n * weth, partiallyFillable: true }
    const best = await one({ ...sells, ...limit })
    const { sell = 0n, buy = 0n } = best?.solution.executions[0] ?? {}
    expect(sell > 0n && sell < 40n && buy * 40n >= limit.buyAmount * sell).toBe(true)
    expect(best?.kept).toEqual(new Map([[wrapped, alone]]))
  })

  it('is matched with an opposite order, at a price that leaves the fees alone', async () => {
    const entries = [
      auctionOrder({ ...sells, sellAmount: 5n, buyAmount: (499n * weth) / 100n, validTo: 1_900_000_001 }),
      auctionOrder({
        kind: 'buy',
        sellToken: wrapped,
        buyToken: unit,
        validTo: 1_900_000_002,
        sellAmount: (501n * weth) / 100n,
        buyAmount: 5n,
      }),
    ]
    const [best] = await settle(auctionOf(entries, { [unit]: weth * weth }), pools)
    expect(best?.solution.proposal.interactions).toEqual([])
    const total = (best?.fees ?? []).reduce((sum, { amount }) => sum + amount, 0n)
    expect(best?.kept).toEqual(new Map([[wrapped, total]]))
    expect(total >= cost(224_417n) && total < 2n * cost(224_417n)).toBe(true)
  })
})

it('a pair of two such tokens trades without a fee, also through a third', async () => {
  const third = numbered('d3')
  const pools = [pool('01', unit, third, 1_000n, 2_000n), pool('02', third, other, 4_000n, 6_000n)]
  const prices = { [unit]: 2n * weth * weth, [other]: (weth * weth) / 3n, [third]: weth * weth }
  const entry = auctionOrder({
    kind: 'sell',
    sellToken: unit,
    buyToken: other,
    sellAmount: 9n,
    buyAmount: 20n,
  })
  const [best] = await settle(auctionOf([entry], prices), pools)
  // 9 units are 17 of the third token, which are 25 of the other.
  expect(best?.solution.executions).toMatchObject([{ sell: 9n, buy: 25n, networkFee: 0n }])
  expect(best?.kept).toEqual(new Map())
})

describe('tokens of any decimals and prices', () => {
  const token = fc
    .record({ decimals: fc.integer({ min: 0, max: 27 }), price: fc.integer({ min: 8, max: 28 }) })
    // Native atoms for one token are 10^price; the service has no price below one for 10^18 atoms.
    .filter(({ decimals, price }) => price + 18 - decimals > 3)
  const size = fc.record({ whole: fc.bigInt(1n, 2_000n), depth: fc.bigInt(1_000n, 10_000n) })
  const sample = fc.record({
    sold: token,
    bought: token,
    size,
    isSell: fc.boolean(),
    isPartial: fc.boolean(),
    ask: fc.bigInt(900n, 1_000n),
    orders: fc.integer({ min: 1, max: 3 }),
    volumeFee: fc.constantFrom(0n, 200n, 10_000n),
    isOpposed: fc.boolean(),
  })

  it('keep only what the fees show, and those are less than twice the gas', async () => {
    const count = { bought: 0, sold: 0, none: 0 }
    await fc.assert(
      fc.asyncProperty(sample, async ({ sold, bought, size, isSell, isPartial, ask, ...rest }) => {
        const priceOf = ({ decimals, price }: typeof sold) => 10n ** BigInt(price + 18 - decimals)
        const [sellPrice, buyPrice] = [priceOf(sold), priceOf(bought)]
        const worth = (size.whole * weth) / 100n
        const atoms = (price: bigint, value: bigint) => mulDivUp(value, priceScale, price)
        const depth = size.depth * weth
        const pools = [pool('01', unit, other, atoms(sellPrice, depth * 100n), atoms(buyPrice, depth * 100n))]
        if (pools.some(({ reserve0, reserve1 }) => reserve0 >= 2n ** 111n || reserve1 >= 2n ** 111n)) return
        const policies: FeePolicy[] = rest.volumeFee > 0n ? [{ kind: 'volume', factor: rest.volumeFee }] : []
        const entries = Array.from({ length: rest.orders }, (_, index) => {
          const isBack = rest.isOpposed && index > 0
          const [from, to] = isBack ? [buyPrice, sellPrice] : [sellPrice, buyPrice]
          const value = worth * BigInt(index + 1)
          return auctionOrder(
            {
              kind: isSell ? 'sell' : 'buy',
              ...(isBack ? { sellToken: other, buyToken: unit } : { sellToken: unit, buyToken: other }),
              sellAmount: atoms(from, value) + (isSell ? 0n : 2n),
              buyAmount: mulDivUp(atoms(to, value), ask, 1_000n),
              partiallyFillable: isPartial,
              validTo: 1_900_000_000 + index,
            },
            policies,
          )
        })
        const prices = { [unit]: sellPrice, [other]: buyPrice }
        for (const { solution, kept, fees, protocol } of await settle(auctionOf(entries, prices), pools)) {
          const worthOf = (at: Address, amount: bigint) => (amount * (prices[at] ?? 0n)) / priceScale
          const gas = cost(solution.proposal.gas)
          const volume = worth * 6n
          const dust = gas / 5n + volume / 50_000n
          const charged = fees.reduce((sum, fee) => sum + worthOf(fee.token, fee.amount), 0n)
          expect(charged < 2n * cost(solution.proposal.gas + 160_000n) + dust).toBe(true)
          for (const { token: at, amount } of [...fees, ...protocol])
            kept.set(at, (kept.get(at) ?? 0n) - amount)
          for (const [at, amount] of kept) {
            expect([worthOf(at, amount) <= dust, worthOf(at, -amount) <= dust]).toEqual([true, true])
          }
          const side = solution.executions[0]
          count[side?.networkFee ? (side.feeSide === 'sell' ? 'sold' : 'bought') : 'none']++
        }
      }),
      { seed: 7, numRuns: 400 },
    )
    expect(Math.min(...Object.values(count))).toBeGreaterThan(15)
  })
})
