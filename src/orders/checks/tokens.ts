import { nativeMarker } from '../../domain/address.ts'
import { Refusal } from '../../domain/error.ts'
import type { Check } from '../check.ts'

/** Two different tokens, and the sold one is a token: the chain's own coin can't be pulled from an account. */
export const tokens: Check = ({ data }, { network }) => {
  const unwraps = data.sellToken === network.wrappedNative && data.buyToken === nativeMarker
  if (data.sellToken === data.buyToken || unwraps) {
    throw new Refusal('SameBuyAndSellToken', 'sellToken and buyToken are the same', { field: 'buyToken' })
  }
  if (data.sellToken === nativeMarker) {
    throw new Refusal('InvalidNativeSellToken', `sell the wrapped form instead: ${network.wrappedNative}`, {
      field: 'sellToken',
    })
  }
}
