import { expect, test } from 'vitest'
import {
  type FeeTaken,
  lastAttributedBlock,
  maxAccountRange,
  settlementAmounts,
} from '../../../src/domain/settlement/accounting.ts'
import { coin, dollar, numbered, wrapped } from '../../fakes/order.ts'

const partner = numbered('9a')
const fee = (
  kind: FeeTaken['kind'],
  token: FeeTaken['token'],
  amount: bigint,
  more: Partial<FeeTaken> = {},
) => ({ kind, policy: null, recipient: null, token, amount, ...more })
const half = 10n ** 18n / 2n
const prices = new Map([
  [wrapped, 10n ** 18n],
  [dollar, half],
])

test('fees are summed by kind, policy, recipient and token, and slippage is the rest', () => {
  const volume = { policy: 'volume' as const }
  const fees: FeeTaken[] = [
    fee('network', wrapped, 3n),
    fee('network', wrapped, 4n),
    fee('network', dollar, 5n),
    fee('protocol', dollar, 7n, volume),
    fee('protocol', dollar, 1n, { policy: 'surplus' }),
    fee('partner', dollar, 2n, { ...volume, recipient: partner }),
    fee('partner', dollar, 6n, { ...volume, recipient: numbered('9b') }),
    fee('protocol', coin, 0n, volume),
  ]
  const changes = new Map([
    [wrapped, 10n],
    [dollar, 20n],
    [coin, 8n],
    [numbered('dd'), 0n],
  ])
  expect(settlementAmounts(fees, changes, prices)).toEqual([
    { ...fee('network', wrapped, 7n), value: 7n },
    { ...fee('network', dollar, 5n), value: 2n },
    { ...fee('protocol', dollar, 7n, volume), value: 3n },
    { ...fee('protocol', dollar, 1n, { policy: 'surplus' }), value: 0n },
    { ...fee('partner', dollar, 2n, { ...volume, recipient: partner }), value: 1n },
    { ...fee('partner', dollar, 6n, { ...volume, recipient: numbered('9b') }), value: 3n },
    { ...fee('network', wrapped, 3n), kind: 'slippage', value: 3n },
    { ...fee('network', dollar, -1n), kind: 'slippage', value: -1n },
    { ...fee('network', coin, 8n), kind: 'slippage', value: null },
  ])
})

test.each([
  [3n, 1n],
  [-2n, -1n],
  [-3n, -2n],
])('a slippage of %d atoms at half a native atom each is worth %d', (amount, value) => {
  expect(settlementAmounts([], new Map([[dollar, amount]]), prices)[0]?.value).toBe(value)
})

test('blocks within six hours of a deadline, and those of a week', () => {
  expect(lastAttributedBlock(1_000, 12_000)).toBe(2_800)
  expect(lastAttributedBlock(0, 7_000)).toBe(3_086)
  expect([maxAccountRange(12_000), maxAccountRange(7_000)]).toEqual([50_400, 86_400])
})
