import { createRequire } from 'node:module'
import type { AuctionOrder } from '../../../src/domain/auction/auction.ts'
import type { Address } from '../../../src/domain/evm/address.ts'
import { feeDenominator, feeNumerator, type Pool, poolSide } from '../../../src/domain/routing/pool.ts'
import { gasUnits, settlementBaseGas, tradeGas } from '../../../src/domain/settlement/gas.ts'
import type { Instance } from './instances.ts'

/** The used part of the package. */
interface Highs {
  solve(
    model: string,
    options: Record<string, unknown>,
  ): { Status: string; ObjectiveValue: number; Columns: Record<string, { Primal: number }> }
}

/** Options without presolve, which reports some models as infeasible, though all zeros satisfy them. */
const options = { output_flag: false, presolve: 'off', mip_rel_gap: 1e-7 }

const load: () => Promise<Highs> = createRequire(import.meta.url)('highs')
let loaded: Promise<Highs> | undefined

/** The model's unit: thousandths of a native coin, at the auction's prices. */
const unit = 1e15
/** Initial tangents of a pool's curve. Others follow where a solution gets more than the curve gives. */
const firstTangents = 8
const maxRounds = 40
/** The tolerated excess of a pool's output, in thousandths of a native coin. */
const closeEnough = 1e-3
/** The largest trade of a pool, as a multiple of its reserve. */
const maxTrade = 4

/**
 * Returns an upper bound of the score of any settlement of this auction, in native coins, from a
 * mixed-integer program. Orders are whole, or any part if partially fillable, each at its own price; a pool
 * gives at most each tangent of its curve; gas is paid once for the settlement, each trade, and each used
 * pool, in any token.
 */
export async function upperBound(instance: Instance): Promise<number> {
  loaded ??= load()
  const highs = await loaded
  const curves = curvesOf(instance)
  for (let round = 1; ; round++) {
    const { Status, ObjectiveValue, Columns } = highs.solve(toModel(instance, curves), options)
    if (Status !== 'Optimal') throw new Error(`the bound is ${Status}`)
    const amounts = curves.map(({ given, got }) => [Columns[given]?.Primal ?? 0, Columns[got]?.Primal ?? 0])
    const loose = curves.filter((curve, index) => {
      const [amount = 0, output = 0] = amounts[index] ?? []
      const isLoose = output > outputOf(curve, amount) + closeEnough
      if (isLoose) curve.points.push(amount)
      return isLoose
    })
    if (loose.length === 0 || round === maxRounds) return (ObjectiveValue * unit) / 1e18
  }
}

/** One direction of a pool: out = far · γ · in / (depth + γ · in). */
interface PoolCurve {
  pool: number
  tokenIn: Address
  tokenOut: Address
  depth: number
  far: number
  /** Names of its amounts. */
  given: string
  got: string
  /** The positions of its tangents. */
  points: number[]
}

const kept = Number(feeNumerator) / Number(feeDenominator)

function curvesOf({ auction, pools }: Instance): PoolCurve[] {
  const priceOf = pricesOf(auction)
  return pools.flatMap((pool: Pool, index) =>
    [pool.token0, pool.token1].map((tokenIn) => {
      const tokenOut = tokenIn === pool.token0 ? pool.token1 : pool.token0
      const { reserveIn, reserveOut } = poolSide(pool, tokenIn)
      const depth = Number(reserveIn) * priceOf(tokenIn)
      const side = tokenIn === pool.token0 ? 'a' : 'b'
      return {
        pool: index,
        tokenIn,
        tokenOut,
        depth,
        far: Number(reserveOut) * priceOf(tokenOut),
        given: `x${side}${index}`,
        got: `y${side}${index}`,
        points: Array.from({ length: firstTangents }, (_, step) => (depth * step ** 2) / firstTangents ** 2),
      }
    }),
  )
}

function outputOf({ depth, far }: PoolCurve, amount: number): number {
  return (far * kept * amount) / (depth + kept * amount)
}

function pricesOf({ nativePrices }: Instance['auction']) {
  return (token: Address) => Number(nativePrices.get(token) ?? 0n) / 1e18 / unit
}

interface Model {
  objective: string[]
  rows: string[]
  bounds: string[]
  binaries: string[]
  /** Inputs minus outputs, by token. */
  balances: Map<Address, string[]>
}

function toModel({ auction, pools }: Instance, curves: readonly PoolCurve[]): string {
  const model: Model = { objective: [], rows: [], bounds: [], binaries: ['z'], balances: new Map() }
  const gas = (units: bigint) => Number(units * auction.gasPrice) / unit
  const priceOf = pricesOf(auction)
  const costs = [term(-gas(settlementBaseGas), 'z')]
  auction.orders.forEach((entry, index) => {
    addOrder(model, entry, index, priceOf)
    costs.push(term(-gas(tradeGas + entry.extraGas), `z${index}`))
  })
  for (const index of pools.keys()) {
    model.binaries.push(`u${index}`)
    costs.push(term(-gas(gasUnits.hop), `u${index}`))
  }
  for (const curve of curves) addCurve(model, curve)
  const fees = [...model.balances.keys()].map((_, index) => `g${index}`)
  model.rows.push(`${[...costs, ...fees.map((fee) => term(1, fee))].join(' ')} >= 0`)
  ;[...model.balances.values()].forEach((terms, index) => {
    model.rows.push(`${[...terms, term(-1, `g${index}`)].join(' ')} >= 0`)
  })
  return [
    'Maximize',
    ` score: ${model.objective.join(' ')}`,
    'Subject To',
    ...model.rows.map((row, index) => ` r${index}: ${row}`),
    'Bounds',
    ...model.bounds,
    'Binary',
    ` ${model.binaries.join(' ')}`,
    'End',
  ].join('\n')
}

/** Adds an order: `f` is the filled part, `s` its surplus: bought beyond the limit, or not sold. */
function addOrder(
  model: Model,
  { order }: AuctionOrder,
  index: number,
  priceOf: (token: Address) => number,
): void {
  const [part, surplus, chosen] = [`f${index}`, `s${index}`, `z${index}`]
  const [sold, bought] = [
    Number(order.sellAmount) * priceOf(order.sellToken),
    Number(order.buyAmount) * priceOf(order.buyToken),
  ]
  model.binaries.push(chosen)
  model.rows.push(`${term(1, part)} ${term(-1, chosen)} ${order.partiallyFillable ? '<=' : '='} 0`)
  model.rows.push(`${term(1, chosen)} - z <= 0`)
  model.bounds.push(` 0 <= ${part} <= 1`)
  // A buy order saves sell tokens, which score at its limit price.
  const isSell = order.kind === 'sell'
  model.objective.push(term(isSell ? 1 : bought / sold, surplus))
  model.rows.push(`${term(1, surplus)} ${term(isSell ? -1e4 : -sold, part)} <= 0`)
  add(model, order.sellToken, term(sold, part))
  add(model, order.buyToken, term(-bought, part))
  add(model, isSell ? order.buyToken : order.sellToken, term(-1, surplus))
}

/** Adds tangents: the curve is concave, so each lies above it. */
function addCurve(model: Model, curve: PoolCurve): void {
  const { depth, far, given, got, points, pool } = curve
  const used = `u${pool}`
  for (const amount of points) {
    const slope = (far * kept * depth) / (depth + kept * amount) ** 2
    const offset = outputOf(curve, amount) - slope * amount
    model.rows.push(`${term(1, got)} ${term(-slope, given)} ${term(-offset, used)} <= 0`)
  }
  model.rows.push(`${term(1, given)} ${term(-depth * maxTrade, used)} <= 0`)
  add(model, curve.tokenIn, term(-1, given))
  add(model, curve.tokenOut, term(1, got))
}

function add({ balances }: Model, token: Address, text: string): void {
  balances.set(token, [...(balances.get(token) ?? []), text])
}

function term(factor: number, name: string): string {
  return `${factor < 0 ? '-' : '+'} ${Math.abs(factor).toPrecision(15)} ${name}`
}
