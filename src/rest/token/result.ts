import { Refusal } from '../../domain/errors/error.ts'
import type { GetNetworkTokensTokenDetailsResult } from '../documents.generated.ts'

/**
 * REST has a JSON number for this amount: the nearest double.
 * @throws Refusal NoLiquidity for a token without a price
 */
export function writeNativePrice(nativePrice: string | null | undefined): { price: number } {
  if (nativePrice == null)
    throw new Refusal('NoLiquidity', 'no route leads from this token to the native coin')
  return { price: Number(nativePrice) }
}

/** A JSON number too. `null` if the double is not positive and finite: no price. */
export function writeUsdPrice(price: string | undefined): { price: number } | null {
  const number = Number(price)
  return Number.isFinite(number) && number > 0 ? { price: number } : null
}

export type TokenResult = GetNetworkTokensTokenDetailsResult['tokens'][number]

/** Members that the contract does not have are left out. */
export function writeToken({ address, symbol, name, decimals }: TokenResult) {
  return {
    address,
    ...(name !== null && { name }),
    ...(symbol !== null && { symbol }),
    ...(decimals !== null && { decimals }),
  }
}
