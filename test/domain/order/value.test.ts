import { expect, test } from 'vitest'
import { appCodeOf } from '../../../src/domain/app-data/document.ts'
import { zeroAddress } from '../../../src/domain/evm/address.ts'
import { accountOf } from '../../../src/domain/order/order.ts'
import { formatPriceDown } from '../../../src/domain/order/surplus.ts'
import { dollar, numbered, sampleOrder, wrapped } from '../../fakes/order.ts'
import {
  effectiveReceiver,
  executedFractionDown,
  executedPrice,
  limitPrice,
  orderSurplusDown,
} from '../../fakes/order-value.ts'

const third = { sellAmount: 3n, buyAmount: 7n }

test.each([
  [{ kind: 'sell' as const, executedSellAmount: 1n }, '0.333333333333333333'],
  [{ kind: 'sell' as const, executedSellAmount: 3n, executedFeeAmount: 1n }, '0.666666666666666666'],
  [{ kind: 'buy' as const, executedBuyAmount: 7n }, '1'],
  [{ kind: 'buy' as const, executedBuyAmount: 0n }, '0'],
  [
    { kind: 'sell' as const, sellAmount: 10n ** 30n, executedSellAmount: 10n ** 30n - 1n },
    '0.999999999999999999',
  ],
  [{ kind: 'sell' as const, sellAmount: 0n }, '0'],
])('the filled fraction of %o is %s', (order, fraction) => {
  expect(executedFractionDown(sampleOrder({ ...third, ...order }))).toBe(fraction)
})

test('a price is an exact fraction, and its decimal is never above it', () => {
  const order = sampleOrder({
    ...third,
    executedSellAmount: 4n,
    executedFeeAmount: 1n,
    executedBuyAmount: 8n,
  })
  expect([limitPrice(order), executedPrice(order)]).toEqual([
    { numerator: 7n, denominator: 3n },
    { numerator: 8n, denominator: 3n },
  ])
  expect(formatPriceDown({ numerator: 8n, denominator: 3n })).toBe(`2.${'6'.repeat(36)}`)
  expect([executedPrice(sampleOrder()), limitPrice(sampleOrder({ sellAmount: 0n }))]).toEqual([null, null])
})

test('whom an order concerns, and whom it pays', () => {
  const [owner, other] = [numbered('0f'), numbered('0e')]
  expect([accountOf(sampleOrder()), accountOf(sampleOrder({ onchainUser: other }))]).toEqual([owner, other])
  const paid = [null, zeroAddress, other].map((receiver) => effectiveReceiver(sampleOrder({ receiver })))
  expect(paid).toEqual([owner, owner, other])
})

test('surplus is in the token whose amount the order does not fix', () => {
  const sell = sampleOrder({ ...third, executedSellAmount: 2n, executedBuyAmount: 8n })
  expect(orderSurplusDown(sell)).toEqual({ amount: 3n, token: dollar })
  const buy = sampleOrder({ ...third, kind: 'buy', executedSellAmount: 2n, executedBuyAmount: 7n })
  expect(orderSurplusDown(buy)).toEqual({ amount: 1n, token: wrapped })
})

test.each([
  ['{"appCode":"Shop"}', 'Shop'],
  ['{"appCode":"a","appCode":"b"}', 'b'],
  ['{"appCode":""}', ''],
  ['{"appCode":7}', null],
  ['{"appCode":"a\\u0000"}', null],
  [`{"appCode":"${'a'.repeat(100)}"}`, 'a'.repeat(100)],
  [`{"appCode":"${'a'.repeat(101)}"}`, null],
  ['{"metadata":{"appCode":"inside"}}', null],
  ['[]', null],
  ['null', null],
  ['no JSON', null],
  [null, null],
])('the appCode of %s is %s', (document, name) => {
  expect(appCodeOf(document)).toBe(name)
})
