import { expect, test } from 'vitest'
import { bloomHolds } from '../../../src/chain/logs/bloom.ts'
import { bytesToHex, hexToBytes } from '../../../src/domain/evm/hex.ts'
import { keccak, keccakText } from '../../../src/domain/evm/keccak.ts'

/** The filter of these values: three bits each, from pairs of bytes of the hash (Yellow Paper, 4.4.1). */
function filterOf(...values: `0x${string}`[]) {
  const bits = values.flatMap((value) => {
    const view = new DataView(keccak(hexToBytes(value)).slice(0, 6).buffer)
    return [0, 2, 4].map((at) => view.getUint16(at) % 2_048)
  })
  const whole = bits.reduce((all, bit) => all | (1n << BigInt(bit)), 0n)
  return `0x${whole.toString(16).padStart(512, '0')}` as const
}

test('a filter holds its values, and others by chance alone', () => {
  const values = Array.from({ length: 50 }, (_, index) => keccakText(`value ${index}`))
  const filter = filterOf(...values)
  expect(values.filter((value) => !bloomHolds(filter, value))).toEqual([])
  const others = Array.from({ length: 1_000 }, (_, index) => keccakText(`other ${index}`))
  expect(others.filter((value) => bloomHolds(filter, value)).length).toBeLessThan(10)
})

test('a filter of another length holds nothing, and a full one everything', () => {
  const value = keccakText('value')
  expect(bloomHolds(bytesToHex(new Uint8Array(255).fill(255)), value)).toBe(false)
  expect(bloomHolds('0x', value)).toBe(false)
  expect(bloomHolds(bytesToHex(new Uint8Array(256).fill(255)), value)).toBe(true)
})
