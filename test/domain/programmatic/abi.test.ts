import type { Interface } from 'ethers'
import { describe, expect, test } from 'vitest'
import type { Hex } from '../../../src/domain/evm/hex.ts'
import { hexSize, hexToBytes } from '../../../src/domain/evm/hex.ts'
import { keccakHex } from '../../../src/domain/evm/keccak.ts'
import { composableCowAbi, decodeTradeableOrder } from '../../../src/domain/programmatic/abi.ts'
import { blockTimestampFactory } from '../../../src/domain/programmatic/handlers.ts'
import { decodeParams, encodeParams, paramsId } from '../../../src/domain/programmatic/params.ts'
import { twapPart } from '../../../src/domain/programmatic/twap.ts'
import { ids, owner, paramsOf, scheduleOf } from './vectors.ts'

test.each<[string, Interface, string]>([
  [
    'ConditionalOrderCreated',
    composableCowAbi,
    '0x2cceac5555b0ca45a3744ced542f54b56ad2eb45e521962372eef212a2cbf361',
  ],
  ['MerkleRootSet', composableCowAbi, '0x58662f46b4a87d0f96d929b24c37fe25c55d52c0025d0b2bec3936534cc31e57'],
  ['SwapGuardSet', composableCowAbi, '0x41f583e2d25b3921afe66987b63b0b5e4cf2acbbbed4a477fd19a22180f3f859'],
])('the topic of %s', (name, abi, topic) => {
  expect(abi.getEvent(name)?.topicHash).toBe(topic)
})

test.each<[string, Interface, string]>([
  ['domainSeparator', composableCowAbi, '0xf698da25'],
  ['roots', composableCowAbi, '0xa4546876'],
  ['singleOrders', composableCowAbi, '0x6108c532'],
  ['swapGuards', composableCowAbi, '0x595001b2'],
  ['cabinet', composableCowAbi, '0x1c7662c8'],
  ['hash', composableCowAbi, '0x5500079d'],
  ['create', composableCowAbi, '0x6bfae1ca'],
  ['createWithContext', composableCowAbi, '0x0d0d9800'],
  ['setRoot', composableCowAbi, '0x1ab0dd9d'],
  ['setRootWithContext', composableCowAbi, '0x57f1d41a'],
  ['remove', composableCowAbi, '0x95bc2673'],
  ['setSwapGuard', composableCowAbi, '0x8f7984ed'],
  ['getTradeableOrderWithSignature', composableCowAbi, '0x26e0a196'],
  ['isValidSafeSignature', composableCowAbi, '0x53f00b14'],
])('the selector of %s', (name, abi, selector) => {
  expect(abi.getFunction(name)?.selector).toBe(selector)
})

describe('calldata', () => {
  test.each<[string, unknown[], number, string]>([
    [
      'create',
      [paramsOf('A'), true],
      516,
      '0xe57b6cc2a254b25ddf7d63ec78ecbdb7ca7b7f4ebad092ea102939545fa1da82',
    ],
    [
      'createWithContext',
      [paramsOf('C'), blockTimestampFactory, '0x', true],
      612,
      '0x4fac59955167a95479347bd500a4d15e25db36c3580e167313fa7a0fcd201536',
    ],
    [
      'getTradeableOrderWithSignature',
      [owner, paramsOf('A'), '0x', []],
      644,
      '0x495debf33349f2bd4892e09faecbab2173a173a9cf1f1348fb873ce19fcf801c',
    ],
  ])('of %s', (name, values, size, hash) => {
    const data = composableCowAbi.encodeFunctionData(name, values) as Hex
    expect([hexSize(data), keccakHex(hexToBytes(data))]).toEqual([size, hash])
  })
})

test('the data of the log of an order are its params, and their hash its id', () => {
  const { data, topics } = composableCowAbi.encodeEventLog('ConditionalOrderCreated', [owner, paramsOf('B')])
  expect(topics[1]).toBe(`0x${owner.slice(2).padStart(64, '0')}`)
  expect(keccakHex(hexToBytes(data as Hex))).toBe(ids.B)
  expect(decodeParams(data as Hex)).toEqual(paramsOf('B'))
})

test('a static input has at most 16 KiB', () => {
  const params = (size: number) => ({ ...paramsOf('A'), staticInput: `0x${'ab'.repeat(size)}` as const })
  expect(decodeParams(encodeParams(params(16_384)))).toEqual(params(16_384))
  expect(decodeParams(encodeParams(params(16_385)))).toBeUndefined()
  expect(paramsId(params(0))).not.toBe(paramsId(params(1)))
})

test('a part as the contract returns it', () => {
  const order = twapPart(scheduleOf('D'), 0)?.order
  const name = 'getTradeableOrderWithSignature'
  const hash = (text: string) => keccakHex(Buffer.from(text))
  const words = order && [
    order.sellToken,
    order.buyToken,
    order.receiver,
    order.sellAmount,
    order.buyAmount,
    order.validTo,
    order.appData,
    0n,
    hash('sell'),
    false,
    hash('erc20'),
    hash('erc20'),
  ]
  const returned = (changed = words) =>
    composableCowAbi.encodeFunctionResult(name, [changed, '0x123456']) as Hex
  expect(decodeTradeableOrder(returned(), 3)).toEqual({ order, signature: '0x123456' })
  expect(decodeTradeableOrder(returned(), 2)).toBeUndefined()
  expect(decodeTradeableOrder(returned(words?.with(8, hash('swap'))), 3)).toBeUndefined()
  expect(decodeTradeableOrder(returned(words?.with(11, hash('external'))), 3)).toBeUndefined()
})
