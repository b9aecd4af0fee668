import { describe, expect, test } from 'vitest'
import { maxUint256 } from '../../../src/domain/amount.ts'
import type { AuctionOrder } from '../../../src/domain/auction/auction.ts'
import type { Execution, Proposal, Solution } from '../../../src/domain/auction/solution.ts'
import type { FeePolicy } from '../../../src/domain/fee/policy.ts'
import { bookingsOf } from '../../../src/domain/settlement/accounting.ts'
import {
  filledFault,
  fillOutcome,
  grossFill,
  tradeOutcome,
} from '../../../src/domain/settlement/execution.ts'
import { chargedFees, contractFill, settlementFees } from '../../../src/domain/settlement/fees.ts'
import {
  auctionOrder,
  coin,
  dollar,
  nativeMarker,
  numbered,
  sampleAuction,
  wrapped,
} from '../../fakes/order.ts'

const volume = (factor: bigint): FeePolicy => ({ kind: 'volume', factor })
const valuation = {
  nativePrices: new Map([
    [wrapped, 10n ** 18n],
    [dollar, 2n * 10n ** 18n],
  ]),
  wrappedNative: wrapped,
}
/** 3 dollars for a wrapped coin. */
const uniform = { sell: 3n, buy: 1n }
const entry = (more: Parameters<typeof auctionOrder>[0] = {}, policies: FeePolicy[] = []): AuctionOrder =>
  auctionOrder({ sellAmount: 1_000n, buyAmount: 2_000n, ...more }, policies)
const trade = ({ order }: AuctionOrder, executedAmount: bigint, fee: bigint) => ({
  orderUid: order.uid,
  executedAmount,
  fee,
})

describe('a trade of a solution', () => {
  test('of a sell order pays the network fee on top, and protocol fees from what is bought', () => {
    const sells = entry({}, [volume(10_000n)])
    expect(tradeOutcome(sells, trade(sells, 990n, 10n), uniform, valuation)).toEqual({
      execution: {
        orderUid: sells.order.uid,
        sell: 1_000n,
        buy: 2_941n,
        networkFee: 10n,
        feeSide: 'sell',
        protocolFees: [29n],
      },
      // 941 atoms beyond the limit, and the fee of 29, at two native atoms each.
      score: 1_940n,
    })
  })

  test('of a buy order pays both on top of what is sold', () => {
    const buys = entry({ kind: 'buy' }, [volume(10_000n)])
    expect(tradeOutcome(buys, trade(buys, 2_000n, 10n), uniform, valuation)).toEqual({
      execution: {
        orderUid: buys.order.uid,
        sell: 683n,
        buy: 2_000n,
        networkFee: 10n,
        feeSide: 'sell',
        protocolFees: [6n],
      },
      // (1,000 - 683 + 6) · 2 dollar atoms for each sell atom, at two native atoms each.
      score: 1_292n,
    })
  })

  test('is rounded in favour of the settlement', () => {
    const sold = { orderUid: entry().order.uid, executedAmount: 10n, fee: 1n }
    expect(grossFill('sell', sold, { sell: 2n, buy: 3n })).toEqual({ sell: 11n, buy: 6n })
    expect(grossFill('buy', sold, { sell: 3n, buy: 2n })).toEqual({ sell: 8n, buy: 10n })
  })

  const fault = (given: AuctionOrder, executedAmount: bigint, fee: bigint) =>
    tradeOutcome(given, trade(given, executedAmount, fee), uniform, valuation)
  const whole = { fault: 'can only be filled whole', code: 'invalid_amount' }
  const beyond = { fault: 'is filled beyond what remains', code: 'invalid_amount' }
  const nothing = { fault: 'has no positive amount', code: 'invalid_amount' }

  test.each([
    ['nothing', entry(), 0n, 1_000n, nothing],
    ['a negative fee', entry(), 1_001n, -1n, nothing],
    ['too little of a whole order', entry(), 989n, 10n, whole],
    ['too much with its fee', entry(), 990n, 11n, beyond],
    ['too much of a buy order', entry({ kind: 'buy' }), 2_001n, 0n, beyond],
    ['too little of a buy order, whose fee does not count', entry({ kind: 'buy' }), 1_990n, 10n, whole],
    [
      'an order with a signed fee',
      entry({ feeAmount: 1n }),
      990n,
      10n,
      { fault: 'has a signed fee', code: 'unsupported' },
    ],
  ])('is refused with %s', (_, given, executedAmount, fee, expected) => {
    expect(fault(given, executedAmount, fee)).toEqual(expected)
  })

  test('may fill a part of an order that takes parts', () => {
    expect(filledFault(entry({ partiallyFillable: true }), 1n)).toBeUndefined()
    expect(filledFault(entry({ partiallyFillable: true }), 1_001n)).toEqual(beyond)
  })

  test('keeps the limit price', () => {
    const at = (buy: bigint) => fillOutcome(entry(), { sell: 1_000n, buy }, { sell: 2n, buy: 1n }, valuation)
    expect(at(2_000n)).toMatchObject({ score: 0n })
    expect(at(1_999n)).toEqual({ fault: 'breaks the limit price', code: 'invalid_price' })
  })

  test.each([
    [0n, 1n],
    [1n, 0n],
  ])('trades something: not %d for %d', (sell, buy) => {
    expect(fillOutcome(entry({ sellAmount: 1n, buyAmount: 1n }), { sell, buy }, uniform, valuation)).toEqual({
      fault: 'trades nothing',
      code: 'invalid_amount',
    })
  })

  test('has prices of what it is scored in', () => {
    const fill = { sell: 1_000n, buy: 3_000n }
    expect(fillOutcome(entry({ buyToken: coin }), fill, uniform, valuation)).toEqual({
      fault: 'has no native price',
      code: 'no_score',
    })
    expect(fillOutcome(entry({ buyToken: nativeMarker }), fill, uniform, valuation)).toMatchObject({
      score: 1_000n,
    })
  })

  test('stays within the arithmetic of the settlement contract', () => {
    const large = { fault: "exceeds the settlement contract's arithmetic", code: 'invalid_amount' }
    const at = (sellAmount: bigint, buyAmount: bigint, sell: bigint, buy: bigint) =>
      fillOutcome(entry({ sellAmount, buyAmount }), { sell, buy }, { sell: buy, buy: sell }, valuation)
    expect(at(1n, 1n, 1n, maxUint256)).toMatchObject({ score: 2n * (maxUint256 - 1n) })
    expect(at(1n, 1n, 1n, maxUint256 + 1n)).toEqual(large)
    const half = 2n ** 128n
    expect(at(half, half, half - 1n, half - 1n)).toMatchObject({ score: 0n })
    expect(at(half, half - 1n, half, half)).toEqual(large)
    expect(at(half - 1n, half, half, half + 2n)).toEqual(large)
    // Of the bought amount alone, and exactly the largest of the sold.
    expect(at(2n, 1n, 1n, half * half)).toEqual(large)
    const [max, price] = [2n ** 128n - 1n, 2n ** 128n + 1n]
    expect(at(price, max, price, max)).toMatchObject({ score: 0n })
  })
})

describe('the fees of a settlement on chain', () => {
  const tokens = [wrapped, dollar, wrapped, dollar]
  /** Uniform prices, then those of the trade, which gets 2,900 for 1,000. */
  const decoded = { tokens, clearingPrices: [3n, 1n, 29n, 10n] }
  const at = (sellTokenIndex: number, buyTokenIndex: number, executedAmount = 0n) => ({
    sellTokenIndex,
    buyTokenIndex,
    executedAmount,
  })
  const charged = (
    more: Parameters<typeof auctionOrder>[0] = {},
    policies: FeePolicy[] = [volume(10_000n)],
  ) => {
    const { order } = entry(more)
    return { ...order, feePolicies: policies, quote: null }
  }

  test('of a sell order are what it lacks against the uniform price', () => {
    expect(settlementFees(decoded, at(2, 3), charged())).toEqual({
      feeToken: wrapped,
      executedFee: 33n,
      networkFee: 23n,
      protocolFees: [{ token: dollar, amount: 29n }],
    })
  })

  test('of a buy order are what it pays beyond the uniform price', () => {
    const order = charged({ kind: 'buy', buyAmount: 2_900n })
    // It pays 1,000 where 967 would do; a hundredth of what it pays without the fee is 9.
    expect(settlementFees(decoded, at(2, 3), order)).toEqual({
      feeToken: wrapped,
      executedFee: 33n,
      networkFee: 24n,
      protocolFees: [{ token: wrapped, amount: 9n }],
    })
  })

  test('of a part are of its executed amount', () => {
    const part = settlementFees(decoded, at(2, 3, 500n), charged({ partiallyFillable: true }, []))
    expect(part).toEqual({ feeToken: wrapped, executedFee: 16n, networkFee: 16n, protocolFees: [] })
    expect(contractFill(charged(), 500n, { sell: 29n, buy: 10n })).toEqual({ sell: 1_000n, buy: 2_900n })
    const buys = charged({ kind: 'buy', partiallyFillable: true })
    expect(contractFill(buys, 100n, { sell: 29n, buy: 10n })).toEqual({ sell: 34n, buy: 100n })
    expect(contractFill(charged(), 0n, { sell: 29n, buy: 11n })).toEqual({ sell: 1_000n, buy: 2_637n })
  })

  test('are zero at the uniform price itself', () => {
    expect(settlementFees(decoded, at(0, 1), charged())).toEqual({
      feeToken: wrapped,
      executedFee: 0n,
      networkFee: 0n,
      protocolFees: [{ token: dollar, amount: 0n }],
    })
  })

  test.each([
    ['no such sell token', { ...decoded }, at(4, 3)],
    ['no such buy token', { ...decoded }, at(2, 4)],
    ['a price of 0', { tokens, clearingPrices: [3n, 1n, 0n, 10n] }, at(2, 3)],
    ['a buy price of 0', { tokens, clearingPrices: [3n, 1n, 29n, 0n] }, at(2, 3)],
    ['a uniform price of 0', { tokens, clearingPrices: [0n, 1n, 29n, 10n] }, at(2, 3)],
    ['no price', { tokens, clearingPrices: [3n, 1n, 29n] }, at(2, 3)],
  ])('are unknown with %s', (_, settlement, given) => {
    expect(settlementFees(settlement, given, charged())).toBeUndefined()
  })

  test('undo policies last to first', () => {
    const order = charged({}, [volume(100_000n), volume(500_000n)])
    // 3,000 less a tenth is 2,700, less a half is 1,350.
    expect(chargedFees({ ...order, buyAmount: 1_000n }, { sell: 1_000n, buy: 1_350n }, uniform)).toEqual({
      side: 'sell',
      total: 550n,
      network: 0n,
      protocol: [300n, 1_350n],
    })
  })

  const surplus = (factor: bigint, maxVolumeFactor: bigint): FeePolicy => ({
    kind: 'surplus',
    factor,
    maxVolumeFactor,
  })
  test.each([
    ['a share of the surplus', surplus(500_000n, 900_000n), 2_200n, 200n],
    ['at most a share of the volume', surplus(500_000n, 10_000n), 2_200n, 22n],
    ['nothing without a surplus', surplus(500_000n, 900_000n), 2_000n, 0n],
    ['at most what the uniform price leaves', surplus(999_999n, 999_999n), 2_900n, 100n],
    ['all of it with a factor of one', surplus(1_000_000n, 1_000_000n), 2_900n, 100n],
  ])('take %s', (_, policy, buy, fee) => {
    expect(chargedFees(charged({}, [policy]), { sell: 1_000n, buy }, uniform).protocol).toEqual([fee])
  })
})

describe('what a settlement is to change of the contract’s balances', () => {
  const sells = entry({ sellAmount: 1_000n, buyAmount: 2_000n })
  const buys = entry({
    kind: 'buy',
    owner: numbered('0b'),
    sellToken: dollar,
    buyToken: nativeMarker,
    sellAmount: 9_000n,
    buyAmount: 1_000n,
  })
  const proposal = (internalized?: Proposal['internalized']): Proposal => ({
    prices: new Map(),
    trades: [trade(sells, 990n, 10n), trade(buys, 1_000n, 7n)],
    interactions: [],
    gas: 0n,
    ...(internalized && { internalized }),
  })
  const executions: Execution[] = [
    {
      orderUid: sells.order.uid,
      sell: 1_000n,
      buy: 2_941n,
      networkFee: 10n,
      feeSide: 'sell',
      protocolFees: [20n, 10n],
    },
    {
      orderUid: buys.order.uid,
      sell: 3_037n,
      buy: 1_000n,
      networkFee: 7n,
      feeSide: 'sell',
      protocolFees: [30n],
    },
  ]
  const solution = (of: Proposal): Solution => ({
    solver: numbered('50'),
    proposal: of,
    executions,
    score: 0n,
    pairScores: new Map(),
  })
  const priceOf = (order: { kind: string }) => (order.kind === 'sell' ? uniform : { sell: 1n, buy: 3n })
  const auction = sampleAuction([sells, buys])
  const none = { networkFee: 0n, protocolFee: 0n, internalized: 0n, least: 0n }

  test('fees by token, of which the protocol’s have to stay as far as prices withhold them', () => {
    expect(bookingsOf(solution(proposal()), auction, wrapped, priceOf)).toEqual([
      // The sell order is due 30 and lacks 29; the buy order is due 30, and pays 30 beyond the price and its
      // network fee.
      { token: dollar, networkFee: 7n, protocolFee: 60n, internalized: 0n, least: 59n },
      { token: wrapped, networkFee: 10n, protocolFee: 0n, internalized: 0n, least: 0n },
    ])
  })

  test('and what interactions that are left out would have changed', () => {
    const internalized = new Map([
      [dollar, -5n],
      [coin, 8n],
      [numbered('dd'), 0n],
    ])
    expect(bookingsOf(solution(proposal(internalized)), auction, wrapped, priceOf)).toEqual([
      { token: dollar, networkFee: 7n, protocolFee: 60n, internalized: -5n, least: 54n },
      { token: wrapped, networkFee: 10n, protocolFee: 0n, internalized: 0n, least: 0n },
      { ...none, token: coin, internalized: 8n, least: 8n },
    ])
  })

  test('an order without prices, or unknown to the auction, is left out', () => {
    const only = bookingsOf(solution(proposal()), auction, wrapped, (order) =>
      order.kind === 'buy' ? undefined : uniform,
    )
    expect(only.map(({ token, networkFee }) => [token, networkFee])).toEqual([
      [dollar, 0n],
      [wrapped, 10n],
    ])
    expect(bookingsOf(solution(proposal()), sampleAuction([]), wrapped, priceOf)).toEqual([])
  })

  test('a buy order’s price withholds less than what it is due', () => {
    const [, bought] = executions
    const dearer = bought ? [{ ...bought, sell: 3_020n }] : []
    const of = { ...solution({ ...proposal(), trades: [trade(buys, 1_000n, 7n)] }), executions: dearer }
    expect(bookingsOf(of, auction, wrapped, priceOf)).toEqual([
      { token: dollar, networkFee: 7n, protocolFee: 30n, internalized: 0n, least: 13n },
    ])
  })
})
