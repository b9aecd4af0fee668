import type { OrderAnswer } from '../../chain/order/order-check.ts'
import { hooksGas } from '../../domain/settlement/gas.ts'
import { isEcdsa, orderDigest } from '../../domain/signing/signing.ts'
import type { Candidate, OrderServices } from '../check.ts'
import { toInteractions } from '../interactions.ts'
import { contractSignature } from './contract-signature.ts'
import { funds } from './funds.ts'

/**
 * Checks that need the chain: a contract wallet accepts its signature, then the owner can pay.
 * Presign orders are exempt: signature and funds may come with the transaction that signs them.
 * @returns the gas that the wallet used to check the signature
 * @throws Refusal; Outage when the node does not answer
 */
export async function onChain(
  candidate: Candidate,
  services: OrderServices,
): Promise<{ signatureGas: bigint }> {
  if (candidate.creation.signingScheme === 'presign') return { signatureGas: 0n }
  const answer = await readAnswer(candidate, services)
  contractSignature(candidate, answer, services.network)
  await funds(candidate, answer, services)
  return { signatureGas: answer.signatureGas }
}

/** Simulates an order whose own code has to run; for others it only reads balance and allowance. */
async function readAnswer(
  { creation, order, parsedAppData, owner, signature }: Candidate,
  { network, limits, spendable, checkOrder, takeGas }: OrderServices,
): Promise<OrderAnswer> {
  const amount = order.sellAmount + order.feeAmount
  const { pre } = toInteractions(parsedAppData, network.hooksTrampoline)
  const isRecovered = isEcdsa(creation.signingScheme)
  if (isRecovered && pre.length === 0)
    return { ...(await spendable(owner, order.sellToken, amount)), ...notSimulated }
  const { preHooks } = parsedAppData
  takeGas?.(hooksGas({ preHooks, postHooks: [] }) + (isRecovered ? 0n : limits.signatureGas))
  return checkOrder({
    owner,
    sellToken: order.sellToken,
    amount,
    preInteractions: pre,
    ...(!isRecovered && { signature: { digest: orderDigest(network, order), bytes: signature } }),
  })
}

/** A transfer rarely reverts when balance and allowance suffice; simulating it would add half to the cost of every order's read. */
const notSimulated = {
  transfer: 'ok',
  signature: 'unasked',
  signatureGas: 0n,
  ownerHasCode: false,
  exhausted: false,
} as const
