import fc from 'fast-check'
import { expect, test } from 'vitest'
import { beforeVolumeFee, protocolFeeBps, withVolumeFees } from '../../../src/domain/quote/amounts.ts'

const amounts = { sellAmount: 996_000_000n, buyAmount: 498n * 10n ** 15n, feeAmount: 4_000_000n }

test('with volume fees a sell order gets less and a buy order pays more, on the fee too', () => {
  expect(withVolumeFees('sell', amounts, [200n])).toEqual({ ...amounts, buyAmount: 497_900_400_000_000_000n })
  expect(withVolumeFees('buy', amounts, [200n])).toEqual({ ...amounts, sellAmount: 996_200_000n })
  expect(withVolumeFees('sell', amounts, [])).toEqual(amounts)
})

test('each fee is rounded down and taken from the rest that the previous fee left', () => {
  const few = { sellAmount: 999n, buyAmount: 999n, feeAmount: 1n }
  expect(withVolumeFees('sell', few, [1_001n, 500_000n])).toEqual({ ...few, buyAmount: 999n - 0n - 499n })
  expect(withVolumeFees('buy', few, [999n])).toEqual(few)
  expect(withVolumeFees('buy', few, [1_000n, 500_000n])).toEqual({ ...few, sellAmount: 999n + 1n + 500n })
})

test('fees never take the whole amount and are never negative', () => {
  const amount = fc.bigInt(0n, 2n ** 256n - 1n)
  const fees = fc.array(fc.bigInt(0n, 999_999n), { maxLength: 5 })
  const given = fc.record({ sellAmount: amount, buyAmount: amount, feeAmount: amount })
  fc.assert(
    fc.property(given, fees, (quoted, list) => {
      const sold = withVolumeFees('sell', quoted, list)
      expect(sold.buyAmount <= quoted.buyAmount && sold.buyAmount >= (quoted.buyAmount > 0n ? 1n : 0n)).toBe(
        true,
      )
      expect({ ...sold, buyAmount: 0n }).toEqual({ ...quoted, buyAmount: 0n })
      const bought = withVolumeFees('buy', quoted, list)
      expect(bought.sellAmount >= quoted.sellAmount).toBe(true)
      expect({ ...bought, sellAmount: 0n }).toEqual({ ...quoted, sellAmount: 0n })
    }),
  )
})

test('amounts before a volume fee have the same amounts after it', () => {
  const amount = fc.bigInt(1n, 2n ** 256n - 1n)
  const given = fc.record({ sellAmount: amount, buyAmount: amount, feeAmount: fc.bigInt(0n, 2n ** 100n) })
  const kind = fc.constantFrom('sell' as const, 'buy' as const)
  fc.assert(
    fc.property(given, kind, fc.bigInt(1n, 999_999n), (quoted, kind, fee) => {
      const after = withVolumeFees(kind, quoted, [fee])
      expect(withVolumeFees(kind, beforeVolumeFee(kind, after, fee), [fee])).toEqual(after)
      // Each amount can be what a sell order gets after the fee.
      expect(withVolumeFees('sell', beforeVolumeFee('sell', quoted, fee), [fee])).toEqual(quoted)
    }),
  )
})

test.each([
  [[], null],
  [[0n], null],
  [[200n], '2'],
  [[30n], '0.3'],
  [[1_000n], '10'],
  [[1n], '0.01'],
  [[12_345n], '123.45'],
  [[200n, 30n], '2.3'],
])('%o parts per million are %s basis points', (fees, text) => {
  expect(protocolFeeBps(fees)).toBe(text)
})
