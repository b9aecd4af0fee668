import { Refusal } from '../../domain/errors/error.ts'
import type { GetNetworkTokensTokenDetailsResult } from '../documents.generated.ts'

/**
 * The interface has a JSON number here, and nowhere else: the double nearest to the decimal.
 * @throws Refusal NoLiquidity for a token without a price
 */
export function writeNativePrice(nativePrice: string | null | undefined): { price: number } {
  if (nativePrice == null)
    throw new Refusal('NoLiquidity', 'no route leads from this token to the native coin')
  return { price: Number(nativePrice) }
}

/** The interface has a JSON number here too; what no double more than zero stands for is no price. */
export function writeUsdPrice(price: string | undefined): { price: number } | null {
  const number = Number(price)
  return Number.isFinite(number) && number > 0 ? { price: number } : null
}

export type TokenResult = GetNetworkTokensTokenDetailsResult['tokens'][number]

/** What the contract does not say is left out. */
export function writeToken({ address, symbol, name, decimals }: TokenResult) {
  return {
    address,
    ...(name !== null && { name }),
    ...(symbol !== null && { symbol }),
    ...(decimals !== null && { decimals }),
  }
}
