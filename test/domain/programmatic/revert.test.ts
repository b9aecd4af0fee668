import { describe, expect, test } from 'vitest'
import type { Hex } from '../../../src/domain/evm/hex.ts'
import { programmaticErrors } from '../../../src/domain/programmatic/abi.ts'
import { decodePollFault, nextPoll } from '../../../src/domain/programmatic/revert.ts'
import { word } from './vectors.ts'

const revert = (name: string, ...values: unknown[]) =>
  programmaticErrors.encodeErrorResult(name, values) as Hex
const words = (...numbers: number[]) => numbers.map((number) => word(number).slice(2)).join('')
const padded = (text: string) => Buffer.from(text).toString('hex').padEnd(64, '0')

const beforeStart: Hex = `0xc8fc2725${words(0x20, 0x11)}${padded('before twap start')}`
const tooEarly: Hex = `0x7e334637${words(0x6b49d200, 0x40, 9)}${padded('too early')}`

test.each<[Hex, ReturnType<typeof decodePollFault>]>([
  [beforeStart, { error: 'OrderNotValid', message: 'before twap start' }],
  [tooEarly, { error: 'PollTryAtEpoch', at: 1_800_000_000n, message: 'too early' }],
  [revert('PollTryAtBlock', 7n, 'soon'), { error: 'PollTryAtBlock', at: 7n, message: 'soon' }],
  [revert('PollTryNextBlock', 'oracle'), { error: 'PollTryNextBlock', message: 'oracle' }],
  [revert('PollNever', ''), { error: 'PollNever', message: '' }],
  [revert('Error', 'plain'), { error: 'Error', message: 'plain' }],
  [revert('Panic', 0x11n), { error: 'Panic', code: 0x11n }],
  ['0x', { error: 'Empty' }],
  ['0x12', { error: 'Unknown', data: '0x12' }],
  ['0xdeadbeef', { error: 'Unknown', data: '0xdeadbeef' }],
  [`0x${'ab'.repeat(1_000)}`, { error: 'Unknown', data: `0x${'ab'.repeat(36)}` }],
  ['0xc8fc2725', { error: 'Unknown', data: '0xc8fc2725' }],
  ['0x4e487b7100', { error: 'Unknown', data: '0x4e487b7100' }],
])('%.20s is decoded', (data, fault) => {
  expect(decodePollFault(data)).toEqual(fault)
})

test.each([
  ['0xc8fc2725', 'OrderNotValid'],
  ['0xd05f3065', 'PollTryNextBlock'],
  ['0x1fe8506e', 'PollTryAtBlock'],
  ['0x7e334637', 'PollTryAtEpoch'],
  ['0x981b64cd', 'PollNever'],
  ['0x7a933234', 'SingleOrderNotAuthed'],
  ['0x4a821464', 'ProofNotAuthed'],
  ['0x03fc2a7e', 'SwapGuardRestricted'],
  ['0xd8f59fa5', 'InvalidHandler'],
  ['0x79ac63cd', 'InvalidFallbackHandler'],
  ['0x2c7ca6d7', 'InterfaceNotSupported'],
  ['0x0af806e0', 'InvalidHash'],
  ['0x08c379a0', 'Error'],
  ['0x4e487b71', 'Panic'],
] as const)('the selector %s is of %s', (selector, error) => {
  const values = `${words(0x40, 0x40, 0)}`
  expect(programmaticErrors.getError(error)?.selector).toBe(selector)
  expect(decodePollFault(`${selector}${values}`)).toMatchObject({ error })
})

describe('a message', () => {
  const shown = (text: string) => decodePollFault(revert('OrderNotValid', text))
  test.each([
    ['one\ntwo\u0000\u001b[31m\u202e', 'one two  [31m '],
    ['x'.repeat(201), 'x'.repeat(200)],
    ['😀'.repeat(300), '😀'.repeat(200)],
    [`${'x'.repeat(199)}é`, `${'x'.repeat(199)}é`],
  ])('%.20j', (text, message) => {
    expect(shown(text)).toEqual({ error: 'OrderNotValid', message })
  })

  test('that is not UTF-8', () => {
    const data: Hex = `0xc8fc2725${words(0x20, 2)}${'ff41'.padEnd(64, '0')}`
    expect(decodePollFault(data)).toEqual({ error: 'OrderNotValid', message: '\ufffdA' })
  })

  test('whose size is a lie', () => {
    const data: Hex = `0xc8fc2725${words(0x20, 33)}${padded('short')}`
    expect(decodePollFault(data)).toMatchObject({ error: 'Unknown' })
  })
})

test.each([
  [revert('OrderNotValid', 'after twap finish'), { when: 'nextBlock' }],
  [revert('PollTryNextBlock', ''), { when: 'nextBlock' }],
  [revert('PollTryAtBlock', 7n, ''), { when: 'atBlock', block: 7 }],
  [revert('PollTryAtBlock', 2n ** 53n, ''), { when: 'never' }],
  [tooEarly, { when: 'atEpoch', time: 1_800_000_000 }],
  [revert('PollTryAtEpoch', 2n ** 32n - 1n, ''), { when: 'atEpoch', time: 2 ** 32 - 1 }],
  [revert('PollTryAtEpoch', 2n ** 32n, ''), { when: 'never' }],
  [revert('PollNever', ''), { when: 'never' }],
  [revert('SingleOrderNotAuthed'), { when: 'unauthorised' }],
  [revert('ProofNotAuthed'), { when: 'unauthorised' }],
  [revert('SwapGuardRestricted'), { when: 'nextBlock' }],
  [revert('InterfaceNotSupported'), { when: 'nextBlock' }],
  [revert('InvalidFallbackHandler'), { when: 'nextBlock' }],
  [revert('Panic', 1n), { when: 'nextBlock' }],
  ['0x', { when: 'nextBlock' }],
  ['0xdeadbeef', { when: 'nextBlock' }],
] as const)('after %.20s the next poll is %j', (data, next) => {
  expect(nextPoll(decodePollFault(data))).toEqual(next)
})
