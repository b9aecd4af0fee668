import { expect, test } from 'vitest'
import { Refusal } from '../../src/domain/errors/error.ts'
import { type Address, address } from '../../src/domain/evm/address.ts'
import type { NativeRate } from '../../src/domain/token/prices.ts'
import { type ReadRates, ratesBefore } from '../../src/mirror/native-rates.ts'

const tokens = ['aa', 'bb', 'cc', 'dd'].map((byte) => address(`0x${byte.repeat(20)}`))
const [priced, unpriced, denied, unknown] = tokens as [Address, Address, Address, Address]

const rateOf = (nativeAmount: bigint): NativeRate => ({ nativeAmount, tokenAmount: 1n })
const reading = (rates: [Address, NativeRate | Refusal][], asked: Address[] = []): ReadRates => {
  return async (addresses) => {
    asked.push(...addresses)
    return new Map(rates.filter(([token]) => addresses.includes(token)))
  }
}

test('the order book prices only tokens that the pools here do not', async () => {
  const refusal = new Refusal('UnsupportedToken', 'not traded')
  const asked: Address[] = []
  const own = reading([
    [priced, rateOf(2n)],
    [denied, refusal],
  ])
  const book = reading(
    [
      [priced, rateOf(9n)],
      [unpriced, rateOf(3n)],
    ],
    asked,
  )
  const read = ratesBefore(own, book)
  expect(await read(tokens)).toEqual(
    new Map<Address, NativeRate | Refusal>([
      [priced, rateOf(2n)],
      [denied, refusal],
      [unpriced, rateOf(3n)],
    ]),
  )
  expect(asked).toEqual([unpriced, unknown])
  await read([priced])
  expect(asked).toHaveLength(2)
})
