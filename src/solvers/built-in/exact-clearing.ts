import { maxUint256 } from '../../domain/amount.ts'
import type { Path } from '../../domain/routing/route.ts'
import type { Batch } from './batch.ts'
import type { BatchOrder } from './batch-order.ts'
import type { Crossing } from './clearing-prices.ts'
import { createPoolSwaps, leaveUnused, type PoolSwaps } from './pool-swaps.ts'

/**
 * Solves `matrix · x = right` exactly, by elimination without fractions; each unknown is a fraction.
 * @returns undefined if there is no single solution
 */
function solveExactly(
  matrix: readonly (readonly bigint[])[],
  right: readonly bigint[],
): { over: bigint; under: bigint }[] | undefined {
  const rows = matrix.map((row, index) => [...row, right[index] ?? 0n])
  for (let column = 0; column < rows.length; column++) {
    const pivotAt = rows.findIndex((row, index) => index >= column && row[column] !== 0n)
    const pivot = rows[pivotAt]
    if (!pivot) return undefined
    rows[pivotAt] = rows[column] ?? pivot
    rows[column] = pivot
    rows.forEach((row, index) => {
      if (index !== column) rows[index] = eliminate(row, pivot, column)
    })
  }
  return rows.map((row, index) => ({ over: row.at(-1) ?? 0n, under: row[index] ?? 1n }))
}

function eliminate(row: readonly bigint[], pivot: readonly bigint[], column: number): bigint[] {
  const [factor = 0n, divisor = 1n] = [row[column], pivot[column]]
  return row.map((value, index) => value * divisor - (pivot[index] ?? 0n) * factor)
}

/** The clearing prices by token, and the swaps that balance the orders at them. */
export interface Clearing {
  prices: readonly bigint[]
  paths: readonly Path[]
}

/** The fixed sell and buy atoms by tokens, `[from][to]`. */
interface ExactBook {
  sold: bigint[][]
  bought: bigint[][]
}

/**
 * The fractional bits of the smallest price: rounding it changes no amount by more than a small part of an
 * atom.
 */
const priceBits = 128n
const doubleBits = 53n
/** The bits up to which a rounded price is right. */
const roundingBits = 120n
/**
 * The relative distances from the estimated price, in bits, at which the search begins, ends and is close
 * enough. An amount of one or two atoms is rounded to as little as half, or to twice as much.
 */
const [firstDistance, lastDistance, closeEnough] = [45n, 0n, 120n]
/** The steps, in bits, in which farther prices are tried, and the last of them. */
const [farStep, farthest] = [4n, 64n]

/**
 * Finds prices at which only rounding remains, and the swaps. The excess of each token is swapped for the
 * first one, or a deficit is bought with it; a token that balances without pools gets the price at which it
 * does. One price is moved to the point where the swaps just give the amount that is paid out of the first
 * token. Trades are rounded in favour of the contract, so it never lacks an atom, and keeps at most one for
 * each trade and each swap.
 */
export function clearExactly(market: Crossing, choice: Batch): Clearing | undefined {
  const start = toExactPrices(choice.prices)
  if (!start) return undefined
  if (choice.balance === 'any') return { prices: start, paths: [] }
  const book = toExactBook(market.tokens.length, choice.settled)
  const edges = choice.balance === 'pools' ? createPoolSwaps(market, choice) : []
  if (!edges) return undefined
  if (edges.length === 0) {
    const prices = withBalanced(book, edges, start)
    return prices && { prices: atLimits(choice.settled, prices), paths: [] }
  }
  return closed(start, book, edges)
}

function toExactBook(size: number, members: readonly BatchOrder[]): ExactBook {
  const zeros = () => Array.from({ length: size }, () => new Array<bigint>(size).fill(0n))
  const book = { sold: zeros(), bought: zeros() }
  for (const { from, to, isSell, give, take } of members) {
    const row = (isSell ? book.sold : book.bought)[from]
    if (row) row[to] = (row[to] ?? 0n) + (isSell ? give : take)
  }
  return book
}

/** The prices as integers; undefined if they are too far apart for the contract's numbers. */
function toExactPrices(prices: readonly number[]): bigint[] | undefined {
  const min = Math.min(...prices)
  const scaled = prices.map((price) => (price / min) * 2 ** Number(doubleBits))
  if (!scaled.every((price) => price < 2 ** 160)) return undefined
  return scaled.map((price) => BigInt(Math.round(price)) << (priceBits - doubleBits))
}

/** The value of a token's excess at these prices, in atoms times price. */
function excessValue({ sold, bought }: ExactBook, prices: readonly bigint[], token: number): bigint {
  const own = prices[token] ?? 0n
  return prices.reduce((sum, price, other) => {
    const out = own * (sold[token]?.[other] ?? 0n) + price * (bought[token]?.[other] ?? 0n)
    const back = price * (sold[other]?.[token] ?? 0n) + own * (bought[other]?.[token] ?? 0n)
    return sum + out - back
  }, 0n)
}

/** The excess in atoms, rounded down: fewer to swap, more to buy. */
function excessOf(book: ExactBook, prices: readonly bigint[], token: number): bigint {
  const [value, price = 1n] = [excessValue(book, prices, token), prices[token]]
  return value >= 0n ? value / price : -((-value + price - 1n) / price)
}

function hasOrders({ sold, bought }: ExactBook, token: number): boolean {
  return [sold, bought].some((rows) =>
    rows.some((row, other) => (row[token] ?? 0n) + (rows[token]?.[other] ?? 0n) > 0n),
  )
}

/** Sets the prices of tokens without an edge to those at which they balance. */
function withBalanced(
  book: ExactBook,
  edges: readonly PoolSwaps[],
  prices: readonly bigint[],
): bigint[] | undefined {
  const traded = new Set([0, ...edges.map(({ token }) => token)])
  const free = [...prices.keys()].filter((token) => !traded.has(token) && hasOrders(book, token))
  if (free.length === 0) return [...prices]
  const weight = (token: number, other: number) =>
    excessValue(
      book,
      prices.map((_, index) => (index === other ? 1n : 0n)),
      token,
    )
  const solved = solveExactly(
    free.map((token) => free.map((other) => weight(token, other))),
    free.map((token) =>
      [...traded].reduce((sum, other) => sum - (prices[other] ?? 0n) * weight(token, other), 0n),
    ),
  )
  const result = [...prices]
  for (const [index, token] of free.entries()) {
    const { over, under } = solved?.[index] ?? { over: 0n, under: 1n }
    const price = over / under
    if (price <= 0n) return undefined
    result[token] = price
  }
  return result
}

/**
 * Lowers prices for exact matches. If an order sells just the atoms that another takes, one price is that of
 * a limit, and rounding could break it. The price of the bought token is lowered by the rounding.
 */
function atLimits(members: readonly BatchOrder[], prices: readonly bigint[]): bigint[] {
  const result = [...prices]
  for (let round = 0; round < prices.length; round++) {
    for (const { from, to, give, take } of members) {
      const [price = 0n, max] = [result[to], (give * (result[from] ?? 0n)) / take]
      const tooMuch = price - max
      if (tooMuch > 0n && tooMuch << roundingBits < price) result[to] = max
    }
  }
  return result
}

/**
 * Moves the price of the largest edge's token until the swaps give the first token exactly the amount that is
 * paid out of it. The result is the price just beyond that point: the difference is far below an atom, so
 * that no trade loses an atom to it.
 */
function closed(
  start: readonly bigint[],
  book: ExactBook,
  edges: readonly PoolSwaps[],
): Clearing | undefined {
  const [{ token = 0 } = {}] = edges
  const pricesAt = (price: bigint) => withBalanced(book, edges, start.with(token, price))
  const suffices = (price: bigint) => {
    const prices = pricesAt(price)
    return prices !== undefined && surplusOfFirst(book, edges, prices) >= 0n
  }
  const middle = start[token] ?? 0n
  const range = rangeAround(middle, suffices)
  if (!range) return undefined
  let { good, bad } = range
  while (distanceOf(good, bad) > (middle >> closeEnough) + 1n) {
    const next = (good + bad) / 2n
    if (suffices(next)) good = next
    else bad = next
  }
  const [enough, prices] = [pricesAt(good), pricesAt(bad)]
  if (!enough || !prices) return undefined
  const lists = edges.flatMap((edge) => {
    const paths = edge.paths(excessOf(book, enough, edge.token))
    return paths ? [{ isSold: edge.isSold, paths }] : []
  })
  const unused = surplusOfFirst(book, edges, enough) / (enough[0] ?? 1n)
  const [{ isSold = false, paths: [variable, ...others] = [] } = {}] = lists
  if (!variable || lists.length < edges.length || unused > maxUnused(enough, lists)) return undefined
  if (isSold && unused >= variable.amountOut) return undefined
  const trimmed = { isSold, paths: [leaveUnused(variable, isSold, unused), ...others] }
  // A purchase with the first token may need the proceeds of the other sales.
  const inOrder = [trimmed, ...lists.slice(1)].sort((one, two) => Number(two.isSold) - Number(one.isSold))
  return { prices, paths: inOrder.flatMap(({ paths }) => paths) }
}

/**
 * The maximum unused amount of the first token. A token of larger atoms, traded or on a path, makes the first
 * token arrive in steps, of which the traders need only a part. The rest stays in the pools: at most one atom
 * of each token, in atoms of the first.
 */
function maxUnused(prices: readonly bigint[], lists: readonly { paths: readonly Path[]; isSold: boolean }[]) {
  const first = prices[0] ?? 1n
  const traded = prices.reduce((sum, price) => sum + price / first + 1n, 0n)
  return lists.reduce(
    (sum, { isSold, paths }) =>
      paths.reduce((total, { hops, amountIn, amountOut }) => {
        const whole = isSold ? amountOut : amountIn
        return hops.reduce((max, hop) => max + whole / hop.amountIn + whole / hop.amountOut + 2n, total)
      }, sum),
    traded,
  )
}

/** Two prices around `start`, as close as possible, of which only one suffices. */
function rangeAround(start: bigint, suffices: (price: bigint) => boolean) {
  for (let distance = firstDistance; distance >= lastDistance; distance -= 3n) {
    const [low, high] = [(start << distance) / ((1n << distance) + 1n), start + (start >> distance)]
    const [isLowGood, isHighGood] = [suffices(low), suffices(high)]
    if (isLowGood && !isHighGood) return { good: low, bad: high }
    if (isHighGood && !isLowGood) return { good: high, bad: low }
  }
  return farRange(start, suffices)
}

/**
 * Two prices like those of `rangeAround`, farther away: a whole atom may be paid for a small part of its
 * worth.
 */
function farRange(start: bigint, suffices: (price: bigint) => boolean) {
  const isGood = suffices(start)
  for (let distance = farStep; distance <= farthest; distance += farStep) {
    for (const price of [start >> distance, start << distance]) {
      if (price > 0n && price <= maxUint256 && suffices(price) !== isGood)
        return isGood ? { good: start, bad: price } : { good: price, bad: start }
    }
  }
  return undefined
}

function distanceOf(a: bigint, b: bigint): bigint {
  return a > b ? a - b : b - a
}

/**
 * The rest of the first token after the swaps, in atoms times price; also negative if a pool does not take or
 * give that much.
 */
function surplusOfFirst(book: ExactBook, edges: readonly PoolSwaps[], prices: readonly bigint[]): bigint {
  let sum = excessValue(book, prices, 0)
  for (const edge of edges) {
    const gained = edge.gained(excessOf(book, prices, edge.token))
    if (gained === undefined) return -1n
    sum += gained * (prices[0] ?? 0n)
  }
  return sum
}
