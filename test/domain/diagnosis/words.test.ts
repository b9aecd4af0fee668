import { expect, test } from 'vitest'
import { formatPercent, formatSeconds, readablePercent } from '../../../src/domain/text/readable.ts'

test.each([
  [32_500n, '3.25'],
  [0n, '0'],
  [1n, '0.0001'],
  [-32_500n, '-3.25'],
  [1_000_000n, '100'],
])('%s parts per million are %s %%', (parts, text) => {
  expect(formatPercent(parts)).toBe(text)
})

test.each([
  [32_519n, '3.25'],
  [1_000_000n, '100'],
  [10_000n, '1'],
  [9_999n, '0.9999'],
  [0n, '0'],
])('%s parts per million are %s %% for people', (parts, text) => {
  expect(readablePercent(parts)).toBe(text)
})

test.each([
  [0, '0 seconds'],
  [1, '1 second'],
  [2, '2 seconds'],
  [119, '119 seconds'],
  [120, '2 minutes'],
  [121, '3 minutes'],
  [7_199, '120 minutes'],
  [7_200, '2 hours'],
  [172_799, '48 hours'],
  [172_800, '2 days'],
  [172_801, '3 days'],
])('%d seconds are %s', (seconds, text) => {
  expect(formatSeconds(seconds)).toBe(text)
})
