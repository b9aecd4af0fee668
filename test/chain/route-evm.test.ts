import fc from 'fast-check'
import { expect, it } from 'vitest'
import { encodeSettle } from '../../src/chain/settlement/call.ts'
import { type Address, address } from '../../src/domain/evm/address.ts'
import { type Pool, poolAfterSwap } from '../../src/domain/routing/pool.ts'
import {
  bestRouteForBuy,
  bestRouteForSell,
  hopsOf,
  type Path,
  type Route,
} from '../../src/domain/routing/route.ts'
import { routeCalls } from '../../src/domain/settlement/calldata.ts'
import { deploySettlement, type Evm, startEvm } from '../setup/evm.ts'
import { deployToken, readArtifact } from './contracts.ts'

const tokenCount = 5
const tradeCount = 60
const numbers = { seed: 1, numRuns: tradeCount }

const reserves = fc.sample(
  fc.tuple(fc.bigInt({ min: 10n ** 6n, max: 10n ** 22n }), fc.bigInt({ min: 10n ** 6n, max: 10n ** 22n })),
  numbers,
)
const questions = fc.sample(
  fc.record({
    pair: fc.shuffledSubarray([0, 1, 2, 3, 4], { minLength: 2, maxLength: 2 }),
    kind: fc.constantFrom('sell' as const, 'buy' as const),
    amount: fc.oneof(
      fc.bigInt({ min: 1n, max: 10n ** 7n }),
      fc.bigInt({ min: 1n, max: 10n ** 21n }),
      fc.bigInt({ min: 1n, max: 10n ** 22n }),
    ),
    maxHops: fc.integer({ min: 1, max: 3 }),
  }),
  { ...numbers, numRuns: 4 * tradeCount },
)

it('promises exactly what the pools pay', async () => {
  await using evm = await startEvm()
  const market = await createMarket(evm)
  const seen = { sell: 0, buy: 0, hops: new Set<number>(), split: 0 }
  for (const { pair, kind, amount, maxHops } of questions) {
    const [sell, buy] = pair.map((index) => market.tokens[index]?.address)
    if (!sell || !buy || seen.sell + seen.buy === tradeCount) continue
    const search = kind === 'sell' ? bestRouteForSell : bestRouteForBuy
    const route = search(market.pools, sell, buy, amount, { maxHops })
    if (!route || route.amountIn > 10n ** 30n) continue
    await market.expectExact(route, kind)
    seen[kind]++
    for (const { hops } of route.paths) seen.hops.add(hops.length)
    if (route.paths.length > 1) seen.split++
  }
  expect(seen.sell + seen.buy).toBe(tradeCount)
  expect(Math.min(seen.sell, seen.buy, seen.split)).toBeGreaterThan(15)
  expect(seen.hops).toEqual(new Set([1, 2, 3]))
})

async function createMarket(evm: Evm) {
  const { settlement } = await deploySettlement(evm)
  const factory = await evm.deploy(readArtifact('PoolFactory'))
  const tokens = await Promise.all(Array.from({ length: tokenCount }, () => deployToken(evm)))
  let pools = await createPools(evm, factory, tokens)

  const balance = async (token: Address) =>
    BigInt(String(await tokens.find((one) => one.address === token)?.read('balanceOf', [settlement.address])))

  const calldata = (paths: readonly Path[]) =>
    encodeSettle({
      tokens: [],
      clearingPrices: [],
      trades: [],
      interactions: [[], routeCalls(paths, settlement.address), []],
      auctionId: 1n,
    })

  const fails = (paths: readonly Path[]) =>
    evm.rpc
      .call('eth_call', [{ from: evm.account, to: settlement.address, data: calldata(paths) }, 'latest'])
      .then(
        () => false,
        () => true,
      )

  return {
    tokens,
    get pools() {
      return pools
    },
    /** Settles only the route, and leaves the pools as it left them. */
    async expectExact(route: Route, kind: 'sell' | 'buy') {
      const [{ hops }] = route.paths
      const [sell, buy] = [hops[0].tokenIn, hops.at(-1)?.tokenOut ?? hops[0].tokenOut]
      await tokens.find(({ address: at }) => at === sell)?.write('mint', [settlement.address, route.amountIn])
      const before = await Promise.all([sell, buy].map(balance))
      const tooMuch = route.paths.map((path) => (kind === 'sell' ? oneMoreOut(path) : oneLessIn(path)))
      expect(await Promise.all(tooMuch.map((path) => fails([path])))).toEqual(tooMuch.map(() => true))
      await evm.send({ to: settlement.address, data: calldata(route.paths) })
      const after = await Promise.all([sell, buy].map(balance))
      expect(after.map((amount, index) => amount - (before[index] ?? 0n))).toEqual([
        -route.amountIn,
        route.amountOut,
      ])
      const swapped = new Map(
        hopsOf(route).map((hop) => [
          hop.pool.address,
          poolAfterSwap(hop.pool, hop.tokenIn, hop.amountIn, hop.amountOut),
        ]),
      )
      pools = pools.map((pool) => swapped.get(pool.address) ?? pool)
    },
  }
}

type Tokens = Awaited<ReturnType<typeof deployToken>>[]

/** All pairs but one, with what the samples report. */
async function createPools(evm: Evm, factory: Awaited<ReturnType<Evm['deploy']>>, tokens: Tokens) {
  const pairs = tokens.flatMap((one, index) => tokens.slice(index + 1).map((other) => [one, other] as const))
  const pools: Pool[] = []
  for (const [index, [one, other]] of pairs.slice(1).entries()) {
    const [token0, token1] = one.address < other.address ? [one, other] : [other, one]
    const [reserve0, reserve1] = reserves[index] ?? [0n, 0n]
    await factory.write('createPair', [token0.address, token1.address])
    const pool = address(String(await factory.read('getPair', [token0.address, token1.address])))
    await token0.write('mint', [pool, reserve0])
    await token1.write('mint', [pool, reserve1])
    // mint(address)
    await evm.send({ to: pool, data: `0x6a627842${'00'.repeat(32)}` })
    pools.push({ address: pool, token0: token0.address, token1: token1.address, reserve0, reserve1 })
  }
  return pools
}

/** The last pool promises one atom more. */
function oneMoreOut(path: Path): Path {
  const [first, ...rest] = path.hops
  const last = rest.pop()
  const more = <T extends { amountOut: bigint }>(hop: T) => ({ ...hop, amountOut: hop.amountOut + 1n })
  return { ...path, hops: last ? [first, ...rest, more(last)] : [more(first)] }
}

/** The first pool pays one atom less. */
function oneLessIn(path: Path): Path {
  const [first, ...rest] = path.hops
  return { ...path, hops: [{ ...first, amountIn: first.amountIn - 1n }, ...rest] }
}
