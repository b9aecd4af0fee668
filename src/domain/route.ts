import type { Address } from './address.ts'
import { type Pool, poolInputUp, poolOutputDown } from './pool.ts'

/** One swap: `amountIn` of `tokenIn` becomes `amountOut` of `tokenOut`. */
export interface Hop {
  pool: Pool
  tokenIn: Address
  tokenOut: Address
  amountIn: bigint
  amountOut: bigint
}

/** Swaps in a row; the output of one is the input of the next. */
export interface Path {
  hops: [Hop, ...Hop[]]
  amountIn: bigint
  amountOut: bigint
}

/** Paths side by side between the same two tokens, no pool in two of them. Amounts are sums. */
export interface Route {
  paths: [Path, ...Path[]]
  amountIn: bigint
  amountOut: bigint
}

export function hopsOf({ paths }: { paths: readonly Path[] }): Hop[] {
  return paths.flatMap(({ hops }) => hops)
}

interface Step {
  pool: Pool
  tokenIn: Address
  tokenOut: Address
}

/** The route of at most `maxHops` swaps that pays most for exactly `amountIn`; `undefined` when none pays anything. */
export function bestRouteForSell(
  pools: readonly Pool[],
  sell: Address,
  buy: Address,
  amountIn: bigint,
  maxHops = 2,
): Route | undefined {
  let best: Route | undefined
  for (const path of paths(pools, sell, buy, maxHops)) {
    const route = walkForward(path, amountIn)
    if (route && (!best || route.amountOut > best.amountOut)) best = route
  }
  return best
}

/** The route of at most `maxHops` swaps that costs least for exactly `amountOut`; `undefined` when none can give it. */
export function bestRouteForBuy(
  pools: readonly Pool[],
  sell: Address,
  buy: Address,
  amountOut: bigint,
  maxHops = 2,
): Route | undefined {
  let best: Route | undefined
  for (const path of paths(pools, sell, buy, maxHops)) {
    const route = walkBackward(path, amountOut)
    if (route && (!best || route.amountIn < best.amountIn)) best = route
  }
  return best
}

/** Every path without a token twice. */
function* paths(
  pools: readonly Pool[],
  from: Address,
  to: Address,
  maxHops: number,
  seen: readonly Address[] = [],
): Generator<[Step, ...Step[]]> {
  if (maxHops === 0 || from === to) return
  for (const pool of pools) {
    const tokenOut = pool.token0 === from ? pool.token1 : pool.token1 === from ? pool.token0 : undefined
    if (!tokenOut || seen.includes(tokenOut)) continue
    const step = { pool, tokenIn: from, tokenOut }
    if (tokenOut === to) yield [step]
    else for (const rest of paths(pools, tokenOut, to, maxHops - 1, [...seen, from])) yield [step, ...rest]
  }
}

function walkForward(path: readonly Step[], amountIn: bigint): Route | undefined {
  let amount = amountIn
  const hops: Hop[] = []
  for (const step of path) {
    const amountOut = poolOutputDown(step.pool, step.tokenIn, amount)
    if (amountOut === 0n) return undefined
    hops.push({ ...step, amountIn: amount, amountOut })
    amount = amountOut
  }
  return toRoute(hops)
}

function walkBackward(path: readonly Step[], amountOut: bigint): Route | undefined {
  let amount = amountOut
  const hops: Hop[] = []
  for (const step of path.toReversed()) {
    const amountIn = poolInputUp(step.pool, step.tokenIn, amount)
    if (amountIn === undefined) return undefined
    hops.unshift({ ...step, amountIn, amountOut: amount })
    amount = amountIn
  }
  return toRoute(hops)
}

function toRoute(hops: Hop[]): Route | undefined {
  const [first, ...rest] = hops
  if (!first) return undefined
  const { amountIn } = first
  const { amountOut } = rest.at(-1) ?? first
  return { paths: [{ hops: [first, ...rest], amountIn, amountOut }], amountIn, amountOut }
}
