import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Outage, Refusal } from '../../src/domain/errors/error.ts'
import type { Address } from '../../src/domain/evm/address.ts'
import type { NativeRate } from '../../src/domain/token/prices.ts'
import { createOrderBookPrice, usdPrice } from '../../src/tokens/order-book-price.ts'
import { numbered } from '../fakes/order.ts'

const token = numbered('a0')
const reference = numbered('d0')

type Rate = NativeRate | Refusal | undefined
type Decimals = number | null | Outage | undefined

function known<Value>(entries: [Address, Value | undefined][]): Map<Address, Value> {
  return new Map(entries.flatMap(([of, value]) => (value === undefined ? [] : [[of, value]])))
}

/** Native atoms for a million atoms of the token. */
const rate = (nativeAmount: bigint): NativeRate => ({ nativeAmount, tokenAmount: 1_000_000n })

interface Case {
  rates?: [token: Rate, reference: Rate]
  decimals?: [token: Decimals, reference: Decimals]
}

const pair = <Value>([of, reference_]: [Value, Value]): [Address, Value][] => [
  [reference, reference_],
  [token, of],
]

function create({ rates = [rate(1n), rate(2n)], decimals = [18, 6] }: Case) {
  const entry = (value: Decimals) =>
    typeof value === 'number' || value === null ? { decimals: value } : value
  const asked: Address[][] = []
  const source = createOrderBookPrice({
    name: 'orderbook',
    network: { usdReference: reference },
    tokens: async () => known(pair<Decimals>(decimals).map(([of, value]) => [of, entry(value)])),
    nativeRates: async (tokens) => {
      asked.push([...tokens])
      return known(pair(rates))
    },
  })
  if (!source) throw new Error('there is a reference')
  return { asked, find: (of = token) => source.find(of, AbortSignal.timeout(1_000)) }
}

const refused = (code: ConstructorParameters<typeof Refusal>[0]) => new Refusal(code, 'no')

describe('known prices', () => {
  test.each([
    ['a token of six digits', 1n, 1n, 6, '0.00000000346285852004', 28_877_876_304n, 100n],
    ['the wrapped coin', 1n, 1n, 18, '3462.85852001', 288_778_763_042_292n, 1_000_000n],
  ])('%s', (_, nativeAmount, tokenAmount, decimals, expected, dollarNative, dollarAtoms) => {
    const price = usdPrice(
      { rate: { nativeAmount, tokenAmount }, decimals },
      { rate: { nativeAmount: dollarNative, tokenAmount: dollarAtoms }, decimals: 6 },
    )
    expect(price?.startsWith(expected)).toBe(true)
    expect(price?.replace(/^0\.0*|\./g, '')).toHaveLength(18)
  })

  test('both tokens are priced in one market read; the dollar itself costs one', async () => {
    const { find, asked } = create({})
    expect(await find()).toBe('500000000000')
    expect(await find(reference)).toBe('1')
    expect(asked).toEqual([[token, reference], [reference]])
  })
})

describe('no price', () => {
  test.each<[string, Case]>([
    ['no route leads from it', { rates: [undefined, rate(1n)] }],
    ['it is not traded', { rates: [refused('UnsupportedToken'), rate(1n)] }],
    ['there is too little of it', { rates: [refused('InsufficientLiquidity'), rate(1n)] }],
    ['no source has a price', { rates: [refused('NoLiquidity'), rate(1n)] }],
    ['a solver refuses it', { rates: [refused('CustomSolverError'), rate(1n)] }],
    ['it has no decimals', { decimals: [null, 6] }],
    ['it is no token', { decimals: [undefined, 6] }],
    [
      'its value is zero',
      { rates: [{ nativeAmount: 1n, tokenAmount: 10n ** 100n }, rate(1n)], decimals: [0, 0] },
    ],
    ['its decimals are absurd', { decimals: [255, 6] }],
    ['the dollar has no price either', { rates: [undefined, undefined] }],
  ])('is reported where %s', async (_, given) => {
    expect(await create(given).find()).toBeUndefined()
  })
})

describe('an outage', () => {
  test.each<[string, Case]>([
    ['its market is unavailable', { rates: [refused('Unavailable'), rate(1n)] }],
    ['it is paused', { rates: [refused('TokenTemporarilySuspended'), rate(1n)] }],
    ['its contract cannot be read', { decimals: [new Outage('the node'), 6] }],
    ['the dollar has no price', { rates: [rate(1n), undefined] }],
    ['the dollar is refused', { rates: [rate(1n), refused('UnsupportedToken')] }],
    ['the market of the dollar is unavailable', { rates: [rate(1n), refused('Unavailable')] }],
    ['the dollar has no decimals', { decimals: [18, null] }],
    ['the dollar is no token', { decimals: [18, undefined] }],
    ['the contract of the dollar cannot be read', { decimals: [18, new Outage('the node')] }],
  ])('is reported where %s', async (_, given) => {
    await expect(create(given).find()).rejects.toBeInstanceOf(Outage)
  })

  test.each([refused('Unavailable'), new Outage('the market')])(
    'is reported where the market cannot be read (%s)',
    async (fault) => {
      const source = createOrderBookPrice({
        name: 'orderbook',
        network: { usdReference: reference },
        tokens: async () => new Map(),
        nativeRates: () => Promise.reject(fault),
      })
      await expect(source?.find(token, AbortSignal.timeout(1_000))).rejects.toBeInstanceOf(Outage)
    },
  )
})

test('without a token that stands for the dollar there is no source', () => {
  const never = () => Promise.reject(new Error('not asked'))
  const network = { usdReference: null }
  expect(
    createOrderBookPrice({ name: 'orderbook', network, tokens: never, nativeRates: never }),
  ).toBeUndefined()
})

describe('arithmetic', () => {
  const amount = fc.bigInt({ min: 1n, max: 2n ** 128n })
  const value = fc.record({
    rate: fc.record({ nativeAmount: amount, tokenAmount: amount }),
    decimals: fc.integer({ min: 0, max: 36 }),
  })

  /** The decimal as a fraction. */
  function read(text: string): { numerator: bigint; denominator: bigint } {
    const [whole = '', fraction = ''] = text.split('.')
    return { numerator: BigInt(whole + fraction), denominator: 10n ** BigInt(fraction.length) }
  }

  test('a price is exact to 18 digits, and never rounded up', () => {
    fc.assert(
      fc.property(value, value, (of, dollar) => {
        const numerator = of.rate.nativeAmount * dollar.rate.tokenAmount * 10n ** BigInt(of.decimals)
        const denominator = of.rate.tokenAmount * dollar.rate.nativeAmount * 10n ** BigInt(dollar.decimals)
        const isReported = numerator <= denominator * 10n ** 15n && numerator * 10n ** 60n > denominator
        const price = usdPrice(of, dollar)
        if (!isReported) return
        expect(price).toMatch(/^(0|[1-9]\d*)(\.\d*[1-9])?$/)
        const reported = read(price ?? '')
        // reported ≤ exact < reported × (1 + 10^-17)
        expect(reported.numerator * denominator).toBeLessThanOrEqual(numerator * reported.denominator)
        expect(numerator * reported.denominator * 10n ** 17n).toBeLessThan(
          reported.numerator * denominator * (10n ** 17n + 1n),
        )
      }),
      { numRuns: 1_000 },
    )
  })

  test('a price is a number that JSON can hold, whatever decimals tokens report', () => {
    const anyDecimals = fc.integer({ min: 0, max: 255 })
    fc.assert(
      fc.property(value, value, anyDecimals, anyDecimals, (of, dollar, ofDecimals, dollarDecimals) => {
        const price = usdPrice({ ...of, decimals: ofDecimals }, { ...dollar, decimals: dollarDecimals })
        if (price === undefined) return
        expect(Number(price)).toBeGreaterThan(0)
        expect(Number(price)).toBeLessThanOrEqual(1e15)
      }),
      { numRuns: 1_000 },
    )
  })
})
