import { describe, expect, test } from 'vitest'
import { checkSubmission } from '../../../src/auctions/driver/check-submission.ts'
import { encodeSettle, encodeTrade, type Settlement } from '../../../src/chain/settlement/call.ts'
import type { AuctionOrder } from '../../../src/domain/auction/auction.ts'
import type { Claim } from '../../../src/domain/auction/solution.ts'
import { word } from '../../../src/domain/evm/abi.ts'
import type { Hex } from '../../../src/domain/evm/hex.ts'
import type { FeePolicy } from '../../../src/domain/fee/policy.ts'
import type { Interaction, Order } from '../../../src/domain/order/order.ts'
import { approveCall, transferCall } from '../../../src/domain/settlement/calldata.ts'
import { sampleNetwork } from '../../fakes/network.ts'
import {
  auctionOrder,
  coin,
  dollar,
  nativeMarker,
  numbered,
  sampleAuction,
  wrapped,
} from '../../fakes/order.ts'

const solver = numbered('50')
const unit = 10n ** 18n
const million = 10n ** 6n

interface Change {
  settlement?: Partial<Settlement>
  claims?: (claim: Claim, order: Order) => Claim
  calldata?: (calldata: Hex) => Hex
}

/** Settles whole orders: at 3,000 dollars, with these amounts for the trader. */
function check(entries: AuctionOrder[], fill = { sell: unit, buy: 2_990n * million }, change: Change = {}) {
  const calldata = encodeSettle({
    tokens: [wrapped, dollar, ...entries.flatMap(({ order }) => [order.sellToken, order.buyToken])],
    clearingPrices: [3_000n * million, unit, ...entries.flatMap(() => [fill.buy, fill.sell])],
    trades: entries.map(({ order }, index) =>
      encodeTrade(
        order,
        { sell: 2 + 2 * index, buy: 3 + 2 * index },
        order.kind === 'sell' ? fill.sell : fill.buy,
      ),
    ),
    interactions: [[], [], []],
    auctionId: 7n,
    ...change.settlement,
  })
  const claims = new Map(
    entries.map(({ order }) => {
      const { kind, sellToken, buyToken, sellAmount, buyAmount } = order
      const claim = { kind, sellToken, buyToken, sellAmount, buyAmount, executed: fill }
      return [order.uid, change.claims?.(claim, order) ?? claim]
    }),
  )
  const submission = { calldata: change.calldata?.(calldata) ?? calldata, claims }
  const proposal = { prices: new Map(), trades: [], interactions: [], gas: 200_000n, submission }
  return checkSubmission(sampleAuction(entries), solver, proposal, sampleNetwork)
}

const surplusFee: FeePolicy = { kind: 'surplus', factor: 500_000n, maxVolumeFactor: 10_000n }

describe('a settlement that is what its solver claims', () => {
  test('is scored by its amounts', () => {
    const entry = auctionOrder()
    expect(check([entry])).toMatchObject({
      solver,
      executions: [{ orderUid: entry.order.uid, sell: unit, buy: 2_990n * million, protocolFees: [] }],
      // Ninety dollars.
      score: 29_999_999_999_999_999n,
    })
  })

  test('is scored with the protocol fees that it withholds', () => {
    const solution = check([auctionOrder({}, [surplusFee])], { sell: unit, buy: 2_950n * million })
    if ('fault' in solution) throw new Error(solution.fault)
    const [fee = 0n] = solution.executions[0]?.protocolFees ?? []
    // A hundredth of the volume limits the half of the surplus.
    expect(fee).toBe((2_950n * million) / 99n)
    expect(solution.score).toBe(((50n * million + fee) * (10n ** 30n / 3_000n)) / unit)
  })

  test('is not scored with fees that its prices do not withhold', () => {
    const entry = auctionOrder({}, [surplusFee])
    const without = { clearingPrices: [2_950n * million, unit, 2_950n * million, unit] }
    expect(check([entry], { sell: unit, buy: 2_950n * million }, { settlement: without })).toMatchObject({
      executions: [{ protocolFees: [0n] }],
    })
  })

  test('may fill a part of an order, buy, pay the native coin, and run the calls of its orders', () => {
    const call = { target: numbered('77'), value: 0n, callData: '0x1234' } as const
    const hooked = auctionOrder({ interactions: { pre: [call], post: [call] } })
    const calls = [[call], [], [call]] as const
    const part = auctionOrder({ partiallyFillable: true, sellAmount: 2n * unit, buyAmount: 5_000n * million })
    const bought = auctionOrder({ kind: 'buy', sellToken: dollar, buyToken: wrapped, buyAmount: unit })
    const buying = { ...bought.order, sellAmount: 3_100n * million }
    const native = auctionOrder({
      buyToken: nativeMarker,
      sellToken: dollar,
      buyAmount: 1n,
      sellAmount: unit,
    })
    expect(check([hooked], undefined, { settlement: { interactions: calls } })).toHaveProperty('score')
    expect(check([part])).toHaveProperty('score')
    expect(check([{ ...bought, order: buying }], { sell: 3_050n * million, buy: unit })).toHaveProperty(
      'score',
    )
    const tokens = [dollar, nativeMarker, dollar, nativeMarker]
    expect(check([native], { sell: unit, buy: 5n }, { settlement: { tokens } })).toHaveProperty('score')
  })
})

describe('a settlement that is refused', () => {
  const call = (callData: Hex, target = numbered('77')): Interaction => ({ target, value: 0n, callData })
  const running = (...calls: Interaction[]): Change => ({ settlement: { interactions: [[], calls, []] } })
  const hooked = auctionOrder({ interactions: { pre: [call('0x12')], post: [] } })
  const other = auctionOrder({ owner: numbered('0e'), signature: `0x${'01'.repeat(65)}` })
  const claiming = (more: Partial<Claim>): Change => ({ claims: (claim) => ({ ...claim, ...more }) })
  const entry = auctionOrder()
  /** 4,000 offsets to one list: as long as 4,000 of them. */
  const bomb = `0x13d79a0b${[0x80n, 0x80n, 0x80n, 0xa0n].map(word).join('')}${word(4_000n)}${word(0x60n).repeat(4_000)}`

  test.each<[string, string | RegExp, AuctionOrder[], { sell: bigint; buy: bigint } | undefined, Change]>([
    ['is none', 'is no settlement', [entry], undefined, { calldata: () => '0x1234' }],
    ['is cut off', 'is no settlement', [entry], undefined, { calldata: (text) => text.slice(0, 700) as Hex }],
    ['is too long', 'this much calldata', [entry], undefined, running(call(`0x${'12'.repeat(2 ** 17)}`))],
    ['costs much to decode', 'is no settlement', [entry], undefined, { calldata: () => bomb as Hex }],
    [
      'is of another auction',
      'does not end with the id',
      [entry],
      undefined,
      { settlement: { auctionId: 8n } },
    ],
    [
      'has no auction',
      'does not end with the id',
      [entry],
      undefined,
      { calldata: (text) => text.slice(0, -16) as Hex },
    ],
    ['trades nothing', 'trades other orders', [entry], undefined, { settlement: { trades: [] } }],
    [
      'trades an order with another signature',
      'that the solution does not have',
      [entry],
      undefined,
      { settlement: { trades: [encodeTrade(other.order, { sell: 2, buy: 3 }, unit)] } },
    ],
    [
      'claims more than it pays',
      'instead of 1000000000000000000 for 2990000001',
      [entry],
      undefined,
      claiming({ executed: { sell: unit, buy: 2_990n * million + 1n } }),
    ],
    ['claims another limit', 'other tokens or limits', [entry], undefined, claiming({ buyAmount: 1n })],
    ['claims another token', 'other tokens or limits', [entry], undefined, claiming({ buyToken: coin })],
    ['claims the other side', 'other tokens or limits', [entry], undefined, claiming({ kind: 'buy' })],
    ['pays less than the limit', 'breaks the limit price', [entry], { sell: unit, buy: 2_899_999_999n }, {}],
    [
      'fills more than remains',
      'filled beyond what remains',
      [{ ...auctionOrder({ partiallyFillable: true }), remaining: unit / 2n }],
      undefined,
      {},
    ],
    [
      'has a price of zero',
      'no clearing price',
      [entry],
      undefined,
      { settlement: { clearingPrices: [0n, unit, 2_990n * million, unit] } },
    ],
    ['leaves out a call that its order has signed', 'lacks calls', [hooked], undefined, {}],
    [
      'calls the settlement contract',
      'may not call',
      [entry],
      undefined,
      running(call('0x', sampleNetwork.settlement)),
    ],
    [
      'gives an allowance',
      /allowance of 0x(66)+ outlasts/,
      [entry],
      undefined,
      running(approveCall(dollar, numbered('66'), 1n)),
    ],
    [
      'gives an allowance again',
      'outlasts the settlement',
      [entry],
      undefined,
      running(approveCall(dollar, numbered('66'), 0n), approveCall(dollar, numbered('66'), 1n)),
    ],
    [
      'makes an operator',
      'gives a right',
      [entry],
      undefined,
      running(call(`0xa22cb465${word(numbered('66'))}${word(1n)}`, dollar)),
    ],
  ])('because it %s', (_, fault, entries, fill, change) => {
    expect(check(entries, fill, change)).toMatchObject({
      fault: typeof fault === 'string' ? expect.stringContaining(fault) : expect.stringMatching(fault),
    })
  })

  test('an allowance that ends with the settlement is none', () => {
    const calls = [approveCall(dollar, numbered('66'), 5n), approveCall(dollar, numbered('66'), 0n)]
    expect(check([entry], undefined, running(transferCall(dollar, solver, 1n), ...calls))).toHaveProperty(
      'score',
    )
  })

  test('an order of no auction', () => {
    const solution = checkSubmission(
      sampleAuction([entry]),
      solver,
      {
        prices: new Map(),
        trades: [],
        interactions: [],
        gas: 1n,
        submission: {
          calldata: encodeSettle({
            tokens: [wrapped, dollar],
            clearingPrices: [1n, 1n],
            interactions: [[], [], []],
            auctionId: 7n,
            trades: [encodeTrade(other.order, { sell: 0, buy: 1 }, unit)],
          }),
          claims: new Map([[other.order.uid, { ...other.order, executed: { sell: unit, buy: unit } }]]),
        },
      },
      sampleNetwork,
    )
    expect(solution).toMatchObject({ fault: expect.stringContaining('that the solution does not have') })
  })
})
