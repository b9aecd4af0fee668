import { Interface } from 'ethers'
import { Outage } from '../../domain/errors/error.ts'
import { type Address, address, zeroAddress } from '../../domain/evm/address.ts'
import type { Bytes32, Hex } from '../../domain/evm/hex.ts'
import type { Network } from '../../domain/network/network.ts'
import type { Interaction } from '../../domain/order/order.ts'
import { orderCheckCode } from '../bytecode/order-check.ts'
import type { Spendable } from '../chain.ts'
import { createContractCallQueue } from '../rpc/contract-call-queue.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { asOutage, available, isExecutionFault, isTimeout, parseHex, toQuantity } from '../rpc/wire.ts'

export interface OrderQuestion {
  owner: Address
  sellToken: Address
  /** Atoms that the vault relayer would pull. */
  amount: bigint
  /** Run before everything else, as in a settlement. */
  preInteractions: readonly Interaction[]
  /** Asked of the owner's code, for eip1271 orders. */
  signature?: { digest: Bytes32; bytes: Hex }
}

/** What a settlement of the order would meet at the newest block, after its pre-interactions. */
export interface OrderAnswer extends Spendable {
  /** The first 256 bytes of what the transfer reverts with. */
  transfer: 'ok' | { revert: Hex }
  signature: 'valid' | 'invalid' | 'unasked'
  /** What the owner's code used to say so; 0 when it was not asked. */
  signatureGas: bigint
  ownerHasCode: boolean
  /** The call used up its time or gas while the node was there: all the rest says the worst. */
  exhausted: boolean
}

/**
 * Runs strangers' code: hooks, tokens, wallets. Code that takes too much is an answer, told by `exhausted` or an invalid
 * signature; a node that is away is none.
 * @throws Outage; Refusal Unavailable when too many wait for their turn
 */
export type CheckOrder = (question: OrderQuestion) => Promise<OrderAnswer>

export interface OrderCheckLimits {
  /** Gas units for the owner's code to judge a signature. */
  signatureGas: bigint
  /** Gas units for the pre-interactions. */
  interactionGas: bigint
  /** Calls at a time; one for each owner. Three times as many may wait. */
  atOnce: number
}

export interface OrderCheckOptions {
  /** Its timeout is the time that an order's code gets, and it makes one try. */
  rpc: Rpc
  network: Network
  limits: OrderCheckLimits
}

const checkAbi = new Interface([
  'function ask((address owner, address token, uint256 amount, address relayer, (address target, uint256 value, bytes callData)[] interactions, bytes32 digest, bytes signature, uint256 interactionGas, uint256 signatureGas, uint256 tokenGas) question) returns ((bool signatureValid, uint256 signatureGas, uint256 ownerCodeSize, uint256 balance, uint256 allowance, bool transferred, bytes revertData) answer)',
])
const settlementAbi = new Interface([
  'function simulateDelegatecall(address targetContract, bytes calldataPayload) returns (bytes response)',
])

/** Where the checking code stands during the call, and nowhere else. */
const checkAddress = address('0x0c4ec0de0c4ec0de0c4ec0de0c4ec0de0c4ec0de')
/** For one call into a token. */
const tokenGas = 500_000n
const ownGas = 1_500_000n
const noDigest = `0x${'00'.repeat(32)}` as Bytes32
const emptyQuestion: OrderQuestion = {
  owner: zeroAddress,
  sellToken: zeroAddress,
  amount: 0n,
  preInteractions: [],
}

/** One order, one call of its own: nobody else's reads wait for it or fail with it. */
export function createOrderCheck({ rpc, network, limits }: OrderCheckOptions): CheckOrder {
  const { atOnce } = limits
  const inTurn = createContractCallQueue(atOnce)

  const ask = async (question: OrderQuestion): Promise<OrderAnswer> =>
    toAnswer(await rpc.call('eth_call', toCall(question, network, limits)), question)

  /** The order's code, and not the node, is to blame when the same call without any stranger's code is answered. */
  async function check(question: OrderQuestion): Promise<OrderAnswer> {
    try {
      return await ask(question)
    } catch (fault) {
      if (!isOverLimit(fault)) throw asOutage(fault)
      await available(ask(emptyQuestion))
      return exhausted(question)
    }
  }

  return (question) => inTurn(() => check(question))(question.owner)
}

function toCall(
  { owner, sellToken, amount, preInteractions, signature }: OrderQuestion,
  network: Network,
  limits: OrderCheckLimits,
) {
  const signatureGas = signature ? limits.signatureGas : 0n
  // A call passes on all gas but a 64th, and the trampoline needs some for itself.
  const interactionGas = (limits.interactionGas * 64n) / 63n + 100_000n
  const question = {
    owner,
    token: sellToken,
    amount,
    relayer: network.vaultRelayer,
    interactions: preInteractions,
    digest: signature?.digest ?? noDigest,
    signature: signature?.bytes ?? '0x',
    interactionGas,
    signatureGas,
    tokenGas,
  }
  const foreign = BigInt(preInteractions.length) * interactionGas + signatureGas + 3n * tokenGas
  const data = settlementAbi.encodeFunctionData('simulateDelegatecall', [
    checkAddress,
    checkAbi.encodeFunctionData('ask', [question]),
  ])
  // A tenth more, since this code itself stands three calls deep.
  const gas = toQuantity((foreign * 11n) / 10n + ownGas)
  return [{ to: network.settlement, data, gas }, 'latest', { [checkAddress]: { code: orderCheckCode } }]
}

function toAnswer(returned: unknown, { signature }: OrderQuestion): OrderAnswer {
  const answer = decode(parseHex(returned))
  return {
    balance: answer.balance,
    allowance: answer.allowance,
    transfer: answer.transferred ? 'ok' : { revert: parseHex(answer.revertData) },
    signature: signature ? (answer.signatureValid ? 'valid' : 'invalid') : 'unasked',
    signatureGas: signature ? answer.signatureGas : 0n,
    ownerHasCode: answer.ownerCodeSize > 0n,
    exhausted: false,
  }
}

/** @throws Outage when it is not what the checking code returns */
function decode(returned: Hex) {
  try {
    const [response] = settlementAbi.decodeFunctionResult('simulateDelegatecall', returned)
    return checkAbi.decodeFunctionResult('ask', response)[0]
  } catch (fault) {
    throw new Outage('the network node', fault)
  }
}

/** Out of time, or the whole call failed, as it does when the node gives less gas than it was asked for. */
function isOverLimit(fault: unknown): boolean {
  return isExecutionFault(fault) || isTimeout(fault)
}

function exhausted({ signature }: OrderQuestion): OrderAnswer {
  return {
    balance: 0n,
    allowance: 0n,
    transfer: { revert: '0x' },
    signature: signature ? 'invalid' : 'unasked',
    signatureGas: 0n,
    ownerHasCode: true,
    exhausted: true,
  }
}
