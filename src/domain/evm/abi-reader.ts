import type { EncodedWords } from './abi.ts'
import type { Address } from './address.ts'
import type { Bytes32, Hex } from './hex.ts'

/**
 * A tuple in contract data. Each call reads its next member; values are checked as contracts check them:
 * an address has no digits before its 20 bytes, a flag is 0 or 1.
 */
export interface AbiTuple {
  /** A number of at most `bits` bits. */
  uint(bits?: number): bigint
  int256(): bigint
  address(): Address
  bytes32(): Bytes32
  flag(): boolean
  /** A word that stands for one of several values. */
  oneOf<Value>(values: ReadonlyMap<Bytes32, Value>): Value
  bytes(maxSize: number): Hex
  /** A dynamic tuple, by its offset. */
  tuple<Value>(read: (tuple: AbiTuple) => Value): Value
  /** A list, by its offset. `read` takes one item from the tuple of all items. */
  list<Item>(maxLength: number, read: (items: AbiTuple) => Item): Item[]
}

/** Thrown and caught in this file alone. */
const malformed = new Error('not the data of a contract')
const wordDigits = 64
const prefixed = (digits: EncodedWords): Hex => `0x${digits}`

/**
 * Reads the data of a contract that strangers wrote. The time is at most linear in the size of the data: each
 * byte pays for one read, so that data whose offsets lead to the same bytes again and again are malformed.
 * @param read reads the members of the outer tuple
 * @returns undefined if the data is too short, or a value is out of range
 */
export function readAbi<Value>(data: Hex, read: (tuple: AbiTuple) => Value): Value | undefined {
  const digits = data.slice(2)
  let unpaid = digits.length

  const take = (start: number, length: number): EncodedWords => {
    unpaid -= length
    if (unpaid < 0 || start + length > digits.length) throw malformed
    return digits.slice(start, start + length)
  }

  const size = (start: number, max: number): number => {
    const value = BigInt(`0x${take(start, wordDigits)}`)
    if (value > max) throw malformed
    return Number(value)
  }

  const tupleAt = (start: number): AbiTuple => {
    let next = start
    const word = () => {
      next += wordDigits
      return take(next - wordDigits, wordDigits)
    }
    const content = () => {
      next += wordDigits
      return start + 2 * size(next - wordDigits, digits.length)
    }
    const uint = (bits = 256) => {
      const value = BigInt(`0x${word()}`)
      if (value >> BigInt(bits) !== 0n) throw malformed
      return value
    }
    return {
      uint,
      int256: () => BigInt.asIntN(256, uint()),
      address: () => prefixed(uint(160).toString(16).padStart(40, '0')),
      bytes32: () => prefixed(word()),
      flag: () => uint(1) === 1n,
      oneOf(values) {
        const value = values.get(prefixed(word()))
        if (value === undefined) throw malformed
        return value
      },
      bytes(maxSize) {
        const at = content()
        return prefixed(take(at + wordDigits, 2 * size(at, maxSize)))
      },
      tuple: (readTuple) => readTuple(tupleAt(content())),
      list(maxLength, readItem) {
        const at = content()
        const length = size(at, maxLength)
        const items = tupleAt(at + wordDigits)
        return Array.from({ length }, () => readItem(items))
      },
    }
  }

  try {
    return read(tupleAt(0))
  } catch (fault) {
    if (fault === malformed) return undefined
    throw fault
  }
}
