import { describe, expect, test } from 'vitest'
import { parseAppDataDocument } from '../../../src/domain/app-data/document.ts'
import { partnerPolicies, partnerVolumeFees } from '../../../src/domain/fee/policy.ts'

const recipient = `0x${'0a'.repeat(20)}`
const read = (partnerFee: unknown) =>
  parseAppDataDocument(JSON.stringify({ metadata: { partnerFee } })).partnerFees

describe('partner fees', () => {
  test('can be one or a list, in three forms', () => {
    expect(read({ recipient, bps: 25 })).toEqual([{ recipient, kind: 'volume', volumeBps: 25 }])
    expect(
      read([
        { recipient, volumeBps: 10 },
        { recipient, surplusBps: 2_500, maxVolumeBps: 50 },
        { recipient, priceImprovementBps: 5_000, maxVolumeBps: 20 },
      ]),
    ).toEqual([
      { recipient, kind: 'volume', volumeBps: 10 },
      { recipient, kind: 'surplus', bps: 2_500, maxVolumeBps: 50 },
      { recipient, kind: 'priceImprovement', bps: 5_000, maxVolumeBps: 20 },
    ])
  })

  test.each([
    ['no recipient', { bps: 1 }],
    ['a recipient that is no address', { recipient: '0x1', bps: 1 }],
    ['a negative fee', { recipient, bps: -1 }],
    ['a fraction', { recipient, bps: 1.5 }],
    ['two forms at once', { recipient, volumeBps: 1, surplusBps: 1, maxVolumeBps: 1 }],
    ['a surplus fee without a bound', { recipient, surplusBps: 1 }],
    ['a string', 'fee'],
    ['no form', { recipient }],
    ['a fee in a string', { recipient, bps: '1' }],
    ['a fee in a list', { recipient, bps: [1] }],
    ['more than a hundred times the volume', { recipient, bps: 1_000_001 }],
    ['a bound in a string', { recipient, surplusBps: 1, maxVolumeBps: '1' }],
    ['a recipient that is a number', { recipient: 10, bps: 1 }],
    [
      'one wrong fee among others',
      [
        { recipient, bps: 1 },
        { recipient, bps: -1 },
      ],
    ],
  ])('are refused with %s', (_name, fee) => {
    expect(() => read(fee)).toThrow('metadata.partnerFee')
  })

  test('are from 0 to a hundred times the volume', () => {
    expect(read({ recipient, bps: 0 })).toEqual([{ recipient, kind: 'volume', volumeBps: 0 }])
    expect(read({ recipient, bps: 1_000_000 })).toEqual([{ recipient, kind: 'volume', volumeBps: 1_000_000 }])
  })

  test('on the volume are known before a trade', () => {
    const fees = read([
      { recipient, volumeBps: 60 },
      { recipient, surplusBps: 5_000, maxVolumeBps: 10 },
      { recipient, volumeBps: 0 },
      { recipient, volumeBps: 100 },
    ])
    // 10,000 for all: 6,000 are taken, 1,000 may be, and what is left of the cap is taken of a volume that is
    // larger by them.
    expect(partnerVolumeFees(fees)).toEqual([6_000n, 2_979n])
    expect(partnerPolicies(fees, 6_500n)).toEqual([
      { kind: 'volume', factor: 6_000n, recipient },
      { kind: 'surplus', recipient, factor: 500_000n, maxVolumeFactor: 497n },
      { kind: 'volume', factor: 0n, recipient },
      { kind: 'volume', factor: 0n, recipient },
    ])
  })

  test('share the cap in their order: the second of two full fees gets nothing', () => {
    const full = { recipient, volumeBps: 100 }
    expect(partnerPolicies(read([full, full]))).toEqual([
      { kind: 'volume', factor: 10_000n, recipient },
      { kind: 'volume', factor: 0n, recipient },
    ])
  })

  test('of the surplus are bounded only by their maximum of the volume', () => {
    expect(partnerPolicies(read({ recipient, surplusBps: 10_000, maxVolumeBps: 500 }))).toEqual([
      { kind: 'surplus', recipient, factor: 999_900n, maxVolumeFactor: 10_000n },
    ])
  })
})

test.each([
  ['wrappers', { wrappers: 1 }],
  ['wrappers[0].address', { wrappers: [{ address: '0x1', data: '0x' }] }],
  ['flashloan', { flashloan: 1 }],
  [
    'flashloan.amount',
    {
      flashloan: {
        liquidityProvider: recipient,
        protocolAdapter: recipient,
        receiver: recipient,
        token: recipient,
        amount: -1,
      },
    },
  ],
])('a known member of the wrong form is refused with its path: metadata.%s', (path, metadata) => {
  expect(() => parseAppDataDocument(JSON.stringify({ metadata }))).toThrow(`metadata.${path}`)
})
