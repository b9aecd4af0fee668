import { Interface } from 'ethers'
import { maxOf, minOf } from '../../domain/amount.ts'
import type { Hook } from '../../domain/app-data/document.ts'
import { Outage } from '../../domain/errors/error.ts'
import { encodeBytes, encodeList, encodeTuple, word } from '../../domain/evm/abi.ts'
import { type Address, address, zeroAddress } from '../../domain/evm/address.ts'
import type { Bytes32, Hex } from '../../domain/evm/hex.ts'
import type { Network } from '../../domain/network/network.ts'
import type { Interaction } from '../../domain/order/order.ts'
import { orderCheckCode } from '../bytecode.generated.ts'
import type { Spendable } from '../chain.ts'
import { revertText } from '../rpc/revert.ts'
import { createContractCallQueue, type Rpc } from '../rpc/rpc.ts'
import { asOutage, available, isExecutionFault, isTimeout, parseHex, toQuantity } from '../rpc/wire.ts'
import { floorGas, intrinsicGas } from '../settlement/sequence.ts'

export interface OrderQuestion {
  owner: Address
  sellToken: Address
  /** The atoms that the vault relayer would pull. */
  amount: bigint
  /** The interactions to run first, as in a settlement. */
  preInteractions: readonly Interaction[]
  /** The signature of an eip1271 order, which the owner's code verifies. */
  signature?: { digest: Bytes32; bytes: Hex }
}

/** The state that a settlement of the order would find at the newest block, after its pre-interactions. */
export interface OrderAnswer extends Spendable {
  /** The result of the transfer, with the first 256 bytes of its revert data. */
  transfer: 'ok' | { revert: Hex }
  signature: 'valid' | 'invalid' | 'unasked'
  /** The first 256 bytes of the revert data of the owner's code; left out if it does not revert. */
  signatureRevert?: Hex
  /** The gas units that the owner's code used; 0 if there is no signature to check. */
  signatureGas: bigint
  ownerHasCode: boolean
  /**
   * True if the call exceeded its time or gas although the node was available. All other members then have
   * their worst values.
   */
  exhausted: boolean
}

/**
 * Runs untrusted code: hooks, tokens, wallets. Code that exceeds its limits results in `exhausted` or an
 * invalid signature; an unavailable node is an Outage.
 * @throws Outage; Refusal Unavailable if the queue is full
 */
export type CheckOrder = (question: OrderQuestion) => Promise<OrderAnswer>

interface OrderCheckLimits {
  /** The gas units for the owner's code to verify a signature. */
  signatureGas: bigint
  /** The gas units for the pre-interactions. */
  interactionGas: bigint
  /** The number of concurrent calls, at most one for each owner. Three times as many may wait. */
  atOnce: number
}

interface OrderCheckOptions {
  /** The client of the node. Its timeout limits an order's code. It must not retry. */
  rpc: Rpc
  network: Network
  limits: OrderCheckLimits
}

const checkAbi = new Interface([
  'function ask((address owner, address token, uint256 amount, address relayer, (address target, uint256 value, bytes callData)[] interactions, bytes32 digest, bytes signature, uint256 interactionGas, uint256 signatureGas, uint256 tokenGas) question) returns ((bool signatureValid, bytes signatureRevert, uint256 signatureGas, uint256 ownerCodeSize, uint256 balance, uint256 allowance, bool transferred, bytes revertData) answer)',
])
const settlementAbi = new Interface([
  'function simulateDelegatecall(address targetContract, bytes calldataPayload) returns (bytes response)',
])

const selectors = {
  ask: checkAbi.getFunction('ask')?.selector as Hex,
  simulate: settlementAbi.getFunction('simulateDelegatecall')?.selector as Hex,
}

/** The address at which the state override puts the checking code for the call. */
const checkAddress = address('0x0c4ec0de0c4ec0de0c4ec0de0c4ec0de0c4ec0de')
/** The gas for one call of a token. */
const tokenGas = 500_000n
const ownGas = 1_500_000n
const noDigest = `0x${'00'.repeat(32)}` as Bytes32
const emptyQuestion: OrderQuestion = {
  owner: zeroAddress,
  sellToken: zeroAddress,
  amount: 0n,
  preInteractions: [],
}

/**
 * Creates the check. Each order has its own call, so that slow or failing code does not affect other reads.
 */
export function createOrderCheck({ rpc, network, limits }: OrderCheckOptions): CheckOrder {
  const { atOnce } = limits
  const enqueue = createContractCallQueue(atOnce)

  const callCheck = async (question: OrderQuestion): Promise<OrderAnswer> =>
    toAnswer(await rpc.call('eth_call', toCall(question, network, limits)), question)

  /**
   * Checks an order. After a fault, an empty call without the order's code shows whether the order or the
   * node was at fault.
   */
  async function check(question: OrderQuestion): Promise<OrderAnswer> {
    try {
      return await callCheck(question)
    } catch (fault) {
      if (!isOverLimit(fault)) throw asOutage(fault)
      await available(callCheck(emptyQuestion))
      return exhaustedAnswer(question)
    }
  }

  return (question) => enqueue(() => check(question))(question.owner)
}

function toCall(
  { owner, sellToken, amount, preInteractions, signature }: OrderQuestion,
  network: Network,
  limits: OrderCheckLimits,
) {
  const signatureGas = signature ? limits.signatureGas : 0n
  // A call forwards at most 63/64 of its gas (EIP-150), and the trampoline needs some itself.
  const interactionGas = (limits.interactionGas * 64n) / 63n + 100_000n
  const calls = preInteractions.map(({ target, value, callData }) => ({
    dynamic: encodeTuple([word(target), word(value), { dynamic: encodeBytes(callData) }]),
  }))
  const question = encodeTuple([
    ...[owner, sellToken, amount, network.vaultRelayer].map(word),
    { dynamic: encodeList(calls) },
    (signature?.digest ?? noDigest).slice(2),
    { dynamic: encodeBytes(signature?.bytes ?? '0x') },
    ...[interactionGas, signatureGas, tokenGas].map(word),
  ])
  const ask: Hex = `${selectors.ask}${encodeTuple([{ dynamic: question }])}`
  const data = `${selectors.simulate}${encodeTuple([word(checkAddress), { dynamic: encodeBytes(ask) }])}`
  const foreignGas = BigInt(preInteractions.length) * interactionGas + signatureGas + 3n * tokenGas
  // A tenth is added because the checking code runs three calls deep, each forwarding at most 63/64.
  const gas = toQuantity((foreignGas * 11n) / 10n + ownGas)
  return [{ to: network.settlement, data, gas }, 'latest', { [checkAddress]: { code: orderCheckCode } }]
}

function toAnswer(returned: unknown, { signature }: OrderQuestion): OrderAnswer {
  const answer = decode(parseHex(returned))
  return {
    balance: answer.balance,
    allowance: answer.allowance,
    transfer: answer.transferred ? 'ok' : { revert: parseHex(answer.revertData) },
    signature: signature ? (answer.signatureValid ? 'valid' : 'invalid') : 'unasked',
    ...(answer.signatureRevert !== '0x' && { signatureRevert: parseHex(answer.signatureRevert) }),
    signatureGas: signature ? answer.signatureGas : 0n,
    ownerHasCode: answer.ownerCodeSize > 0n,
    exhausted: false,
  }
}

/** Decodes the answer. @throws Outage if the checking code cannot have returned it */
function decode(returned: Hex) {
  try {
    const [response] = settlementAbi.decodeFunctionResult('simulateDelegatecall', returned)
    return checkAbi.decodeFunctionResult('ask', response)[0]
  } catch (fault) {
    throw new Outage('the network node', fault)
  }
}

/**
 * Reports whether a limit was exceeded: a timeout, or a failure of the whole call, as when the node allows
 * less gas than requested.
 */
function isOverLimit(fault: unknown): boolean {
  return isExecutionFault(fault) || isTimeout(fault)
}

function exhaustedAnswer({ signature }: OrderQuestion): OrderAnswer {
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

/**
 * Calls a hook alone at the newest block.
 * @returns the reason why it reverts; undefined if it does not, or the node gives no answer
 */
type CallHook = (hook: Hook) => Promise<string | undefined>

interface HookCallOptions {
  /** The client of the node. Its timeout limits a hook's code. It must not retry. */
  rpc: Rpc
  network: Pick<Network, 'hooksTrampoline'>
  limits: {
    /** The maximum gas units of a hook, whatever it requests. */
    interactionGas: bigint
    /** The number of concurrent calls, one for each target. Three times as many may wait. */
    atOnce: number
  }
}

/**
 * Creates the call. The trampoline ignores a hook's revert data, so the hook is called directly, in the same
 * way as by the trampoline.
 */
export function createHookCall({ rpc, network, limits }: HookCallOptions): CallHook {
  const enqueue = createContractCallQueue(limits.atOnce)

  async function call({ target, callData, gasLimit }: Hook): Promise<string | undefined> {
    const allowed = intrinsicGas(callData) + minOf(gasLimit, limits.interactionGas)
    const gas = toQuantity(maxOf(allowed, floorGas(callData)))
    try {
      await rpc.call('eth_call', [
        { from: network.hooksTrampoline, to: target, data: callData, gas },
        'latest',
      ])
      return undefined
    } catch (fault) {
      return isExecutionFault(fault) ? revertText(fault) : undefined
    }
  }

  return (hook) => enqueue(() => call(hook))(hook.target).catch(() => undefined)
}
