import { describe, expect, it } from 'vitest'
import type { AuctionOrder } from '../../../src/domain/auction/auction.ts'
import type { Address } from '../../../src/domain/evm/address.ts'
import { bestRouteForSell } from '../../../src/domain/routing/route.ts'
import { settlementGas } from '../../../src/domain/settlement/gas.ts'
import { expectNothingLeft, solve } from '../../fakes/built-in-solver.ts'
import { atoms, samplePool } from '../../fakes/market.ts'
import { auctionOrder, coin, dollar, sampleQuote, wrapped } from '../../fakes/order.ts'

const pools = [
  samplePool('01', wrapped, dollar, 10_000n),
  samplePool('02', wrapped, coin, 10_000n),
  samplePool('03', dollar, coin, 10_000n),
]
const gasPrice = 10n ** 9n

let orders = 0
/** An order that asks for `better` ten-thousandths more than the pools pay. */
function asking(
  sell: Address,
  buy: Address,
  sellAmount: bigint,
  better: bigint,
  kind: 'sell' | 'buy' = 'sell',
) {
  const paid = bestRouteForSell([...pools], sell, buy, sellAmount)?.amountOut ?? 0n
  const buyAmount = (paid * (10_000n + better)) / 10_000n
  const validTo = 1_900_000_000 + orders++
  return auctionOrder({ kind, sellToken: sell, buyToken: buy, sellAmount, buyAmount, validTo })
}

/** Each order sells just what the one before takes. */
function ringOf(tokens: readonly Address[], amount: bigint, better: bigint, kind?: 'sell' | 'buy') {
  let sold = amount
  return tokens.map((sell, index) => {
    const entry = asking(sell, tokens[(index + 1) % tokens.length] ?? sell, sold, better, kind)
    sold = entry.order.buyAmount
    return entry
  })
}

/** One that sells just what three take, and takes just what they sell. */
function oneAgainstThree(one: Address, other: Address, amount: bigint, better: bigint) {
  const large = asking(one, other, amount, better)
  const [part, max] = [large.order.buyAmount / 5n, large.order.buyAmount]
  return [large, ...[part, 2n * part, max - 3n * part].map((sold) => asking(other, one, sold, better))]
}

/** @returns the fees in native atoms */
async function expectAllMatched(entries: readonly AuctionOrder[]): Promise<bigint> {
  const { winners, rest } = await solve([...entries], pools, gasPrice)
  expect(winners.map(({ executions }) => executions.length)).toEqual([entries.length])
  expect(winners[0]?.proposal.interactions).toEqual([])
  expectNothingLeft(rest, BigInt(entries.length))
  const paid = winners[0]?.proposal.trades.reduce((sum, { orderUid, fee }) => {
    const sellToken = entries.find(({ order }) => order.uid === orderUid)?.order.sellToken ?? wrapped
    return sum + (fee * 10n ** 18n) / atoms(sellToken, 1_000n)
  }, 0n)
  return paid ?? 0n
}

const needed = (trades: number) => settlementGas(trades, 0) * gasPrice

describe('orders whose amounts match, at limits that no pool meets', () => {
  const sizes = [137n, 500n, 1_000n, 2_999n, 7_001n].map((size) => (size * 10n ** 18n) / 1_000n + size)
  const rings = [
    [wrapped, dollar, coin],
    [dollar, wrapped, coin],
    [coin, wrapped, dollar],
  ]

  it.each(['sell', 'buy'] as const)('are matched in a ring of three: %s', async (kind) => {
    for (const tokens of rings) {
      for (const size of sizes) {
        const amount = (size * atoms(tokens[0] ?? wrapped, 1_000n)) / 10n ** 18n
        for (const better of [20n, 25n]) {
          const paid = await expectAllMatched(ringOf(tokens, 4n * amount, better, kind))
          expect(Number(paid) / Number(needed(3))).toBeCloseTo(1, 3)
        }
      }
    }
  })

  it('are matched one against three', async () => {
    for (const [one, other] of [
      [wrapped, dollar],
      [dollar, wrapped],
      [dollar, coin],
    ] as const) {
      for (const size of sizes) {
        const amount = (size * atoms(one, 1_000n)) / 10n ** 18n
        const paid = await expectAllMatched(oneAgainstThree(one, other, 4n * amount, 20n))
        expect(Number(paid) / Number(needed(4))).toBeCloseTo(1, 3)
      }
    }
  })

  it('are matched at most at the fees of verified quotes, if these are a third of what is needed', async () => {
    const quoted = (gasAmount: bigint) =>
      ringOf([wrapped, dollar, coin], 10n ** 18n, 20n).map((entry) => ({
        ...entry,
        order: { ...entry.order, quote: sampleQuote({ verified: true, gasAmount }) },
      }))
    expect(await expectAllMatched(quoted(150_000n))).toBe(150_000n * gasPrice)
    const { solutions } = await solve(quoted(90_000n), pools, gasPrice)
    expect(solutions).toEqual([])
  })
})
