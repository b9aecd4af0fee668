import { describe, expect, test } from 'vitest'
import { maskedAddress, retryDelayMs } from '../../../src/domain/notification/channel.ts'

test.each([
  ['telegram', 'pending', 'chat-12345', null],
  ['telegram', 'active', 'chat-12345', '…345'],
  ['email', 'active', 'ada.lovelace@example.com', 'a…@example.com'],
  ['email', 'pending', 'a@b@example.com', 'a…@example.com'],
  ['webhook', 'active', 'https://example.com:8443/hook?key=secret', 'https://example.com:8443/…'],
  ['push', 'ended', 'https://push.example.com/v1/secret', 'https://push.example.com/…'],
] as const)('the address of a %s that is %s: %s is shown as %s', (kind, state, address, shown) => {
  expect(maskedAddress({ kind, state, address })).toBe(shown)
})

describe('the waits of a delivery', () => {
  const waits = (random: number) => Array.from({ length: 12 }, (_, index) => retryDelayMs(index, random))

  test('grow over a day, then it is dead', () => {
    expect(waits(0.5)).toEqual([
      undefined,
      5_000,
      30_000,
      120_000,
      600_000,
      1_800_000,
      3_600_000,
      7_200_000,
      14_400_000,
      28_800_000,
      32_400_000,
      undefined,
    ])
  })

  test('are a fifth shorter or longer', () => {
    expect([retryDelayMs(2, 0), retryDelayMs(2, 1)]).toEqual([24_000, 36_000])
    expect(retryDelayMs(1, 0.333_4)).toBe(4_667)
  })
})
