import { formatUnits, mulDivDown } from '../amount.ts'
import { factorScale } from '../fee/policy.ts'
import type { OrderKind } from '../order/order.ts'

export interface QuotedAmounts {
  sellAmount: bigint
  buyAmount: bigint
  feeAmount: bigint
}

/**
 * The amounts after volume fees, in parts per million, taken one after the other. Each fee is rounded down,
 * as in an auction: at the quoted price a trader is charged exactly the quoted fees.
 */
export function withVolumeFees(
  kind: OrderKind,
  { sellAmount: sell, buyAmount: buy, feeAmount }: QuotedAmounts,
  fees: readonly bigint[],
): QuotedAmounts {
  let [sellAmount, buyAmount] = [sell, buy]
  for (const fee of fees) {
    if (kind === 'sell') buyAmount -= mulDivDown(buyAmount, fee, factorScale)
    else sellAmount += mulDivDown(sellAmount + feeAmount, fee, factorScale)
  }
  return { sellAmount, buyAmount, feeAmount }
}

/**
 * The sum of the volume fees in basis points, as a plain decimal: 200 parts per million are "2". Null without
 * fees.
 */
export function protocolFeeBps(fees: readonly bigint[]): string | null {
  const sum = fees.reduce((total, fee) => total + fee, 0n)
  return sum > 0n ? formatUnits(sum, 2) : null
}
