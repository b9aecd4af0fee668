import { isUtf8 } from 'node:buffer'
import { Outage } from '../../domain/errors/error.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Hex } from '../../domain/evm/hex.ts'
import type { Token } from '../../domain/token/token.ts'

type Metadata = Omit<Token, 'chainId'>

/** The return data of a token for one call. */
interface Returned {
  /** The number of bytes returned; 0 also if the call failed. */
  size: number
  /** The first bytes, up to the reader's limit. */
  bytes: Buffer
}

const maxTextLength = 100
/** The limits of MetadataReader.sol for a text and for a number. */
const maxTextBytes = 464
const maxNumberBytes = 32

/**
 * Parses the result of MetadataReader.sol for these tokens; null for a value that a token does not return or
 * that cannot be decoded.
 * @throws Outage if MetadataReader.sol cannot have returned it
 */
export function parseMetadata(returned: Hex, tokens: readonly Address[]): Metadata[] {
  const bytes = Buffer.from(returned.slice(2), 'hex')
  let offset = 0
  function readNext(maxBytes: number): Returned {
    const size = smallWord(bytes, offset)
    const end = offset + 32 + Math.min(size ?? 0, maxBytes)
    if (size === undefined || end > bytes.length) throw malformed(bytes.length)
    const returned = { size, bytes: bytes.subarray(offset + 32, end) }
    offset = end
    return returned
  }
  const metadata = tokens.map((address) => ({
    address,
    symbol: toText(readNext(maxTextBytes)),
    name: toText(readNext(maxTextBytes)),
    decimals: toDecimals(readNext(maxNumberBytes)),
  }))
  if (offset !== bytes.length) throw malformed(bytes.length)
  return metadata
}

function malformed(size: number): Outage {
  return new Outage('the network node', new TypeError(`not what MetadataReader.sol returns: ${size} bytes`))
}

/**
 * Decodes a text. Some early tokens return bytes32 instead of a string. The text is untrusted: only visible
 * characters are kept, on one line, up to `maxTextLength`.
 */
function toText(returned: Returned): string | null {
  const result = returned.size === 32 ? fixedText(returned.bytes) : stringText(returned)
  const text = result.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '').trim()
  return [...text].slice(0, maxTextLength).join('') || null
}

/** Decodes text that is padded with zeros to 32 bytes. Any other word is a number or a hash, not text. */
function fixedText(word: Buffer): string {
  const end = word.indexOf(0)
  const text = end < 0 ? word : word.subarray(0, end)
  const isZeroPadded = word.subarray(text.length).every((byte) => byte === 0)
  return isZeroPadded && isUtf8(text) ? text.toString('utf8') : ''
}

/** Decodes an ABI string leniently: invalid UTF-8 is replaced, not refused. */
function stringText({ size, bytes }: Returned): string {
  const offset = smallWord(bytes, 0)
  const length = offset === undefined ? undefined : smallWord(bytes, offset)
  if (offset === undefined || length === undefined || offset + 32 + length > size) return ''
  const text = bytes.subarray(offset + 32, offset + 32 + length)
  // A truncated text can end within a character, which is dropped.
  return new TextDecoder().decode(text, { stream: text.length < length })
}

function toDecimals({ bytes }: Returned): number | null {
  const decimals = smallWord(bytes, 0)
  return decimals !== undefined && decimals < 256 ? decimals : null
}

/** The number in a word; undefined without a full word, or for 2^48 or more. */
function smallWord(bytes: Buffer, offset: number): number | undefined {
  if (offset + 32 > bytes.length || bytes.subarray(offset, offset + 26).some((byte) => byte !== 0))
    return undefined
  return bytes.readUIntBE(offset + 26, 6)
}
