import { describe, expect, it } from 'vitest'
import { checkProposal } from '../../src/auctions/check-proposal.ts'
import type { AuctionOrder } from '../../src/domain/auction/auction.ts'
import type { Proposal } from '../../src/domain/auction/solution.ts'
import { auctionOrder, dollar, nativeMarker, numbered, sampleAuction, wrapped } from '../fakes/order.ts'

const solver = numbered('50')
const million = 10n ** 6n

/** Sells one coin at 3,000 dollars, with a hundredth of it as the network fee. */
function proposal(entries: AuctionOrder[], change: Partial<Proposal> = {}, fee = 10n ** 16n): Proposal {
  return {
    prices: new Map([
      [wrapped, 3_000n * million],
      [dollar, 10n ** 18n],
    ]),
    trades: entries.map(({ order, remaining }) => ({
      orderUid: order.uid,
      executedAmount: order.kind === 'sell' ? remaining - fee : remaining,
      fee,
    })),
    interactions: [],
    gas: 200_000n,
    ...change,
  }
}

function check(entries: AuctionOrder[], proposed = proposal(entries)) {
  return checkProposal(sampleAuction(entries), solver, proposed, wrapped)
}

describe('a valid proposal', () => {
  it('gives a sell order the rest at the uniform price, and scores its surplus in native atoms', () => {
    const entry = auctionOrder()
    expect(check([entry])).toMatchObject({
      solver,
      executions: [
        {
          orderUid: entry.order.uid,
          sell: 10n ** 18n,
          buy: 2_970n * million,
          networkFee: 10n ** 16n,
          protocolFees: [],
        },
      ],
      score: (70n * million * (10n ** 30n / 3_000n)) / 10n ** 18n,
      pairScores: new Map([[`${wrapped}>${dollar}`, (70n * million * (10n ** 30n / 3_000n)) / 10n ** 18n]]),
    })
  })

  it('adds the network fee to what a buy order sells', () => {
    const entry = auctionOrder({ kind: 'buy', buyAmount: 2_900n * million })
    const sold = (2_900n * 10n ** 18n + 2_999n) / 3_000n
    expect(check([entry])).toMatchObject({
      executions: [{ sell: sold + 10n ** 16n, buy: 2_900n * million, networkFee: 10n ** 16n }],
    })
  })

  it('applies fee policies in sequence, and counts protocol fees in the score', () => {
    const entry = auctionOrder({}, [
      { kind: 'volume', factor: 10_000n },
      { kind: 'surplus', factor: 500_000n, maxVolumeFactor: 100_000n },
    ])
    // 2,970 − 29.7 leaves 40.3 over the limit; half of it is taken.
    expect(check([entry])).toMatchObject({
      executions: [{ buy: 2_920_150_000n, protocolFees: [29_700_000n, 20_150_000n] }],
      score: (70n * million * (10n ** 30n / 3_000n)) / 10n ** 18n,
    })
  })

  it('fills an order in part, with its limit pro rata', () => {
    const entry = { ...auctionOrder({ partiallyFillable: true }), remaining: 10n ** 17n }
    expect(check([entry], proposal([entry], {}, 10n ** 15n))).toMatchObject({
      executions: [{ sell: 10n ** 17n, buy: 297n * million }],
    })
  })

  it('treats the native coin as its wrapped form', () => {
    const entry = auctionOrder({
      sellToken: dollar,
      buyToken: nativeMarker,
      sellAmount: 3_100n * million,
      buyAmount: 10n ** 18n,
    })
    const checked = check([entry], proposal([entry], {}, 0n))
    expect(checked).toMatchObject({
      pairScores: new Map([[`${dollar}>${wrapped}`, 33_333_333_333_333_333n]]),
    })
  })
})

it('gives a proposal that leaves its order no surplus the score 0', () => {
  const entry = auctionOrder()
  const prices = new Map([
    [wrapped, 2_900_000_000n],
    [dollar, 10n ** 18n],
  ])
  expect(check([entry], proposal([entry], { prices }, 0n))).toMatchObject({
    score: 0n,
    pairScores: new Map([[`${wrapped}>${dollar}`, 0n]]),
  })
})

describe('an invalid proposal', () => {
  const entry = auctionOrder()
  const other = auctionOrder({ validTo: 1_999_999_999 })
  const trade = { orderUid: entry.order.uid, executedAmount: 10n ** 18n, fee: 0n }
  it.each<[string, Partial<Proposal>, string]>([
    ['trades nothing', { trades: [] }, 'no score'],
    ['trades an order twice', { trades: [trade, trade] }, 'traded twice'],
    [
      'trades an order of another auction',
      { trades: [{ ...trade, orderUid: other.order.uid }] },
      'not in the auction',
    ],
    ['lacks a price', { prices: new Map([[wrapped, 1n]]) }, 'no clearing price'],
    [
      'has a price of zero',
      {
        prices: new Map([
          [wrapped, 1n],
          [dollar, 0n],
        ]),
      },
      'no clearing price',
    ],
    [
      'has a price above uint256',
      {
        prices: new Map([
          [wrapped, 2n ** 256n],
          [dollar, 1n],
        ]),
      },
      'no clearing price',
    ],
    [
      'fills a part of a fill-or-kill order',
      { trades: [{ ...trade, executedAmount: 10n ** 17n }] },
      'filled whole',
    ],
    ['fills too much', { trades: [{ ...trade, executedAmount: 10n ** 18n + 1n }] }, 'beyond what remains'],
    ['sells too much with its fee', { trades: [{ ...trade, fee: 1n }] }, 'beyond what remains'],
    [
      'pays the trader to trade',
      { trades: [{ ...trade, executedAmount: 10n ** 18n + 1n, fee: -1n }] },
      'positive',
    ],
    ['executes nothing', { trades: [{ ...trade, executedAmount: 0n, fee: 10n ** 18n }] }, 'positive'],
    [
      'breaks the limit by an atom',
      {
        prices: new Map([
          [wrapped, 2_899_999_999n],
          [dollar, 10n ** 18n],
        ]),
      },
      'limit',
    ],
  ])('%s', (_, change, fault) => {
    expect(check([entry], proposal([entry], change, 0n))).toMatchObject({
      fault: expect.stringContaining(fault),
    })
  })

  it('is rejected as a whole for one invalid trade', () => {
    const bad = auctionOrder({ validTo: 1, buyAmount: 3_000n * million })
    expect(check([entry, bad])).toMatchObject({ fault: expect.stringContaining(bad.order.uid) })
  })

  it('is rejected where a fee policy breaks the limit price', () => {
    const charged = auctionOrder({}, [{ kind: 'volume', factor: 30_000n }])
    expect(check([charged])).toMatchObject({ fault: expect.stringContaining('limit') })
  })

  it('is rejected where the contract would overflow', () => {
    const huge = auctionOrder({ sellAmount: 2n ** 200n, buyAmount: 1n })
    expect(check([huge], proposal([huge], {}, 0n))).toMatchObject({
      fault: expect.stringContaining('arithmetic'),
    })
  })

  it('is rejected without a native price of the bought token', () => {
    const unknown = auctionOrder({ buyToken: numbered('ee11') })
    const prices = new Map([
      [wrapped, 3_000n * million],
      [numbered('ee11'), 10n ** 18n],
    ])
    expect(check([unknown], proposal([unknown], { prices }))).toMatchObject({
      fault: expect.stringContaining('native price'),
    })
  })

  it('is rejected for an order with a signed fee', () => {
    const signed = auctionOrder({ feeAmount: 1n })
    expect(check([signed])).toMatchObject({ fault: expect.stringContaining('signed fee') })
  })
})
