import fc from 'fast-check'
import { expect, it } from 'vitest'
import { checkProposal } from '../../src/auctions/check-proposal.ts'
import { toSettlementPlan } from '../../src/auctions/settlement-calldata.ts'
import type { AuctionOrder } from '../../src/domain/auction/auction.ts'
import type { Proposal, Solution } from '../../src/domain/auction/solution.ts'
import { unwrapCall } from '../../src/domain/settlement/calldata.ts'
import { contractFill, settlementFees } from '../../src/domain/settlement/fees.ts'
import { auctions, value } from '../fakes/market.ts'
import { auctionOrder, dollar, nativeMarker, numbered, sampleAuction, wrapped } from '../fakes/order.ts'

const solver = numbered('50')
const call = (digits: string) => ({ target: numbered(digits), value: 0n, callData: '0x' as const })

function solved(entries: AuctionOrder[], proposal: Proposal): Solution {
  const checked = checkProposal(sampleAuction(entries), solver, proposal, wrapped)
  if ('fault' in checked) throw new Error(checked.fault)
  return checked
}

it('lists uniform prices first, then a pair of indices for each trade', () => {
  const first = auctionOrder({ interactions: { pre: [call('01')], post: [call('02')] } })
  const second = auctionOrder({
    sellToken: dollar,
    buyToken: nativeMarker,
    sellAmount: 3_100_000_000n,
    buyAmount: 10n ** 18n,
    kind: 'buy',
    partiallyFillable: true,
    executedBuyAmount: 1n,
    interactions: { pre: [call('03')], post: [call('04')] },
  })
  const proposal: Proposal = {
    prices: new Map([
      [wrapped, 3_000_000_000n],
      [dollar, 10n ** 18n],
      [numbered('99'), 5n],
    ]),
    trades: [
      { orderUid: first.order.uid, executedAmount: 10n ** 18n, fee: 0n },
      { orderUid: second.order.uid, executedAmount: 10n ** 18n, fee: 7n },
    ],
    interactions: [call('05')],
    gas: 1n,
  }
  const entries = [first, second]
  expect(toSettlementPlan(sampleAuction(entries), solved(entries, proposal), wrapped)).toEqual({
    tokens: [wrapped, dollar, nativeMarker, wrapped, dollar, dollar, nativeMarker],
    clearingPrices: [
      3_000_000_000n,
      10n ** 18n,
      3_000_000_000n,
      3_000_000_000n,
      10n ** 18n,
      10n ** 18n,
      3_000_000_007n,
    ],
    trades: [
      { order: first.order, sellTokenIndex: 3, buyTokenIndex: 4, executedAmount: 10n ** 18n },
      { order: second.order, sellTokenIndex: 5, buyTokenIndex: 6, executedAmount: 10n ** 18n },
    ],
    interactions: [[call('01')], [call('05'), unwrapCall(wrapped, 10n ** 18n)], [call('02'), call('04')]],
  })
})

it('the contract pays exactly the execution, and the settlement shows exactly the fees that were charged', () => {
  let seen = 0
  const price = fc.bigInt({ min: 980n, max: 1_300n })
  const fee = fc.bigInt({ min: 0n, max: 30n })
  fc.assert(
    fc.property(auctions, price, fee, (auction, better, share) => {
      const prices = new Map(
        [...value]
          .filter(([token]) => token !== nativeMarker)
          .map(([token, atoms]) => [token, 10n ** 40n / atoms]),
      )
      for (const entry of auction.orders) {
        const { order, remaining } = entry
        const dear = new Map(prices).set(
          order.sellToken,
          ((prices.get(order.sellToken) ?? 0n) * better) / 1_000n,
        )
        const networkFee = (remaining * share) / 1_000n
        const trade =
          order.kind === 'sell'
            ? { orderUid: order.uid, executedAmount: remaining - networkFee, fee: networkFee }
            : { orderUid: order.uid, executedAmount: remaining, fee: (order.sellAmount * share) / 1_000n }
        const proposal = { prices: dear, trades: [trade], interactions: [], gas: 0n }
        const solution = checkProposal(auction, solver, proposal, wrapped)
        if ('fault' in solution) continue
        seen++
        checkPlan(entry, toSettlementPlan(auction, solution, wrapped), solution)
      }
    }),
  )
  expect(seen).toBeGreaterThan(30)
})

function checkPlan(
  { order, feePolicies }: AuctionOrder,
  plan: ReturnType<typeof toSettlementPlan>,
  { executions: [execution], proposal }: Solution,
) {
  const [trade] = plan.trades
  const [proposed] = proposal.trades
  if (!trade || !execution || !proposed) throw new Error('no trade')
  const custom = {
    sell: plan.clearingPrices[trade.sellTokenIndex] ?? 0n,
    buy: plan.clearingPrices[trade.buyTokenIndex] ?? 0n,
  }
  expect(contractFill(order, trade.executedAmount, custom)).toEqual({
    sell: execution.sell,
    buy: execution.buy,
  })
  expect(order.sellAmount * custom.sell >= order.buyAmount * custom.buy).toBe(true)

  const shown = settlementFees(plan, trade, { ...order, feePolicies })
  const token = order.kind === 'sell' ? order.buyToken : order.sellToken
  expect(shown?.protocolFees).toEqual(execution.protocolFees.map((amount) => ({ token, amount })))
  const protocol = execution.protocolFees.reduce((sum, amount) => sum + amount, 0n)
  const [sell, buy] = [plan.clearingPrices[0] ?? 0n, plan.clearingPrices[1] ?? 0n]
  if (order.kind === 'buy') expect(shown?.executedFee).toBe(execution.networkFee + protocol)
  else {
    // A fee in the buy token, as an amount of the sell token; dividing twice may lose an atom.
    const protocolInSellToken = (protocol * buy) / sell
    const rest = (shown?.executedFee ?? 0n) - execution.networkFee - protocolInSellToken
    expect(rest >= -1n && rest <= 1n).toBe(true)
  }
  // The proposed network fee, within the error of rounding a buy atom and undoing each policy.
  const atom = order.kind === 'sell' ? buy / sell + 1n : 1n
  const slack = atom * 12n ** BigInt(feePolicies.length) + 1n
  const difference = execution.networkFee - proposed.fee
  expect(difference >= -slack && difference <= slack).toBe(true)
}
