import { getAddress } from 'ethers'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { address, nativeMarker } from '../../../src/domain/evm/address.ts'
import { parseTokenAddress } from '../../../src/domain/token/token.ts'

const valid = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const malformed = {
  fault: 'must be an address: 20 bytes of hex with 0x in front, or - for the chain’s own coin',
}
const wrongChecksum = {
  fault: 'has a wrong checksum: look for a mistyped character, or write all letters in lowercase',
}
const upper = (text: string) => `0x${text.slice(2).toUpperCase()}`

test.each([valid, valid.toLowerCase(), upper(valid)])('%s is an address', (text) => {
  expect(parseTokenAddress(text)).toEqual({ address: address(valid) })
})

test.each(['-', nativeMarker, upper(nativeMarker), '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'])(
  '%s is the native coin',
  (text) => {
    expect(parseTokenAddress(text)).toEqual({ address: nativeMarker })
  },
)

test.each([
  '',
  '--',
  'weth',
  valid.slice(2),
  valid.replace('0x', '0X'),
  valid.slice(0, -1),
  `${valid}0`,
  ` ${valid}`,
  `${valid}\n`,
  valid.replace('5a', '5g'),
  '0x',
])('%j is malformed', (text) => {
  expect(parseTokenAddress(text)).toEqual(malformed)
})

test('a letter in the wrong case is a wrong checksum', () => {
  expect(parseTokenAddress('0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEee')).toEqual(wrongChecksum)
  expect(parseTokenAddress(valid.replace('aA', 'aa'))).toEqual(wrongChecksum)
  expect(parseTokenAddress(valid.replace('Ed', 'ED').replace('ed', 'eD'))).toEqual(wrongChecksum)
})

test('checksums are those of EIP-55', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 20, maxLength: 20 }), fc.nat(39), (bytes, place) => {
      const lower = `0x${Buffer.from(bytes).toString('hex')}`
      const right = getAddress(lower)
      expect(parseTokenAddress(right)).toEqual({ address: lower })
      const digit = right[place + 2] ?? ''
      const other = digit === digit.toLowerCase() ? digit.toUpperCase() : digit.toLowerCase()
      const wrong = right.slice(0, place + 2) + other + right.slice(place + 3)
      const isUniform = wrong === lower || wrong === upper(wrong) || wrong === right
      expect(parseTokenAddress(wrong)).toEqual(isUniform ? { address: lower } : wrongChecksum)
    }),
  )
})
