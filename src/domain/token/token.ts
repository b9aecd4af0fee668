import { type Address, nativeMarker } from '../evm/address.ts'

export interface Token {
  chainId: number
  address: Address
  /** The metadata; null if the contract does not report it. */
  symbol: string | null
  name: string | null
  decimals: number | null
}

/** An account with a positive balance, in atoms. */
export interface TokenHolder {
  address: Address
  balance: bigint
}

/** The token that a settlement trades: the wrapped token for an order that buys the native coin. */
export function wrappedForm(token: Address, wrappedNative: Address): Address {
  return token === nativeMarker ? wrappedNative : token
}
