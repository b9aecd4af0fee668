import { address as addressField, described, uint256, type ValueOf } from '../described.ts'
import { type Address, nativeMarker, toAddress } from '../evm/address.ts'
import { keccakText } from '../evm/keccak.ts'

export interface Token {
  chainId: number
  address: Address
  /** The metadata; null if the contract does not report it. */
  symbol: string | null
  name: string | null
  decimals: number | null
}

export const tokenHolder = described('TokenHolder', 'A holder of a token.', {
  address: addressField('The holder’s address.'),
  balance: uint256('Atoms, more than nothing.'),
})
export type TokenHolder = ValueOf<typeof tokenHolder>

/** The token that a settlement trades: the wrapped token for an order that buys the native coin. */
export function wrappedForm(token: Address, wrappedNative: Address): Address {
  return token === nativeMarker ? wrappedNative : token
}

const malformed = 'must be an address: 20 bytes of hex with 0x in front, or - for the chain’s own coin'
const wrongChecksum = 'has a wrong checksum: look for a mistyped character, or write all letters in lowercase'

/**
 * Parses a token from user input: `-` and 0xEeee… are the native coin, and mixed case must be a valid EIP-55
 * checksum. `fault` is a text that follows the field's name.
 */
export function parseTokenAddress(text: string): { address: Address } | { fault: string } {
  if (text === '-') return { address: nativeMarker }
  const address = toAddress(text)
  if (!address) return { fault: malformed }
  const digits = text.slice(2)
  const isMixed = text !== address && digits !== digits.toUpperCase()
  if (isMixed && text !== checksummed(address)) return { fault: wrongChecksum }
  return { address }
}

/**
 * The address with its EIP-55 checksum: a letter is a capital if the hash of the lowercase digits has 8 or
 * more.
 */
function checksummed(address: Address): string {
  const digits = address.slice(2)
  const hash = keccakText(digits).slice(2)
  const cased = digits.replace(/[a-f]/g, (letter, place: number) =>
    Number.parseInt(hash[place] ?? '', 16) >= 8 ? letter.toUpperCase() : letter,
  )
  return `0x${cased}`
}
