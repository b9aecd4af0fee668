import { AbiCoder } from 'ethers'
import { describe, expect, test } from 'vitest'
import { maxUint256 } from '../../../src/domain/amount.ts'
import { encodeBytes, encodeList, encodeTuple, word } from '../../../src/domain/evm/abi.ts'
import { address, toAddress } from '../../../src/domain/evm/address.ts'
import { bytesToHex, type Hex, hexSize, hexToBytes, toHex } from '../../../src/domain/evm/hex.ts'
import { numbered } from '../../fakes/order.ts'

const encoded = (types: string[], values: unknown[]) =>
  AbiCoder.defaultAbiCoder().encode(types, values).slice(2)

describe('contract arguments are as the ABI encoder of ethers has them', () => {
  test.each(['0x', '0x12', `0x${'ab'.repeat(32)}`, `0x${'ab'.repeat(33)}`] as Hex[])('bytes %s', (bytes) => {
    expect(encodeTuple([{ dynamic: encodeBytes(bytes) }])).toBe(encoded(['bytes'], [bytes]))
  })

  test('a list of numbers', () => {
    expect(encodeTuple([{ dynamic: encodeList([word(7n), word(8n)]) }])).toBe(
      encoded(['uint256[]'], [[7n, 8n]]),
    )
    expect(encodeTuple([{ dynamic: encodeList([]) }])).toBe(encoded(['uint256[]'], [[]]))
  })

  test('members in place and behind', () => {
    const [to, one, other] = [numbered('12'), '0x1234', `0x${'cd'.repeat(40)}`] as const
    const members = [word(to), { dynamic: encodeBytes(one) }, word(5n), { dynamic: encodeBytes(other) }]
    const types = ['address', 'bytes', 'uint256', 'bytes']
    expect(encodeTuple(members)).toBe(encoded(types, [to, one, 5n, other]))
    const list = [{ dynamic: encodeBytes(one) }, { dynamic: encodeBytes(other) }]
    expect(encodeTuple([{ dynamic: encodeList(list) }])).toBe(encoded(['bytes[]'], [[one, other]]))
  })

  test('a word holds a uint256', () => {
    expect([word(0n), word(maxUint256)]).toEqual(['0'.repeat(64), 'f'.repeat(64)])
    for (const wrong of [-1n, maxUint256 + 1n]) expect(() => word(wrong)).toThrow('not a uint256')
  })
})

describe('hex', () => {
  test.each([
    ['0xABcd', undefined, '0xabcd'],
    ['0xABcd', 2, '0xabcd'],
    ['0x', 0, '0x'],
    ['', undefined, undefined],
    ['abcd', 2, undefined],
    ['0Xabcd', 2, undefined],
    ['0xabc', undefined, undefined],
    ['0xabcd', 1, undefined],
    ['0xabcd', 3, undefined],
    ['0xagcd', undefined, undefined],
    ['0xab\n', undefined, undefined],
    ['x0xab', undefined, undefined],
  ])('%s of %d bytes is %s', (text, bytes, hex) => {
    expect(toHex(text, bytes)).toBe(hex)
  })

  test('and bytes', () => {
    expect([...hexToBytes('0x00ff10')]).toEqual([0, 255, 16])
    expect(bytesToHex(new Uint8Array([9, 0, 255, 16]).subarray(1))).toBe('0x00ff10')
    expect([hexSize('0x'), hexSize('0x00ff')]).toEqual([0, 2])
  })

  test('of 20 bytes is an address', () => {
    const digits = 'Ab'.repeat(20)
    expect(toAddress(`0x${digits}`)).toBe(`0x${'ab'.repeat(20)}`)
    for (const text of [digits, `0X${digits}`, `0x${digits}00`]) expect(toAddress(text)).toBeUndefined()
    expect(() => address('0x12')).toThrow('not an address: 0x12')
  })
})
