import type { Address } from '../evm/address.ts'
import { filledAmount } from '../order/order.ts'
import type { DiagnosisCode } from './code.ts'
import { diagnosisTexts } from './code.ts'
import type { AmountsEvidence, Evidence, Reason } from './diagnosis.ts'
import type { DiagnosisFacts, JudgedOrder } from './facts.ts'

/**
 * Creates a reason.
 * @param summary the meaning of the code, without figures, if left out
 */
export function reasonOf(
  code: DiagnosisCode,
  since: Date | null,
  evidence: readonly Evidence[] = [],
  summary: string = diagnosisTexts[code].meaning,
): Reason {
  return { code, summary, since, evidence }
}

export function amountsOf(token: Address, needed: bigint, available: bigint): AmountsEvidence {
  return { kind: 'amounts', token, needed, available, missing: needed > available ? needed - available : 0n }
}

/** The signed atoms of the fixed side, and the number of filled atoms. */
export function fillOf(order: JudgedOrder): { token: Address; target: bigint; filled: bigint } {
  return order.kind === 'sell'
    ? { token: order.sellToken, target: order.sellAmount, filled: filledAmount(order) }
    : { token: order.buyToken, target: order.buyAmount, filled: filledAmount(order) }
}

/** The sell atoms that remain to be filled. */
export function remainingSell(order: JudgedOrder): bigint {
  const filled = filledAmount(order)
  return order.kind === 'sell'
    ? order.sellAmount - filled
    : order.sellAmount - (order.sellAmount * filled) / order.buyAmount
}

/** One of the order's tokens, for texts. */
export function tokenOf({ order, tokens }: Pick<DiagnosisFacts, 'order' | 'tokens'>, token: Address) {
  const { symbol = null, decimals = null } = (token === order.sellToken ? tokens.sell : tokens.buy) ?? {}
  return { address: token, symbol, decimals }
}
