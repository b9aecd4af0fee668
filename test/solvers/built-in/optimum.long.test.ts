import { expect, it } from 'vitest'
import type { AuctionOrder } from '../../../src/domain/auction/auction.ts'
import type { Address } from '../../../src/domain/evm/address.ts'
import { poolSide } from '../../../src/domain/routing/pool.ts'
import { settlementGas } from '../../../src/domain/settlement/gas.ts'
import { createBuiltInSolver } from '../../../src/solvers/built-in/solver.ts'
import { dollar, wrapped } from '../../fakes/order.ts'
import { upperBound } from './bound.ts'
import { type Instance, smallInstance } from './instances.ts'
import { scoreOf, solverOptions } from './score.ts'

/** Instances of two tokens whose orders, at most six, are only filled whole. */
function* simpleInstances(count: number): Generator<Instance> {
  for (let seed = 1, found = 0; found < count; seed++) {
    const { auction, pools } = smallInstance(seed)
    const orders = auction.orders
      .filter(({ order }) => [order.sellToken, order.buyToken].every((token) => isOneOf(token)))
      .map((entry) => ({ ...entry, order: { ...entry.order, partiallyFillable: false } }))
    const direct = pools.filter(({ token0, token1 }) => isOneOf(token0) && isOneOf(token1))
    if (orders.length < 2 || orders.length > 6) continue
    found++
    yield { auction: { ...auction, orders }, pools: direct }
  }
}

const isOneOf = (token: Address) => token === wrapped || token === dollar

/** The best of all sets of orders, with every amount through the pool, by search; in native coins. */
function bruteForce({ auction, pools }: Instance): number {
  const value = (token: Address, amount: bigint) =>
    (Number(amount) * Number(auction.nativePrices.get(token))) / 1e36
  const [pool] = pools
  let best = 0
  for (let bits = 1; bits < 2 ** auction.orders.length; bits++) {
    const chosen = auction.orders.filter((_, index) => (bits >> index) & 1)
    const gas = (hops: number) => Number(settlementGas(chosen.length, hops) * auction.gasPrice) / 1e18
    best = Math.max(best, worthOf(chosen, [0, 0], gas(0), value))
    if (!pool) continue
    for (const [sign, tokenIn] of [
      [1, wrapped],
      [-1, dollar],
    ] as const) {
      const { reserveIn, reserveOut } = poolSide(pool, tokenIn)
      const [near, far] =
        sign > 0
          ? [value(wrapped, reserveIn), value(dollar, reserveOut)]
          : [value(dollar, reserveIn), value(wrapped, reserveOut)]
      const traded = (amount: number) => {
        const out = (far * 0.997 * amount) / (near + 0.997 * amount)
        return worthOf(chosen, sign > 0 ? [-amount, out] : [out, -amount], gas(1), value)
      }
      best = Math.max(best, highest(traded, 4 * near))
    }
  }
  return best
}

/** Surplus goes to the orders that score most for it; gas is paid in the token that would score less. */
function worthOf(
  chosen: readonly AuctionOrder[],
  [swappedWrapped, swappedDollar]: readonly [number, number],
  gas: number,
  value: (token: Address, amount: bigint) => number,
): number {
  const left = new Map<Address, number>([
    [wrapped, swappedWrapped],
    [dollar, swappedDollar],
  ])
  const scores = new Map<Address, number>([
    [wrapped, 0],
    [dollar, 0],
  ])
  for (const { order } of chosen) {
    const [sold, bought] = [value(order.sellToken, order.sellAmount), value(order.buyToken, order.buyAmount)]
    left.set(order.sellToken, (left.get(order.sellToken) ?? 0) + sold)
    left.set(order.buyToken, (left.get(order.buyToken) ?? 0) - bought)
    const [token, score] = order.kind === 'sell' ? [order.buyToken, 1] : [order.sellToken, bought / sold]
    scores.set(token, Math.max(scores.get(token) ?? 0, score))
  }
  const [low = wrapped, high = dollar] = [...scores].sort((a, b) => a[1] - b[1]).map(([token]) => token)
  const [cheap, dear] = [left.get(low) ?? 0, left.get(high) ?? 0]
  const fromDear = Math.max(0, gas - cheap)
  // A lack is worse the larger it is: the search follows it to where there is none.
  const lack = Math.min(0, cheap, dear, dear - fromDear)
  if (lack < 0) return 1e3 * lack
  return (cheap - (gas - fromDear)) * (scores.get(low) ?? 0) + (dear - fromDear) * (scores.get(high) ?? 0)
}

/** Of a concave function, by ternary search. */
function highest(of: (amount: number) => number, max: number): number {
  let [low, high, best] = [0, max, 0]
  for (let step = 0; step < 120; step++) {
    const [left, right] = [low + (high - low) / 3, high - (high - low) / 3]
    if (of(left) < of(right)) low = left
    else high = right
    best = Math.max(best, of(left), of(right))
  }
  return best
}

it('the bound is what a search of all sets of orders finds, or a little more', async () => {
  let positive = 0
  for (const instance of simpleInstances(40)) {
    const [bound, found] = [await upperBound(instance), bruteForce(instance)]
    expect(bound).toBeGreaterThanOrEqual(found - 1e-6)
    expect(bound).toBeLessThanOrEqual(found * 1.001 + 1e-5)
    if (found > 0) positive++
  }
  expect(positive).toBeGreaterThan(20)
}, 60_000)

it('the solver reaches 0.95 of the bound in the median of small auctions', async () => {
  const solver = createBuiltInSolver(solverOptions)
  const shares: number[] = []
  for (let seed = 1; seed <= 60; seed++) {
    const instance = smallInstance(seed)
    const bound = await upperBound(instance)
    if (bound > 1e-6) shares.push((await scoreOf(solver, instance)) / bound)
  }
  shares.sort((a, b) => a - b)
  expect(shares.at(-1)).toBeLessThanOrEqual(1 + 1e-6)
  expect(shares[Math.floor(shares.length / 2)]).toBeGreaterThanOrEqual(0.95)
}, 60_000)
