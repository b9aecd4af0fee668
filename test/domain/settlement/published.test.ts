import { describe, expect, test } from 'vitest'
import { decodeForeign, type SettledTrade } from '../../../src/chain/settlement/call.ts'
import { mulDivDown } from '../../../src/domain/amount.ts'
import { orderScoreDown } from '../../../src/domain/auction/score.ts'
import type { Address } from '../../../src/domain/evm/address.ts'
import { type FeePolicy, type Fill, type Limits, surplusDown } from '../../../src/domain/fee/policy.ts'
import { surplusToken } from '../../../src/domain/order/surplus.ts'
import { chargedFees, contractFill, settlementFees } from '../../../src/domain/settlement/fees.ts'
import { recoverSigner } from '../../../src/domain/signing/signature.ts'
import { isEcdsa, orderDigest, orderUid } from '../../../src/domain/signing/signing.ts'
import { surplusValueDown, tradedSurplusDown } from '../../fakes/order-value.ts'
import {
  oldTrade,
  permitOrder,
  permitTrade,
  soldCompetition,
  soldOrder,
  soldTrade,
} from '../../fakes/public-book.ts'
import { publicSettlements } from '../../fakes/public-settlements.ts'

const ethereum = { chainId: 1, settlement: '0x9008d19f58aabd9ed0d60971565aa8510560ab41' } as const

/** The atoms of the surplus token that the uniform prices would have given beyond a fill. */
const belowUniform = (kind: Limits['kind'], uniform: Fill, fill: Fill) =>
  -surplusDown({ kind, sellAmount: uniform.sell, buyAmount: uniform.buy }, fill)

function ownerOf({ order, owner, signature, signingScheme }: SettledTrade): Address | null {
  if (!isEcdsa(signingScheme)) return owner
  const recovered = recoverSigner(signingScheme, orderDigest(ethereum, order), signature)
  return 'signer' in recovered ? recovered.signer : null
}

describe.each(publicSettlements)('the real settlement $name', (settled) => {
  const call = decodeForeign(settled.calldata) ?? expect.fail()
  const nativePrices = new Map(settled.nativePrices)
  const valueDown = (atoms: bigint, token: Address) =>
    surplusValueDown(atoms, nativePrices.get(token) ?? expect.fail())

  test('has the orders of its calldata, by the signatures of their owners', () => {
    expect(call.auctionId).toBe(settled.auctionId)
    const orders = call.trades.map((trade) => {
      const owner = ownerOf(trade) ?? expect.fail()
      return { uid: orderUid(ethereum, trade.order, owner), owner, signingScheme: trade.signingScheme }
    })
    expect(orders).toEqual(
      settled.trades.map(({ uid, owner, signingScheme }) => ({ uid, owner, signingScheme })),
    )
    for (const trade of call.trades)
      if (isEcdsa(trade.signingScheme)) expect(trade.order.receiver).toBe(ownerOf(trade))
  })

  test.each(settled.trades)('has the published figures of $uid', ({ published, feePolicies = [] }) => {
    const at = settled.trades.findIndex((each) => each.published === published)
    const { order, indices, executedAmount } = call.trades[at] ?? expect.fail()
    const { sell, buy } = indices
    const pairAt = (sellAt: number, buyAt: number) => ({
      sell: call.clearingPrices[sellAt] ?? expect.fail(),
      buy: call.clearingPrices[buyAt] ?? expect.fail(),
    })
    const uniform = pairAt(call.tokens.indexOf(order.sellToken), call.tokens.indexOf(order.buyToken))
    const fill = contractFill(order, executedAmount, pairAt(sell, buy))
    const charged = { ...order, feePolicies, quote: null }
    const trade = { sellTokenIndex: sell, buyTokenIndex: buy, executedAmount }
    const fees = settlementFees(call, trade, charged) ?? expect.fail()
    const figures = {
      surplus: () => valueDown(tradedSurplusDown(order, fill), surplusToken(order)),
      score: () => {
        const amounts = fees.protocolFees.map(({ amount }) => amount)
        return orderScoreDown(order, fill, amounts, nativePrices)
      },
      fee: () => feeAsPublished[settled.name]?.() ?? valueDown(fees.executedFee, fees.feeToken),
    }
    /** Figures that were computed by another rule than `executedFee` here (decision 155). */
    const feeAsPublished: Record<string, () => bigint> = {
      // The value of the bought atoms that the uniform prices would have given beyond it.
      'of a limit order that sold the native coin': () =>
        valueDown(
          belowUniform(order.kind, contractFill(order, executedAmount, uniform), fill),
          surplusToken(order),
        ),
      // In 2023 the cost of the bought atoms was rounded down, and not up: the fee has an atom more.
      'of three presigned orders of one owner': () => {
        const cost = contractFill({ ...order, kind: 'buy', buyAmount: fill.buy }, fill.buy, uniform)
        expect(fill.sell - cost.sell).toBe(fees.executedFee + 1n)
        return valueDown(fill.sell - cost.sell, order.sellToken)
      },
    }
    for (const [name, figure] of Object.entries(published))
      expect([name, figures[name as keyof typeof published]()]).toEqual([name, figure])
  })
})

describe('the trades of a public order book', () => {
  const policiesOf = ({ executedProtocolFees }: typeof soldTrade | typeof permitTrade | typeof oldTrade) =>
    executedProtocolFees.map(({ policy }): FeePolicy => {
      const ppm = (factor: number) => BigInt(Math.round(factor * 1e6))
      if ('volume' in policy) return { kind: 'volume', factor: ppm(policy.volume.factor) }
      const { factor, maxVolumeFactor } = policy.priceImprovement
      return { kind: 'priceImprovement', factor: ppm(factor), maxVolumeFactor: ppm(maxVolumeFactor) }
    })
  const limitsOf = (order: { sellAmount: string; buyAmount: string }) =>
    ({ kind: 'sell', sellAmount: BigInt(order.sellAmount), buyAmount: BigInt(order.buyAmount) }) as const
  const fillOf = (trade: { sellAmount: string; buyAmount: string }) => ({
    sell: BigInt(trade.sellAmount),
    buy: BigInt(trade.buyAmount),
  })
  const quotedIn = ({
    executedProtocolFees: [fee],
  }: typeof soldTrade | typeof permitTrade | typeof oldTrade) => {
    const { sellAmount, buyAmount, fee: feeAmount } = fee.policy.priceImprovement.quote
    return { sellAmount: BigInt(sellAmount), buyAmount: BigInt(buyAmount), feeAmount: BigInt(feeAmount) }
  }
  const [{ clearingPrices }] = soldCompetition.solutions
  const uniform = {
    sell: BigInt(clearingPrices[soldOrder.sellToken]),
    buy: BigInt(clearingPrices[soldOrder.buyToken]),
  }

  test.each([
    ['that sold the native coin', soldTrade, soldOrder, uniform],
    // Its prices are not published: those at which the published fee is the distance to them.
    [
      'of an order with a permit',
      permitTrade,
      permitOrder,
      { sell: 3_842_001n, buy: BigInt(permitOrder.sellAmount) - BigInt(permitOrder.executedFee) },
    ],
    // Neither its prices nor its order: the limit counts only where the quote is worse than it.
    [
      'without a price improvement',
      oldTrade,
      { sellAmount: oldTrade.sellAmount, buyAmount: '1' },
      { sell: BigInt(oldTrade.buyAmount), buy: 852_257n },
    ],
  ])('%s have the published fees of its protocol', (_, trade, order, prices) => {
    const charged = { ...limitsOf(order), feePolicies: policiesOf(trade), quote: quotedIn(trade) }
    expect(chargedFees(charged, fillOf(trade), prices).protocol.map(String)).toEqual(
      trade.executedProtocolFees.map(({ amount }) => amount),
    )
  })

  test('have the published score', () => {
    const { prices } = soldCompetition.auction
    const nativePrices = new Map(
      Object.entries(prices).map(([token, price]) => [token as Address, BigInt(price)]),
    )
    const charged = { ...limitsOf(soldOrder), feePolicies: policiesOf(soldTrade), quote: quotedIn(soldTrade) }
    const fill = fillOf(soldTrade)
    const { protocol } = chargedFees(charged, fill, uniform)
    const scored = { ...limitsOf(soldOrder), buyToken: soldOrder.buyToken }
    expect(String(orderScoreDown(scored, fill, protocol, nativePrices))).toBe(
      soldCompetition.solutions[0].score,
    )
  })

  test('have a fee here that is never more than what was kept, and there up to a bought atom more', () => {
    const fill = fillOf(soldTrade)
    const order = { ...limitsOf(soldOrder), partiallyFillable: false, feePolicies: [], quote: null }
    const bought = belowUniform('sell', contractFill(order, fill.sell, uniform), fill)
    expect(String(mulDivDown(bought, uniform.buy, uniform.sell))).toBe(soldOrder.executedFee)
    const { total } = chargedFees(order, fill, uniform)
    // What remains pays for the bought atoms, and an atom less does not.
    const remains = fill.sell - total
    expect(remains * uniform.sell).toBeGreaterThanOrEqual(fill.buy * uniform.buy)
    expect((remains - 1n) * uniform.sell).toBeLessThan(fill.buy * uniform.buy)
    const more = BigInt(soldOrder.executedFee) - total
    expect(more).toBeGreaterThan(0n)
    expect(more * uniform.sell).toBeLessThan(uniform.buy)
  })
})
