import type { TokenSymbol } from '../../../src/dev/market/market.ts'
import type { Address } from '../../../src/domain/evm/address.ts'
import { nativeMarker } from '../../../src/domain/evm/address.ts'
import type { Random } from '../../setup/random.ts'
import { type ActiveCrowd, unit } from './crowd.ts'

/** An order to be signed, and what its owner does once it is placed. */
export interface Wish {
  trader: number
  sell: TokenSymbol
  buy: TokenSymbol | 'native'
  sellAmount: bigint
  buyAmount: bigint
  kind: 'sell' | 'buy'
  partiallyFillable: boolean
  /** Seconds. */
  validFor: number
  scheme: 'eip712' | 'presign' | 'eip1271'
  /** A contract wallet. */
  owner?: Address
  hooks?: { pre: Address[]; post: Address[] }
  afterwards?: 'cancel' | 'invalidate' | 'presign' | 'presign and back' | 'move away'
}

/** Atoms for a dollar at the prices at which the market begins. */
const dollar: Record<Exclude<TokenSymbol, 'FEE'>, bigint> = {
  WETH: unit.WETH / 3_000n,
  USDC: unit.USDC,
  DAI: unit.DAI,
  COW: (unit.COW * 10n) / 3n,
}
type Priced = keyof typeof dollar
const symbols = Object.keys(dollar) as Priced[]
const hour = 3_600

/**
 * A swap of `cents` whose limit is this share worse than the first prices, in basis points; better if
 * negative.
 */
function swap(random: Random, cents: number, slackBps: number): Omit<Wish, 'trader'> {
  const [sell, buy] = random.shuffled(symbols) as [Priced, Priced]
  const kind = random.chance(0.5) ? 'sell' : 'buy'
  const [sold, bought] = [sell, buy].map((symbol) => (dollar[symbol as Priced] * BigInt(cents)) / 100n) as [
    bigint,
    bigint,
  ]
  const slack = BigInt(10_000 - slackBps)
  const terms = { sell, buy, kind, partiallyFillable: false, validFor: hour, scheme: 'eip712' } as const
  return kind === 'sell'
    ? { ...terms, sellAmount: sold, buyAmount: (bought * slack) / 10_000n }
    : { ...terms, sellAmount: (sold * 10_000n) / slack, buyAmount: bought }
}

type Habit = (random: Random, crowd: ActiveCrowd) => Promise<Omit<Wish, 'trader'>> | Omit<Wish, 'trader'>

const usual = (random: Random, slackBps = 800) => swap(random, random.between(10_000, 1_500_000), slackBps)

/** What each of the ten traders does. */
const habits: readonly Habit[] = [
  (random) => usual(random),
  (random) => ({ ...usual(random), partiallyFillable: random.chance(0.3) }),
  (random) => ({ ...usual(random), partiallyFillable: true }),
  // Limits around the market, and far from it.
  (random) => usual(random, random.chance(0.5) ? random.below(200) - 100 : -random.between(1_000, 100_000)),
  // Changes its mind.
  (random) => ({ ...usual(random), afterwards: random.chance(0.5) ? 'cancel' : 'invalidate' }),
  // Promises the same balance many times, and moves it away.
  async (random, crowd) => {
    const order = { ...usual(random), kind: 'sell' as const }
    const all = await crowd.balanceOf(order.sell, crowd.traders[5]?.address ?? '')
    if (all < order.sellAmount) return { ...order, ...(random.chance(0.5) && { validFor: 90 }) }
    const buyAmount = (order.buyAmount * all) / order.sellAmount
    const away = random.chance(0.2) && ({ afterwards: 'move away' } as const)
    return { ...order, sellAmount: all, buyAmount, partiallyFillable: random.chance(0.3), ...away }
  },
  // Dust at a generous price.
  (random) => ({ ...swap(random, 1 + random.below(10), 9_000), partiallyFillable: random.chance(0.5) }),
  (random, { wallets }) => ({
    ...usual(random),
    scheme: 'eip1271',
    owner: random.pick(Object.values(wallets)),
  }),
  (random) => {
    const afterwards = random.pick(['presign', 'presign', 'presign and back', undefined] as const)
    return { ...usual(random), scheme: 'presign', ...(afterwards && { afterwards }) }
  },
  odd,
]

/** Hooks, short lives, native coins, a token that keeps a part of each transfer. */
function odd(random: Random, { hooks }: ActiveCrowd): Omit<Wish, 'trader'> {
  const order = usual(random)
  const some = () => random.shuffled(Object.values(hooks)).slice(0, random.below(3))
  if (random.chance(0.5)) return { ...order, hooks: { pre: some(), post: some() } }
  if (random.chance(0.4)) return { ...order, validFor: 62 + random.below(5) }
  if (random.chance(0.2)) return { ...order, sell: 'FEE', sellAmount: unit.FEE }
  if (order.sell === 'WETH') return order
  const coins = { ...order, buy: 'native' as const, kind: 'sell' as const }
  const buyAmount = (order.sellAmount * dollar.WETH * 92n) / (dollar[order.sell as Priced] * 100n)
  return { ...coins, buyAmount }
}

export async function wishOf(trader: number, random: Random, crowd: ActiveCrowd): Promise<Wish> {
  const habit = habits[trader] as Habit
  return { trader, ...(await habit(random, crowd)) }
}

export const buyTokenOf = (
  symbol: Wish['buy'],
  tokens: Record<TokenSymbol, { address: Address }>,
): Address => (symbol === 'native' ? nativeMarker : tokens[symbol].address)
