import { AbiCoder } from 'ethers'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { maxUint256 } from '../../../src/domain/amount.ts'
import { type AbiTuple, readAbi } from '../../../src/domain/evm/abi-reader.ts'
import { bytesToHex, type Hex } from '../../../src/domain/evm/hex.ts'

const encode = (types: string[], values: unknown[]) => AbiCoder.defaultAbiCoder().encode(types, values) as Hex
const hexOf = (minLength: number, maxLength = minLength) =>
  fc.uint8Array({ minLength, maxLength }).map(bytesToHex)

test('data of the ABI encoder of ethers are read', () => {
  const numbers = fc.bigInt({ min: 0n, max: maxUint256 })
  const signed = fc.bigInt({ min: -(2n ** 255n), max: 2n ** 255n - 1n })
  const lists = fc.array(hexOf(32), { maxLength: 5 })
  fc.assert(
    fc.property(numbers, signed, hexOf(20), fc.boolean(), hexOf(0, 100), lists, (...values) => {
      const types = ['uint256', 'int256', 'address', 'bool', 'bytes', 'bytes32[]']
      const read = (tuple: AbiTuple) => [
        tuple.uint(),
        tuple.int256(),
        tuple.address(),
        tuple.flag(),
        tuple.bytes(100),
        tuple.list(5, (items) => items.bytes32()),
      ]
      expect(readAbi(encode(types, values), read)).toEqual(values)
      const nested = encode([`(${types.join(',')})[]`], [[values, values]])
      expect(readAbi(nested, (outer) => outer.list(2, (items) => items.tuple(read)))).toEqual([
        values,
        values,
      ])
    }),
  )
})

test.each<[string, Hex, (tuple: AbiTuple) => unknown]>([
  ['a word too few', encode(['uint256'], [1n]), (tuple) => [tuple.uint(), tuple.uint()]],
  ['half a word', '0x00', (tuple) => tuple.uint()],
  ['a number out of range', encode(['uint256'], [2n ** 32n]), (tuple) => tuple.uint(32)],
  ['an address of 21 bytes', encode(['uint256'], [2n ** 160n]), (tuple) => tuple.address()],
  ['a flag of 2', encode(['uint256'], [2n]), (tuple) => tuple.flag()],
  ['an unknown word', encode(['uint256'], [2n]), (tuple) => tuple.oneOf(new Map())],
  ['bytes beyond their bound', encode(['bytes'], ['0x1234']), (tuple) => tuple.bytes(1)],
  ['bytes that are cut', encode(['uint256', 'uint256'], [32n, 1n]), (tuple) => tuple.bytes(9)],
  ['a place outside', encode(['uint256'], [64n]), (tuple) => tuple.bytes(9)],
  ['a huge place', encode(['uint256'], [maxUint256]), (tuple) => tuple.bytes(9)],
  ['a huge size', encode(['uint256', 'uint256'], [32n, maxUint256]), (tuple) => tuple.bytes(9)],
  [
    'a list beyond its bound',
    encode(['uint256[]'], [[1, 2]]),
    (tuple) => tuple.list(1, (item) => item.uint()),
  ],
])('%s is malformed', (_name, data, read) => {
  expect(readAbi(data, read)).toBeUndefined()
})

test('values at their bounds are read', () => {
  expect(readAbi(encode(['uint256'], [2n ** 32n - 1n]), (tuple) => tuple.uint(32))).toBe(2n ** 32n - 1n)
  expect(readAbi(encode(['bytes'], ['0x1234']), (tuple) => tuple.bytes(2))).toBe('0x1234')
  const unpadded = encode(['bytes'], ['0x1234']).slice(0, -60) as Hex
  expect(readAbi(unpadded, (tuple) => tuple.bytes(2))).toBe('0x1234')
  expect(readAbi(encode(['uint256[]'], [[1]]), (tuple) => tuple.list(1, (item) => item.uint()))).toEqual([1n])
})

test('members that share their bytes are malformed, so that no data cost more than their size', () => {
  const shared = encode(['uint256', 'uint256', 'uint256', 'bytes32'], [64n, 64n, 32n, `0x${'ab'.repeat(32)}`])
  expect(readAbi(shared, (tuple) => tuple.bytes(32))).toBe(`0x${'ab'.repeat(32)}`)
  expect(readAbi(shared, (tuple) => [tuple.bytes(32), tuple.bytes(32)])).toBeUndefined()
})

test('a fault of the reading function is thrown on', () => {
  const fault = new Error('a fault of the program')
  const read = () => {
    throw fault
  }
  expect(() => readAbi('0x', read)).toThrow(fault)
})
