import { formatRatioDown, mulDivDown } from '../amount.ts'
import type { Address } from '../evm/address.ts'
import type { NativeRate } from '../token/prices.ts'
import { feeDenominator, feeNumerator, type PoolIdentity } from './pool.ts'

const feeShare = feeDenominator - feeNumerator
const daysOfYear = 365n

/** The fee of a pool, in basis points. */
export const poolFeeBps = Number((feeShare * 10_000n) / feeDenominator)

/** A pool, and its inflow within a day. */
export interface PoolDay extends PoolIdentity {
  /** The reserves; null if they are not known now. */
  reserve0: bigint | null
  reserve1: bigint | null
  /** The inflow in atoms; null if the day is not read completely. */
  day: { amount0: bigint; amount1: bigint } | null
}

/** The value of a pool in native atoms, rounded down; null if a price or an amount is unknown. */
export interface PoolValue {
  value: bigint | null
  /** The inflow within the day. */
  volume: bigint | null
}

type RateOf = (token: Address) => NativeRate | undefined

/**
 * Values pools by the rates of some tokens. If the rate of one of the two tokens is known, the other token
 * counts at the pool's own price: the value is twice the known side. If neither is known, both count as in
 * the deepest pool that they share with a token of known rate.
 */
export function valuePools<Day extends PoolDay>(
  pools: readonly Day[],
  rates: ReadonlyMap<Address, NativeRate>,
): (Day & PoolValue)[] {
  const known: RateOf = (token) => rates.get(token)
  const derived = ratesInDeepest(pools, known)
  return pools.map((pool) => {
    const isPriced = known(pool.token0) !== undefined || known(pool.token1) !== undefined
    return { ...pool, ...valuePool(pool, isPriced ? known : (token) => derived.get(token)) }
  })
}

function valuePool(pool: PoolDay, rateOf: RateOf): PoolValue {
  const { token0, token1, reserve0, reserve1, day } = pool
  if (!reserve0 || !reserve1) return { value: null, volume: day && noneIn(day) }
  const rate0 = rateOf(token0) ?? rateThrough(rateOf(token1), reserve1, reserve0)
  const rate1 = rateOf(token1) ?? rateThrough(rateOf(token0), reserve0, reserve1)
  if (!rate0 || !rate1) return { value: null, volume: day && noneIn(day) }
  const sum = (amount0: bigint, amount1: bigint) => nativeDown(amount0, rate0) + nativeDown(amount1, rate1)
  return { value: sum(reserve0, reserve1), volume: day && sum(day.amount0, day.amount1) }
}

/** Returns 0 for an empty inflow, which is worth nothing at any price. */
function noneIn({ amount0, amount1 }: { amount0: bigint; amount1: bigint }): bigint | null {
  return amount0 === 0n && amount1 === 0n ? 0n : null
}

/** The rate of a token if `reserve` atoms of it balance `other` atoms of a token with this rate. */
function rateThrough(rate: NativeRate | undefined, other: bigint, reserve: bigint): NativeRate | undefined {
  return rate && { nativeAmount: other * rate.nativeAmount, tokenAmount: reserve * rate.tokenAmount }
}

/** The rate of each token without a known rate, from the pool with the greatest known side. */
function ratesInDeepest(pools: readonly PoolDay[], known: RateOf): ReadonlyMap<Address, NativeRate> {
  const deepest = new Map<Address, { depth: bigint; rate: NativeRate }>()
  for (const { token0, token1, reserve0, reserve1 } of pools) {
    if (!reserve0 || !reserve1) continue
    const [rate0, rate1] = [known(token0), known(token1)]
    if ((rate0 === undefined) === (rate1 === undefined)) continue
    const depth = rate0 ? nativeDown(reserve0, rate0) : rate1 ? nativeDown(reserve1, rate1) : 0n
    const rate = rateThrough(rate0, reserve0, reserve1) ?? rateThrough(rate1, reserve1, reserve0)
    const token = rate0 ? token1 : token0
    if (rate && depth > (deepest.get(token)?.depth ?? 0n)) deepest.set(token, { depth, rate })
  }
  return new Map([...deepest].map(([token, { rate }]) => [token, rate]))
}

function nativeDown(amount: bigint, { nativeAmount, tokenAmount }: NativeRate): bigint {
  return mulDivDown(amount, nativeAmount, tokenAmount)
}

/** The part of the inflow that stays in the pool. */
export function feesDown(volume: bigint): bigint {
  return mulDivDown(volume, feeShare, feeDenominator)
}

/**
 * The percentage that a year of such days adds to the value; null if a part is unknown, and for an empty
 * pool.
 */
export function yearlyPercent({ value, volume }: PoolValue): string | null {
  if (!value || volume === null) return null
  return formatRatioDown(volume * feeShare * daysOfYear * 100n, value * feeDenominator)
}

/** The percentage of all pools together, so that each counts by its value; null without one. */
export function averageYearlyPercent(pools: readonly PoolValue[]): string | null {
  const total = pools
    .filter(({ value, volume }) => value !== null && volume !== null)
    .reduce<{ value: bigint; volume: bigint }>(
      (sum, { value, volume }) => ({ value: sum.value + (value ?? 0n), volume: sum.volume + (volume ?? 0n) }),
      { value: 0n, volume: 0n },
    )
  return yearlyPercent(total)
}
