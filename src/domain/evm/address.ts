import { type Hex, toHex } from './hex.ts'

/** A 20-byte address in lowercase. Order book routes accept mixed case and never check it as a checksum. */
export type Address = Hex & { readonly address?: never }

export const zeroAddress: Address = '0x0000000000000000000000000000000000000000'

/** Marks the native coin as buy token; the settlement pays in native coin. */
export const nativeMarker: Address = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'

/**
 * Parses an address with digits of any letter case.
 * @returns undefined if the text is not `0x` and 20 bytes of hex
 */
export function toAddress(text: string): Address | undefined {
  return toHex(text, 20)
}

/** Parses literals and trusted values from the chain or the database. @throws TypeError */
export function address(text: string): Address {
  const parsed = toAddress(text)
  if (!parsed) throw new TypeError(`not an address: ${text}`)
  return parsed
}
