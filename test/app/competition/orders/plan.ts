import type { TokenSymbol } from '../../../../src/dev/market/market.ts'

/**
 * `wallet`: a contract wallet with ample funds. `poor`: its own wallet, soon with two thirds of the amount.
 */
type Scheme = 'eip712' | 'ethsign' | 'presign' | 'wallet' | 'poor' | 'chain'
export type Traded = Exclude<TokenSymbol, 'FEE'>

/** A planned order, and its expected end. */
export interface Plan {
  number: number
  /** The signing account of the local market. */
  account: number
  scheme: Scheme
  kind: 'sell' | 'buy'
  sell: Traded | 'native'
  buy: Traded | 'native'
  partiallyFillable: boolean
  /** The value of the sold amount, in thousandths of a WETH. */
  worth: bigint
  /** The limit in thousandths of the quoted price. */
  asks: bigint
  /** The partner fee of its appData. */
  partnerFee?: Record<string, number>
  ending: 'fulfilled' | 'expired' | 'cancelled'
  /** The lifetime in seconds: short for orders that must expire, longer than a run for others. */
  lives: number
}

type Habit = Partial<Plan>

/** A limit above every pool's price. */
const far = 1_500n
const fair = 970n

/** The habits in every twenty orders, one of each. */
const habits: readonly Habit[] = [
  {},
  { kind: 'buy' },
  { scheme: 'ethsign', partiallyFillable: true },
  { scheme: 'wallet' },
  { scheme: 'wallet', kind: 'buy', partiallyFillable: true },
  { scheme: 'presign' },
  { scheme: 'chain', sell: 'native' },
  { buy: 'native' },
  { partnerFee: { volumeBps: 25 } },
  { kind: 'buy', partnerFee: { surplusBps: 4_000, maxVolumeBps: 50 } },
  { asks: far, ending: 'expired' },
  { asks: far, ending: 'cancelled' },
  { partiallyFillable: true, worth: 20_000n },
  { scheme: 'poor', partiallyFillable: true, ending: 'cancelled' },
  { scheme: 'ethsign', kind: 'buy' },
  { scheme: 'presign', kind: 'buy', partiallyFillable: true },
  { scheme: 'chain', sell: 'native', asks: far, ending: 'cancelled' },
  { partnerFee: { priceImprovementBps: 5_000, maxVolumeBps: 60 } },
  { scheme: 'wallet', partnerFee: { volumeBps: 10 } },
  { scheme: 'ethsign', asks: far, partiallyFillable: true, ending: 'expired' },
]

const symbols: readonly Traded[] = ['WETH', 'USDC', 'DAI', 'COW']
/** All directed pairs, each next to its opposite, so that some orders match each other. */
const pairs = symbols.flatMap((one, index) =>
  symbols.slice(index + 1).flatMap((other): [Traded, Traded][] => [
    [one, other],
    [other, one],
  ]),
)
const accounts = 5

/**
 * Plans the same orders in every run.
 * @param shortLife lifetime of expiring orders in seconds
 */
export function planOrders(count: number, shortLife = 15): Plan[] {
  return Array.from({ length: count }, (_, number): Plan => {
    const habit = habits[number % habits.length] ?? {}
    // Each habit meets every pair: twenty and thirteen steps on among twelve.
    const [sell, buy] = pairs[(number + Math.floor(number / habits.length) * 5) % pairs.length] ?? [
      'WETH',
      'USDC',
    ]
    return {
      number,
      account: (number + Math.floor(number / habits.length)) % accounts,
      scheme: 'eip712',
      kind: 'sell',
      partiallyFillable: false,
      worth: 200n + BigInt((number * 137) % 1_300),
      asks: fair,
      ending: 'fulfilled',
      ...habit,
      ...pairOf(sell, buy, habit),
      lives: habit.ending === 'expired' ? shortLife : 3_600 + number,
    }
  })
}

/** Returns the pair: the native coin trades against any token but its wrapped form. */
function pairOf(sell: Traded, buy: Traded, habit: Habit): Pick<Plan, 'sell' | 'buy'> {
  if (habit.sell === 'native') return { sell: 'native', buy: buy === 'WETH' ? sell : buy }
  if (habit.buy === 'native') return { sell: sell === 'WETH' ? buy : sell, buy: 'native' }
  return { sell, buy }
}
