import { isUtf8 } from 'node:buffer'
import { Outage } from '../../domain/errors/error.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Hex } from '../../domain/evm/hex.ts'
import type { Token } from '../../domain/token/token.ts'

type Metadata = Omit<Token, 'chainId'>

/** What a token returned for one question. */
interface Returned {
  /** 0 where it failed, too. */
  size: number
  /** The first of them. */
  bytes: Buffer
}

const longestText = 100
/** Bytes that MetadataReader.sol reads of a text and of a number. */
const maxText = 464
const maxNumber = 32

/**
 * Reads what MetadataReader.sol returns for these tokens; null is what a token does not say, or says in a way
 * that nobody understands.
 * @throws Outage when it is something else
 */
export function parseMetadata(returned: Hex, tokens: readonly Address[]): Metadata[] {
  const bytes = Buffer.from(returned.slice(2), 'hex')
  let at = 0
  function next(most: number): Returned {
    const size = smallWord(bytes, at)
    const end = at + 32 + Math.min(size ?? 0, most)
    if (size === undefined || end > bytes.length) throw malformed(bytes.length)
    const read = { size, bytes: bytes.subarray(at + 32, end) }
    at = end
    return read
  }
  const result = tokens.map((address) => ({
    address,
    symbol: toText(next(maxText)),
    name: toText(next(maxText)),
    decimals: toDecimals(next(maxNumber)),
  }))
  if (at !== bytes.length) throw malformed(bytes.length)
  return result
}

function malformed(size: number): Outage {
  return new Outage('the network node', new TypeError(`not what MetadataReader.sol returns: ${size} bytes`))
}

/**
 * Some early tokens return bytes32 in place of a string. It is a stranger's text: one line, bounded,
 * storable, of visible characters.
 */
function toText(returned: Returned): string | null {
  const result = returned.size === 32 ? fixedText(returned.bytes) : stringText(returned)
  const text = result.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '').trim()
  return [...text].slice(0, longestText).join('') || null
}

/**
 * Text with zeros behind it to fill a word; whatever else stands in a word is a number or a hash, and no
 * text.
 */
function fixedText(word: Buffer): string {
  const end = word.indexOf(0)
  const text = end < 0 ? word : word.subarray(0, end)
  const isFilled = word.subarray(text.length).every((byte) => byte === 0)
  return isFilled && isUtf8(text) ? text.toString('utf8') : ''
}

/** A string as the ABI has it, read as bytes: text that is not UTF-8 is no reason to give up. */
function stringText({ size, bytes }: Returned): string {
  const offset = smallWord(bytes, 0)
  const length = offset === undefined ? undefined : smallWord(bytes, offset)
  if (offset === undefined || length === undefined || offset + 32 + length > size) return ''
  const text = bytes.subarray(offset + 32, offset + 32 + length)
  // The end of what is read can be in the middle of a character, which is left out.
  return new TextDecoder().decode(text, { stream: text.length < length })
}

function toDecimals({ bytes }: Returned): number | null {
  const decimals = smallWord(bytes, 0)
  return decimals !== undefined && decimals < 256 ? decimals : null
}

/** `undefined` where there is no word, or one that is larger than any size could be. */
function smallWord(bytes: Buffer, at: number): number | undefined {
  if (at + 32 > bytes.length || bytes.subarray(at, at + 26).some((byte) => byte !== 0)) return undefined
  return bytes.readUIntBE(at + 26, 6)
}
