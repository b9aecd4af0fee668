import { formatUnits } from '../amount.ts'
import { type Address, nativeMarker } from '../evm/address.ts'

export interface Token {
  chainId: number
  address: Address
  /** null when the contract does not say. */
  symbol: string | null
  name: string | null
  decimals: number | null
}

/** Whose balance is more than nothing, in atoms. */
export interface TokenHolder {
  address: Address
  balance: bigint
}

/** An amount for people: exact units and symbol; atoms and address where the contract is silent. */
export function formatTokenAmount(
  amount: bigint,
  token: Pick<Token, 'address' | 'symbol' | 'decimals'>,
): string {
  return `${formatUnits(amount, token.decimals ?? 0)} ${token.symbol ?? token.address}`
}

/** The token that changes hands inside a settlement: an order that buys the native coin trades its wrapped form. */
export function wrappedForm(token: Address, wrappedNative: Address): Address {
  return token === nativeMarker ? wrappedNative : token
}
