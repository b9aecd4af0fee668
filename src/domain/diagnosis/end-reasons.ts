import type { Refusal } from '../errors/error.ts'
import type { RefusalCode } from '../errors/refusal-codes.ts'
import type { Bytes32 } from '../evm/hex.ts'
import type { CancellationSource } from '../order/event.ts'
import type { OrderUid } from '../order/order.ts'
import { failureText } from '../settlement/hooks.ts'
import { foreign, readableDown, readablePercent, readableUp } from '../text/readable.ts'
import type { DiagnosisCode } from './code.ts'
import { amountsOf, type DiagnosisInput, fillOf, type Reason, reasonOf, tokenOf } from './diagnosis.ts'
import type { Evidence, EvidenceOf } from './evidence.ts'

/** Describes how an order ended, and how much of it is filled. */

export function filled(facts: DiagnosisInput): Reason {
  const { order, lastTrade } = facts
  const { token, target, filled } = fillOf(order)
  const evidence = [...tradeEvidence(lastTrade), amountsOf(token, target, filled)]
  const sold = readableDown(order.executedSellAmount, tokenOf(facts, order.sellToken))
  const bought = readableDown(order.executedBuyAmount, tokenOf(facts, order.buyToken))
  const since = lastTrade?.at ?? null
  if (!facts.failedHook)
    return reasonOf('filled', since, evidence, `The order is filled: ${sold} for ${bought}.`)
  const summary = `The order is filled: ${sold} for ${bought}. Only the trade is done: a call of the order’s own after it failed.`
  return {
    ...reasonOf('filled', since, evidence, summary),
    advice: 'Look at the next reason: it explains what is left to do.',
  }
}

/** Returns the failure of hooks after the order's trades as a reason; none if no failure is known. */
export function failedHooks({ failedHook }: Pick<DiagnosisInput, 'failedHook'>): Reason[] {
  if (!failedHook) return []
  const { index, target, outcome, reason, gasUsed, txHash, block, failed } = failedHook
  const cause = failureText({ outcome, reason: reason === null ? null : foreign(reason) })
  const summary =
    failed === 1
      ? `A call of the order’s own after its trade, to ${target}, failed: ${cause}.`
      : `${failed} calls of the order’s own after its trades failed, the newest to ${target}: ${cause}.`
  const evidence: Evidence[] = [
    { kind: 'hook', phase: 'post', index, target, outcome, gasLimit: null, gasUsed },
    { kind: 'transaction', txHash, block },
    ...(reason === null ? [] : [{ kind: 'revert' as const, reason }]),
  ]
  return [reasonOf('postHookFailed', null, evidence, summary)]
}

/** Returns the partial fill as a reason; none if nothing is filled. */
export function partlyFilled(facts: DiagnosisInput): Reason[] {
  const { order, lastTrade, isPast } = facts
  const { token, target, filled } = fillOf(order)
  if (filled <= 0n || filled >= target) return []
  const amounts = amountsOf(token, target, filled)
  const words = tokenOf(facts, token)
  const [done, all] = [readableDown(filled, words), readableDown(target, words)]
  const is = isPast ? 'was' : 'is'
  const summary = `${readablePercent((filled * 1_000_000n) / target)} % ${is} filled: ${done} of ${all}. ${readableUp(amounts.missing, words)} ${is} left.`
  return [reasonOf('partlyFilled', lastTrade?.at ?? null, [amounts, ...tradeEvidence(lastTrade)], summary)]
}

function tradeEvidence(trade: DiagnosisInput['lastTrade']): Evidence[] {
  return trade ? [{ kind: 'transaction', txHash: trade.txHash, block: trade.block }] : []
}

const cancellers: Readonly<Record<CancellationSource, string>> = {
  api: 'Its owner cancelled the order.',
  policy: 'The operator of the service cancelled the order.',
  replacement: 'A newer order of its owner replaced the order.',
  chain: 'The order was cancelled on chain.',
}

/**
 * Describes a cancellation.
 * @param cancellation of a cancelled order; null if nothing more is known
 */
export function cancelled({ cancellation }: Pick<DiagnosisInput, 'cancellation'>): Reason {
  const { by, detail, at } = cancellation ?? { by: 'api' as const, detail: null, at: null }
  const rest = detail?.slice(detail.indexOf(': ') + 2)
  const evidence: Evidence[] = [
    { kind: 'cancellation', by, detail: by === 'policy' && detail?.includes(': ') ? (rest ?? null) : null },
  ]
  if (by === 'replacement' && rest) evidence.push({ kind: 'order', uid: rest as OrderUid })
  if (by === 'chain' && rest) evidence.push({ kind: 'transaction', txHash: rest as Bytes32, block: null })
  return reasonOf('cancelled', at, evidence, cancellers[by])
}

export function neverTradable({ order }: DiagnosisInput): Reason {
  const reason = order.placementDetail ?? order.placementError ?? ''
  return reasonOf('neverTradable', order.creationDate, [{ kind: 'revert', reason }])
}

export function expired(facts: DiagnosisInput): Reason {
  return reasonOf('expired', new Date(facts.order.effectiveValidTo * 1_000), [validityOf(facts)])
}

export function validityOf({
  order,
  service,
}: Pick<DiagnosisInput, 'order' | 'service'>): EvidenceOf<'validity'> {
  const { validFrom, effectiveValidTo } = order
  return {
    kind: 'validity',
    from: validFrom === null ? null : new Date(validFrom * 1_000),
    until: new Date(effectiveValidTo * 1_000),
    offeredUntil: new Date((effectiveValidTo - service.minLifetime) * 1_000),
  }
}

/** Diagnosis codes for refusals to place an order that have a more common reason. */
const codesOfRefusals: Partial<Record<RefusalCode, DiagnosisCode>> = {
  Forbidden: 'accountDenied',
  UnsupportedToken: 'tokenDenied',
  OrderExpired: 'expired',
  InsufficientValidTo: 'expiresTooSoon',
  InvalidSignature: 'signatureInvalid',
  WrongOwner: 'signatureInvalid',
}

/** The reason why an order would be refused. */
export function refused(
  { code, field, message }: Refusal,
  as: DiagnosisCode = codesOfRefusals[code] ?? (field === 'signature' ? 'signatureInvalid' : 'notAccepted'),
): Reason {
  const evidence = { kind: 'refusal', code, field: field ?? null, message } as const
  return reasonOf(as, null, [evidence], `The service would refuse the order: ${foreign(message)}.`)
}
