import { Interface } from 'ethers'
import type { OrderAnswer } from '../../chain/order/order-check.ts'
import type { Hook } from '../../domain/app-data/document.ts'
import { Refusal } from '../../domain/errors/error.ts'
import { type Address, address } from '../../domain/evm/address.ts'
import type { Hex } from '../../domain/evm/hex.ts'
import type { Network } from '../../domain/network/network.ts'
import { hooksGas } from '../../domain/settlement/gas.ts'
import { explainSignature } from '../../domain/signing/explain-signature.ts'
import { readErc6492, smartAccountForms } from '../../domain/signing/signature.ts'
import { isEcdsa, orderDigest } from '../../domain/signing/signing.ts'
import type { Candidate, OrderServices } from '../check.ts'
import { toInteractions } from '../interactions.ts'

/** The owner's contract accepts the signature of an eip1271 order after the order's pre-hooks. */
function contractSignature({ owner, creation }: Candidate, answer: OrderAnswer, network: Network): void {
  if (answer.signature !== 'invalid') return
  const { mistake, explanation } = explainSignature(creation, owner, network)
  throw new Refusal('InvalidEip1271Signature', reason(owner, creation.signature, answer), {
    field: 'signature',
    ...(mistake && { data: { mistake, explanation } }),
  })
}

function reason(
  owner: string,
  signature: Hex,
  { ownerHasCode, exhausted, signatureGas }: OrderAnswer,
): string {
  if (exhausted) return `the code of ${owner} or of the order’s hooks does not end in the time it is given`
  if (!ownerHasCode && readErc6492(signature)) {
    return `${owner} has no code: deploy it first, or by a pre-hook of the order; a settlement does not make the call of an ERC-6492 signature`
  }
  if (!ownerHasCode) return `${owner} has no code: eip1271 is for contract wallets that are deployed`
  const refused = `isValidSignature of ${owner} does not accept the signature (it used ${signatureGas} gas)`
  return [refused, ...smartAccountForms(signature)].join('; ')
}

/** Permits of ERC-2612, of DAI, and of tokens that take signatures of contracts. */
const permitAbi = new Interface([
  'function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)',
  'function permit(address owner, address spender, uint256 nonce, uint256 expiry, bool allowed, uint8 v, bytes32 r, bytes32 s)',
  'function permit(address owner, address spender, uint256 value, uint256 deadline, bytes signature)',
])

/** The allowance that the permit of an order has to give. */
interface PermitNeed {
  token: Address
  owner: Address
  spender: Address
  needed: bigint
}

/** Most pre-hooks of one order that are called. */
const maxCalled = 2

/** The fault of a pre-hook, in words. */
interface FaultyHook {
  hook: string
  isPermit: boolean
}

/**
 * Why the pre-hooks of an order leave it without an allowance; undefined without pre-hooks, or if they seem
 * right. Permits come first, then the other hooks in their order. Each hook is called alone.
 */
async function faultyHook(
  hooks: readonly Hook[],
  need: PermitNeed,
  { callHook, meter }: Pick<OrderServices, 'callHook' | 'meter'>,
): Promise<FaultyHook | undefined> {
  const named = hooks.map((hook, index) => {
    const permit = hook.target === need.token ? readPermit(hook) : undefined
    const alone = index > 0 && !permit ? ', called alone,' : ''
    return { hook, permit, name: `its pre-hook ${index}${permit ? ', a permit,' : alone}` }
  })
  const permitsFirst = named.toSorted(
    (a, b) => Number(b.permit !== undefined) - Number(a.permit !== undefined),
  )
  for (const { hook, name, permit } of permitsFirst.slice(0, maxCalled)) {
    const isPermit = permit !== undefined
    const mismatch = permit && mismatchOf(permit, need)
    if (mismatch) return { hook: `${name} ${mismatch}`, isPermit }
    meter?.takeGas?.(hook.gasLimit)
    const reason = await callHook(hook)
    if (reason !== undefined) return { hook: `${name} reverts: ${reason}`, isPermit }
  }
  return undefined
}

type Permit = Pick<PermitNeed, 'owner' | 'spender'> & { value: bigint | undefined }

function readPermit({ callData }: Hook): Permit | undefined {
  try {
    const args = permitAbi.parseTransaction({ data: callData })?.args.toObject()
    return args && { owner: address(args.owner), spender: address(args.spender), value: args.value }
  } catch {
    return undefined
  }
}

function mismatchOf({ owner, spender, value }: Permit, need: PermitNeed): string | undefined {
  if (owner !== need.owner) return `is of ${owner}, not of the owner`
  if (spender !== need.spender) return `is for the spender ${spender}`
  if (value !== undefined && value < need.needed) return `is for ${value} only`
  return undefined
}

/** The owner can pay now: the balance and the allowance suffice, and the token's transfer does not revert. */
async function funds(
  { order, owner, parsedAppData }: Candidate,
  answer: OrderAnswer,
  services: OrderServices,
): Promise<void> {
  const { balance, allowance, transfer, exhausted } = answer
  const needed = order.sellAmount + order.feeAmount
  if (exhausted) {
    throw transferFailed('the order’s hooks or its sell token do not end in the time they are given', '0x')
  }
  if (balance < needed) {
    throw new Refusal(
      'InsufficientBalance',
      `owner holds ${balance} of the sell token, the order needs ${needed}`,
      {
        field: 'sellAmount',
        data: { have: balance.toString(), need: needed.toString() },
      },
    )
  }
  if (allowance < needed) {
    const { preHooks } = parsedAppData
    const spender = services.network.vaultRelayer
    const faulty = await faultyHook(preHooks, { owner, spender, token: order.sellToken, needed }, services)
    const short = `vault relayer may spend ${allowance} of the sell token, the order needs ${needed}`
    throw new Refusal('InsufficientAllowance', faulty ? `${short}: ${faulty.hook}` : short, {
      field: 'sellAmount',
      data: { have: allowance.toString(), need: needed.toString(), spender, ...toData(faulty) },
    })
  }
  if (transfer !== 'ok') {
    throw transferFailed(
      `the transfer of ${needed} of the sell token reverts with ${transfer.revert}`,
      transfer.revert,
    )
  }
}

const toData = (faulty: FaultyHook | undefined) =>
  faulty && { preHook: faulty.hook, ...(faulty.isPermit && { permit: faulty.hook }) }

function transferFailed(message: string, revert: string): Refusal {
  return new Refusal('TransferSimulationFailed', message, { field: 'sellToken', data: { revert } })
}

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
  { network, limits, spendable, checkOrder, meter }: OrderServices,
): Promise<OrderAnswer> {
  const amount = order.sellAmount + order.feeAmount
  const { pre } = toInteractions(parsedAppData, network.hooksTrampoline)
  const isRecovered = isEcdsa(creation.signingScheme)
  if (isRecovered && pre.length === 0)
    return { ...(await spendable(owner, order.sellToken, amount)), ...notSimulated }
  const { preHooks } = parsedAppData
  meter?.takeGas?.(hooksGas({ preHooks, postHooks: [] }) + (isRecovered ? 0n : limits.signatureGas))
  return checkOrder({
    owner,
    sellToken: order.sellToken,
    amount,
    preInteractions: pre,
    ...(!isRecovered && { signature: { digest: orderDigest(network, order), bytes: signature } }),
  })
}

/**
 * A transfer rarely reverts when balance and allowance suffice; simulating it would add half to the cost of
 * every order's read.
 */
const notSimulated = {
  transfer: 'ok',
  signature: 'unasked',
  signatureGas: 0n,
  ownerHasCode: false,
  exhausted: false,
} as const
