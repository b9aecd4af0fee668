import { formatRatioDown, mulDivDown } from '../amount.ts'
import { address, basisPoints, decimal, derived, described, from, token, uint256 } from '../described.ts'
import type { Address } from '../evm/address.ts'
import type { NativeRate } from '../token/prices.ts'
import { feeDenominator, feeNumerator, type PoolIdentity } from './pool.ts'

const feeShare = feeDenominator - feeNumerator
const daysOfYear = 365n

/** The fee of a pool, in basis points. */
const poolFeeBps = Number((feeShare * 10_000n) / feeDenominator)

/** A pool, and its inflow within a day. */
export interface PoolDay extends PoolIdentity {
  reserve0: bigint | null
  reserve1: bigint | null
  /** The inflow in atoms; null if the day is not read completely. */
  day: { amount0: bigint; amount1: bigint } | null
}

/** The value of a pool and of its inflow in native atoms, rounded down. */
export interface PoolValue {
  value: bigint | null
  volume: bigint | null
}

export const poolContract = address('The pool’s contract.')

const dayText = 'within the day of its list'

export const pool = described(
  'Pool',
  'A pool of two tokens whose product stays (Uniswap V2), with figures from its logs. What is not known is null, never 0.',
  {
    address: poolContract,
    token0: token('The token with the lower address.'),
    token1: token('The other token.'),
    reserve0: uint256.orNull('Atoms of token0 in it.'),
    reserve1: uint256.orNull('Atoms of token1 in it.'),
    price0: derived(
      decimal.orNull(
        'Atoms of token1 for one atom of token0, before the fee: 18 significant digits, rounded down; null for an empty pool.',
      ),
      ({ reserve0, reserve1 }: PoolDay) => priceDown(reserve1, reserve0),
    ),
    price1: derived(
      decimal.orNull('Atoms of token0 for one atom of token1, likewise.'),
      ({ reserve0, reserve1 }: PoolDay) => priceDown(reserve0, reserve1),
    ),
    feeBps: derived(basisPoints('The share of the input that it keeps.'), () => poolFeeBps),
    volume0: derived(
      uint256.orNull(`Atoms of token0 that came in ${dayText}.`),
      ({ day }: PoolDay) => day?.amount0 ?? null,
    ),
    volume1: derived(
      uint256.orNull(`Atoms of token1 that came in ${dayText}.`),
      ({ day }: PoolDay) => day?.amount1 ?? null,
    ),
    valueNative: from(
      'value',
      uint256.orNull(
        'The value of both reserves in native atoms. A token without a price of its own counts at the pool’s.',
      ),
    ),
    volumeNative: from(
      'volume',
      uint256.orNull(`The input ${dayText}, in native atoms at the prices of now.`),
    ),
    feesNative: derived(uint256.orNull(`The fees that it kept ${dayText}, in native atoms.`), feesOf),
    apr: derived(
      decimal.orNull('Per cent of its value that a year of such days’ fees adds to it.'),
      yearlyPercent,
    ),
  },
)

function priceDown(amount: bigint | null, forAtoms: bigint | null): string | null {
  return forAtoms && amount !== null ? formatRatioDown(amount, forAtoms) : null
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

export function feesOf({ volume }: PoolValue): bigint | null {
  return volume && feesDown(volume)
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
