import { maxUint256 } from '../amount.ts'
import type { Address } from './address.ts'
import type { Hex } from './hex.ts'

/**
 * Contract arguments as hex digits without 0x, for the fast path of quotes and settlements: the library's
 * encoder would take longer than everything else. Tests compare the results with the library's.
 */
export type EncodedWords = string

/** A member of a tuple: in place, or dynamic, with its offset in place and its content after all members. */
export type TupleMember = EncodedWords | { dynamic: EncodedWords }

/** Encodes one word. @throws RangeError if the value is not a uint256 */
export function word(value: Address | bigint): EncodedWords {
  if (typeof value === 'string') return value.slice(2).padStart(64, '0')
  if (value < 0n || value > maxUint256) throw new RangeError('not a uint256')
  return value.toString(16).padStart(64, '0')
}

export function encodeBytes(bytes: Hex): EncodedWords {
  const digits = bytes.slice(2)
  return sizeWord(digits.length / 2) + digits.padEnd(Math.ceil(digits.length / 64) * 64, '0')
}

export function encodeList(items: readonly TupleMember[]): EncodedWords {
  return sizeWord(items.length) + encodeTuple(items)
}

export function encodeTuple(members: readonly TupleMember[]): EncodedWords {
  const headSize = members.reduce((sum, member) => sum + (typeof member === 'string' ? member.length : 64), 0)
  let head = ''
  let tail = ''
  for (const member of members) {
    if (typeof member === 'string') head += member
    else {
      head += sizeWord((headSize + tail.length) / 2)
      tail += member.dynamic
    }
  }
  return head + tail
}

function sizeWord(size: number): EncodedWords {
  return size.toString(16).padStart(64, '0')
}
