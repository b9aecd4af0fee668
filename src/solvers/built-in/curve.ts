import type { Address } from '../../domain/evm/address.ts'
import { composeSlopes, slopeOf } from '../../domain/routing/graph.ts'
import { bestRouteForSell } from '../../domain/routing/route.ts'
import { selling } from '../../domain/routing/walk.ts'
import { hopCostUp, type Task } from './task.ts'

/**
 * The exchange of pools from one token to another, in doubles: parallel paths, sorted by the rate of the
 * first atom. It only helps to choose orders.
 */
export type Curve = readonly CurvePath[]

/** A path with the curve out = depth · root² · in / (depth + in). */
interface CurvePath {
  depth: number
  root: number
}

/** The paths of the best route for `amount`; none without a route. */
export function curveBetween(task: Task, from: Address, to: Address, amount: bigint): Curve {
  const route = bestRouteForSell(task.pools, from, to, amount, { hopCost: hopCostUp(task, to) })
  const paths = (route?.paths ?? []).map(({ hops }) => {
    const { rate, bend } = hops
      .map(({ pool, tokenIn, tokenOut }) => slopeOf(selling, { pool, from: tokenIn, to: tokenOut }))
      .reduce(composeSlopes, { rate: 1, bend: 0 })
    return { depth: 1 / bend, root: Math.sqrt(rate) }
  })
  return paths.sort((a, b) => b.root - a.root)
}

/** The rate of the first atom; 0 without a path. */
export function firstRate([best]: Curve): number {
  return best ? best.root * best.root : 0
}

/**
 * The output of the best division of `amount` over the paths. Equal terms of two paths cancel before
 * rounding.
 */
export function outputOf(curve: Curve, amount: number): number {
  const [only] = curve
  if (!only) return 0
  if (curve.length === 1) return (only.depth * only.root * only.root * amount) / (only.depth + amount)
  let [depths, weights] = [amount, 0]
  const used: CurvePath[] = []
  for (const path of curve) {
    // A path is used while its first atom pays more than the last atom on the paths before it.
    if (used.length > 0 && path.root * depths <= weights) break
    depths += path.depth
    weights += path.depth * path.root
    used.push(path)
  }
  return used.reduce((sum, { depth, root }) => {
    const advantage = used.reduce((total, other) => total + other.depth * (root - other.root), 0)
    return sum + (depth * root * (root * amount + advantage)) / depths
  }, 0)
}
