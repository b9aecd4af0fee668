import type { CheckOrder, OrderAnswer } from '../../chain/order/order-check.ts'
import { revertDataText } from '../../chain/rpc/revert.ts'
import { minOf } from '../../domain/amount.ts'
import { unpayable, unsigned } from '../../domain/diagnosis/account-reasons.ts'
import { type DiagnosisInput, type Reason, reasonOf, standingOf } from '../../domain/diagnosis/diagnosis.ts'
import { Outage } from '../../domain/errors/error.ts'
import type { Network } from '../../domain/network/network.ts'
import { orderDigest } from '../../domain/signing/signing.ts'
import type { Candidate } from '../check.ts'
import { toInteractions } from '../interactions.ts'

/** An order that may not be signed yet. */
export type UnplacedOrder = Candidate & { isSigned: boolean }

/**
 * Reads the funds of an order's account and the answer of its own code; `away` if the node does not answer.
 * @throws Refusal Unavailable
 */
export async function lookAtAccount(
  { creation, order, owner, signature, parsedAppData, isSigned }: UnplacedOrder,
  { network, checkOrder }: { network: Network; checkOrder: CheckOrder },
): Promise<OrderAnswer | 'away'> {
  const asksContract = isSigned && creation.signingScheme === 'eip1271'
  try {
    return await checkOrder({
      owner,
      sellToken: order.sellToken,
      amount: order.sellAmount + order.feeAmount,
      preInteractions: toInteractions(parsedAppData, network.hooksTrampoline).pre,
      ...(asksContract && { signature: { digest: orderDigest(network, order), bytes: signature } }),
    })
  } catch (fault) {
    if (fault instanceof Outage) return 'away'
    throw fault
  }
}

const exhausted = 'its code used up its time or gas'

/** The reasons that the account itself can remove. */
export function accountReasons(
  facts: DiagnosisInput,
  { order, owner }: UnplacedOrder,
  answer: OrderAnswer,
): Reason[] {
  const isPresign = facts.order.signingScheme === 'presign'
  const reasons: Reason[] = []
  if (isPresign && !facts.order.presigned) reasons.push(reasonOf('presignatureMissing', null))
  if (answer.signature === 'invalid')
    reasons.push(unsigned(facts, standingOf(facts, { revert: signatureRevert(owner, answer) })))
  const { balance, allowance, transfer } = answer
  const needed = order.sellAmount + order.feeAmount
  // Any other order is placed only if its account has all of it.
  const isPart = isPresign && order.partiallyFillable
  const held = minOf(balance, allowance)
  const whole = { ...facts, order: { ...facts.order, partiallyFillable: isPart } }
  if (answer.exhausted)
    reasons.push(...unpayable(whole, standingOf(facts, { funds: null, revert: exhausted })))
  else if (held < (isPart ? 1n : needed))
    reasons.push(...unpayable(whole, standingOf(facts, { funds: { balance, allowance } })))
  else if (transfer !== 'ok' && held >= needed)
    reasons.push(...unpayable(whole, standingOf(facts, { revert: revertDataText(transfer.revert) })))
  return reasons
}

function signatureRevert(owner: string, answer: OrderAnswer): string | null {
  if (answer.exhausted) return exhausted
  if (!answer.ownerHasCode) return `${owner} has no code`
  return answer.signatureRevert ? revertDataText(answer.signatureRevert) : null
}
