import { Refusal } from '../../domain/error.ts'

/**
 * The interface has a JSON number here, and nowhere else: the double nearest to the decimal.
 * @throws Refusal NoLiquidity for a token without a price
 */
export function writeNativePrice(nativePrice: string | null | undefined): { price: number } {
  if (nativePrice == null)
    throw new Refusal('NoLiquidity', 'no route leads from this token to the native coin')
  return { price: Number(nativePrice) }
}
