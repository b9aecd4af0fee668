import { Refusal } from '../../domain/errors/error.ts'
import type { Check, Draft } from '../check.ts'

/** Forms of an order that the signed data allows and the service does not trade. */
export const form: Check<Draft> = ({ data }) => {
  if (data.feeAmount > 0n && data.partiallyFillable) {
    throw new Refusal('UnsupportedOrderType', 'a partially fillable order can’t carry a signed fee', {
      field: 'feeAmount',
    })
  }
  if (data.buyTokenBalance !== 'erc20') {
    throw new Refusal('UnsupportedBuyTokenDestination', 'buyTokenBalance must be erc20', {
      field: 'buyTokenBalance',
    })
  }
  if (data.sellTokenBalance !== 'erc20') {
    throw new Refusal('UnsupportedSellTokenSource', 'sellTokenBalance must be erc20', {
      field: 'sellTokenBalance',
    })
  }
}
