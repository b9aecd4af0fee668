import type { OrderAnswer } from '../../chain/order/order-check.ts'
import { isEcdsa, orderDigest } from '../../domain/signing/signing.ts'
import type { Candidate, OrderServices } from '../check.ts'
import { toInteractions } from '../interactions.ts'
import { contractSignature } from './contract-signature.ts'
import { funds } from './funds.ts'

/**
 * What only the chain can say: whether a contract wallet stands by its signature, then whether the owner can pay.
 * Presign orders are exempt: signature and funds may come with the transaction that signs them.
 * @returns what the wallet's code used to judge the signature
 * @throws Refusal; Outage when the node does not answer
 */
export async function onChain(
  candidate: Candidate,
  services: OrderServices,
): Promise<{ signatureGas: bigint }> {
  if (candidate.creation.signingScheme === 'presign') return { signatureGas: 0n }
  const answer = await ask(candidate, services)
  contractSignature(candidate, answer, services)
  funds(candidate, answer, services)
  return { signatureGas: answer.signatureGas }
}

/** An order whose own code has to run is asked about in a call of its own; for the others two numbers are read. */
async function ask(
  { creation, data, parsedAppData, owner, signature }: Candidate,
  { network, spendable, checkOrder }: OrderServices,
): Promise<OrderAnswer> {
  const amount = data.sellAmount + data.feeAmount
  const { pre } = toInteractions(parsedAppData, network.hooksTrampoline)
  const ownSignature = isEcdsa(creation.signingScheme)
  if (ownSignature && pre.length === 0)
    return { ...(await spendable(owner, data.sellToken, amount)), ...unasked }
  return checkOrder({
    owner,
    sellToken: data.sellToken,
    amount,
    preInteractions: pre,
    ...(!ownSignature && { signature: { digest: orderDigest(network, data), bytes: signature } }),
  })
}

/** A transfer that reverts although the numbers suffice is rare, and trying it would make every order's read half as dear again. */
const unasked = {
  transfer: 'ok',
  signature: 'unasked',
  signatureGas: 0n,
  ownerHasCode: false,
  exhausted: false,
} as const
