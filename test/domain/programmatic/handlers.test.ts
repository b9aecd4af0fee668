import { AbiCoder } from 'ethers'
import { describe, expect, test } from 'vitest'
import { address } from '../../../src/domain/evm/address.ts'
import type { Hex } from '../../../src/domain/evm/hex.ts'
import { handlerType } from '../../../src/domain/programmatic/handlers.ts'
import {
  type DecodedType,
  decodeInput,
  decodeStaticInput,
  encodeStaticInput,
} from '../../../src/domain/programmatic/static-input.ts'
import { numbered } from '../../fakes/order.ts'
import { samples } from './samples.ts'
import { inputs, twapHandler } from './vectors.ts'

test.each([
  [1, '0x6cF1e9cA41f7611dEf408122793c358a3d11E5a5', 'TWAP'],
  [11155111, '0x6cF1e9cA41f7611dEf408122793c358a3d11E5a5', 'TWAP'],
  [100, '0x412c36e5011cd2517016d243a2dfb37f73a242e7', 'StopLoss'],
  [100, '0xE8212F30C28B4AAB467DF3725C14d6e89C2eB967', 'StopLoss'],
  [1, '0xd3338f21c89745E46AF56Aeaf553cF96ba9BC66f', 'GoodAfterTime'],
  [1, '0x44569Cbd4E10dd5e97293337964Eff32d58ed352', 'TradeAboveThreshold'],
  [1, '0x963f411ac754055b611fe464fa4d50772e9b1f9c', 'PerpetualSwap'],
  [1, '0x0e800d8d2e8b4694610aedc385aa6d763492b106', 'BalancerCowSwapFeeBurner'],
  [100, '0x0e800d8d2e8b4694610aedc385aa6d763492b106', 'Unknown'],
  [100, '0x43866c5602b0e3b3272424396e88b849796dc608', 'CirclesBackingOrder'],
  [1, '0x43866c5602b0e3b3272424396e88b849796dc608', 'Unknown'],
  [100, '0xb148f40fff05b5ce6b22752cf8e454b556f7a851', 'CowAmmConstantProduct'],
  [1, '0x1111111111111111111111111111111111111111', 'Unknown'],
])('on chain %d %s is %s', (chainId, handler, type) => {
  expect(handlerType(chainId, address(handler))).toBe(type)
})

const types = Object.keys(samples) as DecodedType[]

/** The members of a struct in the order of its sample. */
function encodeSample(type: DecodedType): Hex {
  const { struct, input } = samples[type]
  const values = Object.values(input)
  const coder = AbiCoder.defaultAbiCoder()
  return (
    struct.startsWith('(') ? coder.encode([struct], [values]) : coder.encode(struct.split(','), values)
  ) as Hex
}

describe.each(types)('the static input of %s', (type) => {
  test('decodes from what the ABI encoder of ethers writes, and back', () => {
    const data = encodeSample(type)
    expect(decodeStaticInput(type, data)).toEqual(samples[type].input)
    expect(encodeStaticInput(type, samples[type].input)).toBe(data)
    expect(decodeStaticInput(type, `${data}${'00'.repeat(7)}`), 'longer').toEqual(samples[type].input)
  })

  test('that is too short', () => {
    const cut = encodeSample(type).slice(0, -64) as Hex
    expect(decodeStaticInput(type, cut)).toBeUndefined()
    expect(decodeStaticInput(type, '0x')).toBeUndefined()
  })
})

test('an address with digits before it does not decode', () => {
  const data = encodeSample('ERC4626CowSwapFeeBurner').replace('0x00', '0x01') as Hex
  expect(decodeStaticInput('ERC4626CowSwapFeeBurner', data)).toBeUndefined()
})

test('the input of a handler', () => {
  const staticInput = encodeStaticInput('TWAP', inputs.A)
  expect(decodeInput(1, { handler: twapHandler, staticInput })).toEqual({ type: 'TWAP', input: inputs.A })
  expect(decodeInput(1, { handler: twapHandler, staticInput: '0x12' })).toEqual({
    type: 'TWAP',
    input: null,
    decodeError: 'invalid_static_input',
  })
  expect(decodeInput(1, { handler: numbered('12'), staticInput })).toEqual({ type: 'Unknown', input: null })
  const burner = address('0x9958317b80ee5f10457017d54c2484d722059157')
  expect(decodeInput(1, { handler: burner, staticInput })).toEqual({
    type: 'BalancerCowSwapFeeBurner',
    input: null,
  })
})
