import { expect, test } from 'vitest'
import { auctionKey, auctionKeys, auctionNumber } from '../../../src/domain/auction/key.ts'

test('keys of followed order books are unique, rise with the numbers, and have them', () => {
  const keys = [1, 100, 11_155_111, 2 ** 31 - 1].flatMap((chainId) =>
    [1n, 2n, 2n ** 31n - 1n].map((number) => {
      const key = auctionKey(chainId, number) ?? expect.fail()
      expect(auctionNumber(key)).toBe(number)
      expect(key).toBeLessThan(2n ** 63n)
      return key
    }),
  )
  expect(new Set(keys).size).toBe(keys.length)
  expect(keys.toSorted((a, b) => (a < b ? -1 : 1))).toEqual(keys)
})

test('an auction that is held here has its number as key', () => {
  expect(auctionNumber(17n)).toBe(17n)
  expect(auctionKeys(100, 17n)).toEqual([(100n << 31n) + 17n, 17n])
})

test('a number that no order book gives has no key', () => {
  expect(auctionKeys(100, 2n ** 31n)).toEqual([])
  expect(auctionKeys(100, 2n ** 64n - 1n)).toEqual([])
})
