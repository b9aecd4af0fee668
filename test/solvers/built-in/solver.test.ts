import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkProposal } from '../../../src/auctions/check-proposal.ts'
import { toSettlementPlan } from '../../../src/auctions/settlement-calldata.ts'
import type { Auction, AuctionOrder } from '../../../src/domain/auction/auction.ts'
import type { Solution } from '../../../src/domain/auction/solution.ts'
import type { Address } from '../../../src/domain/evm/address.ts'
import type { Pool } from '../../../src/domain/routing/pool.ts'
import { bestRouteForSell } from '../../../src/domain/routing/route.ts'
import { wrappedForm } from '../../../src/domain/token/token.ts'
import { createBuiltInSolver } from '../../../src/solvers/built-in/solver.ts'
import { pools as anyPools, atoms, auctions, samplePool } from '../../fakes/market.ts'
import {
  auctionOrder,
  coin,
  dollar,
  nativeMarker,
  numbered,
  sampleAuction,
  sampleQuote,
  settlement,
  wrapped,
} from '../../fakes/order.ts'
import { simulate } from '../../fakes/settlement-simulator.ts'

const solver = createBuiltInSolver({
  name: 'built-in',
  address: numbered('50'),
  settlement,
  wrappedNative: wrapped,
})
const deep = [samplePool('01', wrapped, dollar, 10_000n), samplePool('02', wrapped, coin, 10_000n)]
const never = new AbortController().signal

async function solve(auction: Auction, pools: Pool[]): Promise<Solution[]> {
  const proposals = await solver.solve(auction, { pools }, never)
  return proposals.map((proposal) => {
    const checked = checkProposal(auction, solver.address, proposal, wrapped)
    if ('fault' in checked) throw new Error(checked.fault)
    return checked
  })
}

/** Rounding leaves at most an atom of each token for each trade, each of its policies, and each swap. */
const maxLeft = ({ executions, proposal }: Solution) =>
  BigInt(
    executions.reduce((sum, { protocolFees }) => sum + 1 + protocolFees.length, proposal.interactions.length),
  )

/** What remains of each token beyond the fees that the solution tells. */
function untold({ orders }: Auction, { executions, proposal }: Solution, left: ReadonlyMap<Address, bigint>) {
  const rest = new Map(left)
  const take = (token: Address, fee: bigint) => rest.set(token, (rest.get(token) ?? 0n) - fee)
  for (const [index, { orderUid, protocolFees }] of executions.entries()) {
    const order = orders.find(({ order: { uid } }) => uid === orderUid)?.order
    if (!order) throw new Error('no such order')
    const { fee = 0n, boughtFee = 0n } = proposal.trades[index] ?? {}
    take(order.sellToken, fee)
    take(wrappedForm(order.buyToken, wrapped), boughtFee)
    const surplusToken = order.kind === 'sell' ? wrappedForm(order.buyToken, wrapped) : order.sellToken
    for (const fee of protocolFees) take(surplusToken, fee)
  }
  return rest
}

const [sellCoin, buyCoin] = [
  {
    sellToken: wrapped,
    buyToken: dollar,
    sellAmount: atoms(wrapped, 1_000n),
    buyAmount: atoms(dollar, 980n),
  },
  {
    sellToken: dollar,
    buyToken: wrapped,
    sellAmount: atoms(dollar, 1_000n),
    buyAmount: atoms(wrapped, 980n),
  },
]

describe('the solver on random markets', () => {
  it('gives valid proposals, best first, that the contracts can execute', async () => {
    const count = { alone: 0, together: 0, native: 0 }
    await fc.assert(
      fc.asyncProperty(auctions, anyPools, async (auction, pools) => {
        const solutions = await solve(auction, pools)
        expect(solutions.length).toBeLessThanOrEqual(20)
        const scores = solutions.map(({ score }) => score)
        expect(scores).toEqual(scores.toSorted((a, b) => (a > b ? -1 : a < b ? 1 : 0)))
        for (const solution of solutions) {
          const plan = toSettlementPlan(auction, solution, wrapped)
          const { fills, left } = simulate(plan, pools)
          expect(fills).toEqual(solution.executions.map(({ sell, buy }) => ({ sell, buy })))
          for (const [token, amount] of left) expect([token, amount >= 0n]).toEqual([token, true])
          for (const [token, amount] of untold(auction, solution, left)) {
            expect([token, amount >= -4n && amount <= maxLeft(solution)]).toEqual([token, true])
          }
          count[solution.executions.length > 1 ? 'together' : 'alone']++
          if (plan.tokens.includes(nativeMarker)) count.native++
        }
      }),
      { numRuns: 200 },
    )
    expect(Math.min(count.alone, count.together, count.native)).toBeGreaterThan(10)
  })
})

describe('one order', () => {
  it('is sold less its network fee along the best route', async () => {
    const entry = auctionOrder({ ...sellCoin, buyToken: coin, buyAmount: atoms(coin, 980n) })
    const [best] = await solve(sampleAuction([entry]), deep)
    const fee = (125_391n + 80_000n) * 10n ** 9n
    const route = bestRouteForSell(deep, wrapped, coin, sellCoin.sellAmount - fee)
    expect(best?.executions).toMatchObject([
      { sell: sellCoin.sellAmount, buy: route?.amountOut, networkFee: fee },
    ])
    expect(best?.proposal.gas).toBe(125_391n + 80_000n)
    expect(best?.proposal.interactions.map(({ target }) => target)).toEqual([wrapped, numbered('02')])
  })

  it('takes two hops where no pool trades the pair directly', async () => {
    const entry = auctionOrder({ ...buyCoin, kind: 'buy', buyToken: coin, buyAmount: atoms(coin, 900n) })
    const [best] = await solve(sampleAuction([entry]), deep)
    expect(best?.executions).toMatchObject([{ buy: atoms(coin, 900n) }])
    expect(best?.proposal.interactions.map(({ target }) => target)).toEqual([
      dollar,
      numbered('01'),
      numbered('02'),
    ])
  })

  it('takes three hops where no shorter path exists, as in its quote', async () => {
    const [end, gasPrice] = [numbered('dd'), 10n ** 9n]
    const far = samplePool('05', dollar, coin, 10_000n)
    const last = { ...samplePool('06', coin, end, 10_000n), reserve0: 10n ** 22n, reserve1: 10n ** 22n }
    const pools = [samplePool('01', wrapped, dollar, 10_000n), far, last]
    const entry = auctionOrder({ ...sellCoin, buyToken: end, buyAmount: 1n })
    const auction = sampleAuction([entry], gasPrice)
    const nativePrices = new Map(auction.nativePrices).set(end, 10n ** 18n)
    const [best] = await solve({ ...auction, nativePrices }, pools)
    const fee = (125_391n + 2n * 80_000n + 80_000n) * gasPrice
    const route = bestRouteForSell(pools, wrapped, end, sellCoin.sellAmount - fee)
    expect(route?.paths.map(({ hops }) => hops.length)).toEqual([3])
    expect(best?.executions).toMatchObject([{ buy: route?.amountOut, networkFee: fee }])
    expect(best?.proposal.gas).toBe(125_391n + 240_000n)
  })

  it.each(['sell', 'buy'] as const)(
    'is divided over paths where the gain covers the additional swaps: %s',
    async (kind) => {
      const pools = [
        samplePool('01', wrapped, dollar, 30n),
        samplePool('02', wrapped, coin, 30n),
        samplePool('03', dollar, coin, 30n),
        samplePool('04', wrapped, dollar, 20n),
      ]
      const entry = auctionOrder({
        ...sellCoin,
        kind,
        sellAmount: atoms(wrapped, 10_000n),
        buyAmount: atoms(dollar, 7_500n),
      })
      const auction = sampleAuction([entry])
      const solutions = await solve(auction, pools)
      const [best] = solutions
      if (!best) throw new Error('no solution')
      // Three paths: two with one swap and one with two.
      expect(best.proposal.gas).toBe(125_391n + 3n * 80_000n + 80_000n)
      const targets = best.proposal.interactions.map(({ target }) => target)
      expect(targets.toSorted()).toEqual(
        [wrapped, wrapped, wrapped, ...pools.map(({ address: at }) => at)].toSorted(),
      )
      const { left } = simulate(toSettlementPlan(auction, best, wrapped), pools)
      for (const amount of left.values()) expect(amount >= 0n).toBe(true)
      const shared = (await solve(auction, pools.slice(0, 3)))[0]?.score ?? 0n
      expect(best.score > shared).toBe(true)
    },
  )

  it('is not filled where its limit, its network fee or its fee policies do not allow it', async () => {
    const greedy = auctionOrder({ ...sellCoin, buyAmount: atoms(dollar, 998n) })
    const dust = auctionOrder({ ...sellCoin, sellAmount: 10n ** 12n, buyAmount: 1n })
    const charged = auctionOrder(sellCoin, [{ kind: 'volume', factor: 30_000n }])
    const unpriced = auctionOrder({ ...sellCoin, sellToken: numbered('dd') })
    expect(await solve(sampleAuction([greedy, dust, charged, unpriced]), deep)).toEqual([])
    expect(await solve(sampleAuction([auctionOrder(sellCoin)]), [])).toEqual([])
  })

  it('is partially filled where the pools are too shallow for all of it', async () => {
    const shallow = [samplePool('01', wrapped, dollar, 30n)]
    const half = await solve(sampleAuction([auctionOrder({ ...sellCoin, partiallyFillable: true })]), shallow)
    // At half of it the average price is just the limit: a third gains more.
    const share = Number(half[0]?.executions[0]?.sell) / Number(sellCoin.sellAmount)
    expect(share).toBeGreaterThan(0.2)
    expect(share).toBeLessThan(0.5)
    expect(await solve(sampleAuction([auctionOrder(sellCoin)]), shallow)).toEqual([])
  })

  it('of a token without decimals is filled where the pools give no more than its limit', async () => {
    const oneCoin = 10n ** 18n
    const random = fc.record({
      reserve: fc.oneof(fc.bigInt(101n, 1_000n), fc.bigInt(1_000n, 1_000_000n)),
      kind: fc.constantFrom('sell', 'buy'),
      bought: fc.bigInt(1n, 100n),
    })
    await fc.assert(
      fc.asyncProperty(random, async ({ reserve, kind, bought }) => {
        const pool = samplePool('01', wrapped, dollar, 100n)
        const isFirst = pool.token0 === wrapped
        const shallow = {
          ...pool,
          reserve0: isFirst ? 100n * oneCoin : reserve,
          reserve1: isFirst ? reserve : 100n * oneCoin,
        }
        const price = (100n * oneCoin * oneCoin) / reserve
        const paid = kind === 'sell' ? oneCoin : (price * bought * 11n) / 10n
        // A quote of nothing but the amount after the network fee, which is far below an atom of the token.
        const route = bestRouteForSell([shallow], wrapped, dollar, paid - oneCoin / 1_000n)
        const buyAmount = kind === 'sell' ? (route?.amountOut ?? 0n) : bought
        fc.pre(buyAmount > 0n && (route?.amountOut ?? 0n) >= buyAmount && buyAmount < reserve / 2n)
        const order = auctionOrder({
          sellToken: wrapped,
          buyToken: dollar,
          sellAmount: paid,
          buyAmount,
          kind: kind === 'sell' ? 'sell' : 'buy',
        })
        const nativePrices = new Map([
          [wrapped, oneCoin],
          [dollar, price],
        ])
        const [best] = await solve({ ...sampleAuction([order]), nativePrices }, [shallow])
        expect(best?.executions).toMatchObject([{ orderUid: order.order.uid }])
        expect(best?.executions[0]?.buy).toBeGreaterThanOrEqual(buyAmount)
      }),
    )
  })

  it('for the native coin is unwrapped one for one', async () => {
    const entry = auctionOrder({ ...sellCoin, buyToken: nativeMarker, buyAmount: atoms(wrapped, 980n) })
    const [best] = await solve(sampleAuction([entry]), [])
    const fee = (125_391n + 9_223n) * 10n ** 9n
    expect(best?.executions).toMatchObject([{ buy: sellCoin.sellAmount - fee, networkFee: fee }])
  })
})

describe('several orders', () => {
  it('of the same pair are settled together and share the base cost', async () => {
    const entries = [1, 2, 3].map((validTo) => auctionOrder({ ...sellCoin, validTo }))
    const solutions = await solve(sampleAuction(entries), deep)
    expect(solutions.map(({ executions }) => executions.length)).toEqual([3, 1, 1, 1])
    const prices = solutions[0]?.executions.map(({ buy }) => buy)
    expect(new Set(prices).size).toBe(1)
  })

  it('are settled without the order whose limit fails at the common price', async () => {
    const strict = auctionOrder({ ...sellCoin, validTo: 1, buyAmount: atoms(dollar, 996n) })
    const large = auctionOrder({
      ...sellCoin,
      validTo: 2,
      sellAmount: atoms(wrapped, 30_000n),
      buyAmount: 1n,
    })
    const small = auctionOrder({ ...sellCoin, validTo: 3 })
    const solutions = await solve(sampleAuction([strict, large, small]), deep)
    const batches = solutions.filter(({ executions }) => executions.length > 1)
    expect(batches.map(({ executions }) => executions.map(({ orderUid }) => orderUid).toSorted())).toEqual([
      [large.order.uid, small.order.uid].toSorted(),
    ])
    expect(solutions.some(({ executions }) => executions[0]?.orderUid === strict.order.uid)).toBe(true)
  })

  it('give at most twenty proposals over all pairs', async () => {
    const tokens = Array.from({ length: 12 }, (_, index) => numbered(`${index + 10}e0`.slice(0, 4)))
    const auction = sampleAuction(
      tokens.flatMap((token) =>
        [1, 2, 3, 4].map((validTo) =>
          auctionOrder({ ...sellCoin, buyToken: token, buyAmount: 9n * 10n ** 17n, validTo }),
        ),
      ),
    )
    const nativePrices = new Map(auction.nativePrices)
    for (const token of tokens) nativePrices.set(token, 10n ** 18n)
    const pools = tokens.map((token, index): Pool => {
      const [token0 = wrapped, token1 = token] = [wrapped, token].toSorted()
      const reserve = 10n ** 22n
      return { address: numbered(`${index + 10}0f`), token0, token1, reserve0: reserve, reserve1: reserve }
    })
    expect(await solve({ ...auction, nativePrices }, pools)).toHaveLength(20)
  })
})

describe('two opposite orders', () => {
  const scoreOf = (solutions: Solution[], entries: AuctionOrder[]) =>
    solutions.find(
      ({ executions }) =>
        entries.every(({ order }) => executions.some(({ orderUid }) => orderUid === order.uid)) &&
        executions.length === entries.length,
    )?.score ?? 0n

  it('that match need no pool', async () => {
    const pair = [auctionOrder(sellCoin), auctionOrder(buyCoin)]
    const [best] = await solve(sampleAuction(pair, 0n), [])
    expect(best?.executions).toHaveLength(2)
    expect(best?.proposal.interactions).toEqual([])
    expect(best?.proposal.gas).toBe(125_391n + 99_026n)
  })

  it.each([
    ['sell', 'sell', 600n],
    ['sell', 'buy', 600n],
    ['buy', 'sell', 600n],
    ['buy', 'buy', 600n],
    ['sell', 'sell', 1_700n],
    ['sell', 'buy', 1_700n],
    ['buy', 'sell', 1_700n],
    ['buy', 'buy', 1_700n],
  ] as const)(
    '%s against %s of %s thousandths score more than two routes, with at most one swap',
    async (one, other, size) => {
      const seller = auctionOrder({ ...sellCoin, kind: one })
      const buyer = auctionOrder({
        ...buyCoin,
        kind: other,
        sellAmount: atoms(dollar, size),
        buyAmount: (atoms(wrapped, size) * 98n) / 100n,
      })
      const solutions = await solve(sampleAuction([seller, buyer]), deep)
      const alone = scoreOf(solutions, [seller]) + scoreOf(solutions, [buyer])
      const matched = scoreOf(solutions, [seller, buyer])
      expect(alone).toBeGreaterThan(0n)
      expect(matched).toBeGreaterThan(alone)
      const calls = solutions[0]?.proposal.interactions ?? []
      expect(calls.length).toBe(2)
      expect(solutions[0]?.executions).toHaveLength(2)
    },
  )

  it('need no swap if one of them is partially fillable', async () => {
    const seller = auctionOrder({
      ...sellCoin,
      sellAmount: atoms(wrapped, 5_000n),
      buyAmount: atoms(dollar, 4_900n),
      partiallyFillable: true,
    })
    const buyer = auctionOrder(buyCoin)
    const [best] = await solve(sampleAuction([seller, buyer]), [])
    expect(best?.executions).toHaveLength(2)
    expect(best?.proposal.interactions).toEqual([])
    const bought = best?.executions.find(({ orderUid }) => orderUid === buyer.order.uid)
    expect(bought?.sell).toBe(buyer.order.sellAmount)
  })

  it('settle at the pool price if it lies between their limits', async () => {
    const seller = auctionOrder({
      ...sellCoin,
      sellAmount: atoms(wrapped, 5_000n),
      buyAmount: atoms(dollar, 4_990n),
      partiallyFillable: true,
    })
    const buyer = auctionOrder({ ...buyCoin, buyAmount: atoms(wrapped, 900n) })
    const matched = (await solve(sampleAuction([seller, buyer], 0n), deep)).find(
      ({ proposal }) => proposal.interactions.length === 0,
    )
    const bought = matched?.executions.find(({ orderUid }) => orderUid === buyer.order.uid)
    expect(bought?.sell).toBe(atoms(dollar, 1_000n))
    expect(Number(bought?.buy) / Number(atoms(wrapped, 1_000n))).toBeCloseTo(1, 12)
  })

  it('pay half of the gas each', async () => {
    const seller = auctionOrder({ ...sellCoin, partiallyFillable: true })
    const [best] = await solve(sampleAuction([seller, auctionOrder(buyCoin)]), [])
    const half = ((125_391n + 99_026n + 1n) / 2n) * 10n ** 9n
    expect(best?.proposal.trades.map(({ fee }) => fee)).toEqual([
      half,
      // The same in dollars of 6 decimals, rounded up.
      (half * 3_000n * 10n ** 6n) / 10n ** 18n + 1n,
    ])
  })

  it('settle at a limit that also covers the volume fee', async () => {
    const seller = auctionOrder({ ...sellCoin, buyAmount: atoms(dollar, 1_005n), partiallyFillable: true }, [
      { kind: 'volume', factor: 5_000n },
    ])
    const buyer = auctionOrder({ ...buyCoin, buyAmount: atoms(wrapped, 900n) })
    const [best] = await solve(sampleAuction([seller, buyer], 0n), [])
    expect(best?.executions).toHaveLength(2)
    const sold = best?.executions.find(({ orderUid }) => orderUid === seller.order.uid)
    expect(sold && (sold.buy * 10n ** 24n) / sold.sell / 10n ** 12n).toBe(3_015n)
  })

  it('with incompatible limits are not matched', async () => {
    const seller = auctionOrder({ ...sellCoin, buyAmount: atoms(dollar, 1_010n) })
    expect(await solve(sampleAuction([seller, auctionOrder(buyCoin)], 0n), [])).toEqual([])
  })
})

it.each([
  ['as simulated for a verified quote', { verified: true, gasAmount: 150_000n }, 150_000n],
  ['up to its own estimate, if the quote has more', { verified: true, gasAmount: 900_000n }, 205_391n],
  ['as estimated, if the quote was not simulated', { verified: false, gasAmount: 150_000n }, 205_391n],
])('charges for gas %s', async (_, quote, gas) => {
  const order = auctionOrder({ ...sellCoin, quote: sampleQuote(quote) })
  const [best] = await solve(sampleAuction([order]), deep)
  expect(best?.proposal.trades.map(({ fee }) => fee)).toEqual([gas * 10n ** 9n])
})

it('returns the solutions found so far when the signal aborts', async () => {
  const controller = new AbortController()
  const entries = Array.from({ length: 40 }, (_, validTo) => auctionOrder({ ...sellCoin, validTo }))
  const auction = sampleAuction([...entries, auctionOrder({ ...buyCoin })])
  controller.abort()
  expect(await solver.solve(auction, { pools: deep }, controller.signal)).toEqual([])
})
