import { describe, expect, test } from 'vitest'
import {
  centsDown,
  type FilledOrder,
  feesOf,
  qualityDown,
} from '../../src/server/pages/browser/order/fill.ts'
import { leftToSellUp } from '../../src/server/pages/browser/view/orders.ts'

const [sellToken, buyToken] = [{ address: '0xa1' }, { address: '0xb2' }]
type Trade = FilledOrder['trades']['nodes'][number]

const trade = (more: Partial<Trade> = {}): Trade => ({
  sellAmountBeforeFees: '1000',
  buyAmount: '3010',
  executedProtocolFees: [],
  execution: { executedFee: '12', networkFee: '12' },
  nativePrices: [
    { price: '3020', token: sellToken },
    { price: '1000', token: buyToken },
  ],
  ...more,
})

/** Sells 1,000 atoms for 3,000 or more, got 3,010, and was quoted 3,008 for all of it. */
const order = (more: Partial<FilledOrder> = {}, ...trades: Trade[]): FilledOrder => ({
  kind: 'SELL',
  sellAmount: '1000',
  buyAmount: '3000',
  feeAmount: '0',
  sellToken,
  buyToken,
  executedSellAmountBeforeFees: '1000',
  executedBuyAmount: '3010',
  executedFeeAmount: '0',
  executedFee: '12',
  executedFeeToken: sellToken,
  fullAppData: null,
  quote: { sellAmount: '1000', buyAmount: '3018', feeAmount: '3' },
  trades: { pageInfo: { hasNextPage: false }, nodes: trades.length > 0 ? trades : [trade()] },
  ...more,
})

describe('how good a trade was', () => {
  test('a sale is compared with limit, quote after its fee, and market', () => {
    expect(qualityDown(order())).toEqual({
      limit: { referenceAmount: 3_000n, amount: 10n, share: 3_333n },
      // 3,018 less 9 (9.054, rounded down) for the fee of 3.
      quote: { referenceAmount: 3_009n, amount: 1n, share: 332n },
      market: { referenceAmount: 3_020n, amount: -10n, share: -3_312n },
    })
  })

  test('a purchase is compared by what it paid', () => {
    const bought = { kind: 'BUY', sellAmount: '1010', quote: null } as const
    expect(qualityDown(order({ ...bought, buyAmount: '3010' }))).toEqual({
      limit: { referenceAmount: 1_010n, amount: 10n, share: 9_900n },
      quote: undefined,
      // 3,010 × 1,000 / 3,020 is 996.7.
      market: { referenceAmount: 996n, amount: -4n, share: -4_017n },
    })
  })

  test('each trade has the market of its auction, and the sums are compared', () => {
    const nativePrices = [
      { price: '2', token: sellToken },
      { price: '1', token: buyToken },
    ]
    const second = trade({ sellAmountBeforeFees: '500', buyAmount: '1010', nativePrices })
    expect(qualityDown(order({}, trade(), second)).market).toEqual({
      referenceAmount: 4_020n,
      amount: 0n,
      share: 0n,
    })
    const unknown = trade({ nativePrices: [{ price: '2', token: sellToken }] })
    expect(qualityDown(order({}, trade(), unknown)).market).toBeUndefined()
    const nodes = [trade()]
    const cut = order({ trades: { pageInfo: { hasNextPage: true }, nodes } })
    expect(qualityDown(cut).market).toBeUndefined()
  })
})

const partnerFee = (count: number) =>
  JSON.stringify({
    metadata: {
      partnerFee: Array.from({ length: count }, () => ({ volumeBps: 10, recipient: `0x${'5'.repeat(40)}` })),
    },
  })
const charged = (...amounts: number[]) =>
  amounts.map((amount) => ({ amount: String(amount), token: buyToken }))

describe('the fees', () => {
  test('are those of the network alone without others', () => {
    expect(feesOf(order())).toEqual({ total: 12n, parts: { network: 12n, service: 0n, partner: 0n } })
  })

  test('of network, service and partner add up to the total', () => {
    const execution = { executedFee: '12', networkFee: '2' }
    const fullAppData = partnerFee(1)
    const one = trade({ execution, executedProtocolFees: charged(20, 11) })
    expect(feesOf(order({ fullAppData }, one))).toEqual({
      total: 12n,
      // 10 × 11 / 31 is 3.5.
      parts: { network: 2n, service: 7n, partner: 3n },
      taken: { service: 20n, partner: 11n, token: buyToken.address },
    })
    const alone = trade({ execution, executedProtocolFees: charged(30) })
    expect(feesOf(order({ fullAppData }, alone)).parts).toEqual({ network: 2n, service: 0n, partner: 10n })
    expect(feesOf(order({}, alone)).parts).toEqual({ network: 2n, service: 10n, partner: 0n })
    const two = order({ fullAppData: partnerFee(2), executedFee: '24' }, alone, one)
    expect(feesOf(two).parts).toEqual({ network: 4n, service: 0n, partner: 20n })
  })

  test('have no parts where the service does not know all of them', () => {
    const old = trade({ execution: { executedFee: '12', networkFee: null } })
    expect(feesOf(order({}, old))).toEqual({ total: 12n })
    expect(feesOf(order({}, trade({ execution: null })))).toEqual({ total: 12n })
    expect(feesOf(order({ executedFee: '13' }))).toEqual({ total: 13n })
    const cut = { pageInfo: { hasNextPage: true }, nodes: [trade()] }
    expect(feesOf(order({ trades: cut }))).toEqual({ total: 12n })
  })

  test('of a document that is none count as the service’s', () => {
    const execution = { executedFee: '12', networkFee: '2' }
    const one = trade({ execution, executedProtocolFees: charged(20) })
    expect(feesOf(order({ fullAppData: '{"partnerFee"' }, one)).parts?.partner).toBe(0n)
  })
})

describe('the amount to approve', () => {
  const left = (more: Partial<FilledOrder>) =>
    leftToSellUp(order({ executedSellAmountBeforeFees: '0', ...more }))

  test('is what is left to sell, with the rest of the signed fee', () => {
    expect(left({})).toBe(1_000n)
    expect(left({ executedSellAmountBeforeFees: '400' })).toBe(600n)
    expect(left({ executedSellAmountBeforeFees: '400', feeAmount: '50', executedFeeAmount: '20' })).toBe(630n)
  })

  test('of a purchase is rounded up', () => {
    const bought = { kind: 'BUY', sellAmount: '1000', buyAmount: '3000' } as const
    expect(left({ ...bought, executedBuyAmount: '0' })).toBe(1_000n)
    expect(left({ ...bought, executedBuyAmount: '1000' })).toBe(667n)
  })
})

test('the value of an amount is in cents, rounded down', () => {
  expect(centsDown(1_500_000n, 6, '0.999')).toBe(149n)
  expect(centsDown(10n ** 18n, 18, '2993.4567')).toBe(299_345n)
  expect(centsDown(1n, 0, '3')).toBe(300n)
  expect(centsDown(10n ** 30n, 18, '0.000000000000000001')).toBe(0n)
  expect(centsDown(10n ** 34n, 18, '0.000000000000000001')).toBe(1n)
})
