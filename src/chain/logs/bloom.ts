import { type Hex, hexToBytes } from '../../domain/evm/hex.ts'
import { keccak } from '../../domain/evm/keccak.ts'

const bloomBytes = 256

/**
 * Checks whether the bloom filter of a block holds an address or a topic. It may say so of one that the block
 * does not have, and never denies one that it has. A header without a filter of 256 bytes denies all.
 */
export function bloomHolds(bloom: Hex, value: Hex): boolean {
  const bytes = hexToBytes(bloom)
  if (bytes.length !== bloomBytes) return false
  const hash = keccak(hexToBytes(value))
  return [0, 2, 4].every((at) => {
    const bit = (((hash[at] ?? 0) << 8) | (hash[at + 1] ?? 0)) % (8 * bloomBytes)
    return ((bytes[bloomBytes - 1 - (bit >> 3)] ?? 0) & (1 << (bit & 7))) !== 0
  })
}
