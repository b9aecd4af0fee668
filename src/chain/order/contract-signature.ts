import { AbiCoder } from 'ethers'
import { Outage } from '../../domain/errors/error.ts'
import { type Address, address, zeroAddress } from '../../domain/evm/address.ts'
import type { GasMeter } from '../../domain/evm/gas-meter.ts'
import type { Bytes32, Hex } from '../../domain/evm/hex.ts'
import { readErc6492, recoverSigner, type SignatureFault } from '../../domain/signing/signature.ts'
import { signatureCheckCode } from '../bytecode.generated.ts'
import { createContractCallQueue, type Rpc } from '../rpc/rpc.ts'
import { asOutage, available, isTimeout, parseQuantity, toQuantity } from '../rpc/wire.ts'

interface AccountQuestion {
  account: Address
  digest: Bytes32
  /** The signature for ERC-1271, or for ERC-6492 with the factory call that deploys the account. */
  signature: Hex
}

/** The verdict on a signature. `no-code`: no contract at the account can verify it. */
type AccountVerdict = 'valid' | 'invalid' | 'no-code'

/**
 * Verifies with the account's own code at the newest block. Code that exceeds the gas limit or timeout makes
 * the signature invalid; an unavailable node is an Outage.
 * @param meter counts the gas that the code may use, before the call
 * @throws Outage; Refusal Unavailable if the queue is full, RateLimited
 */
export type CheckAccountSignature = (question: AccountQuestion, meter?: GasMeter) => Promise<AccountVerdict>

interface AccountSignatureOptions {
  /** The client of the node. Its timeout limits the account's code. It must not retry. */
  rpc: Rpc
  limits: {
    /** The gas limit of one signature check. */
    signatureGas: bigint
    /** The number of concurrent calls, at most one for each account. Three times as many may wait. */
    atOnce: number
  }
}

const coder = AbiCoder.defaultAbiCoder()
/** The gas to deploy an account: several times the need of the usual factories. */
const factoryGas = 3_000_000n
const ownGas = 1_500_000n
/**
 * An unused address. Without a sender the origin is the zero address, and some wallets then accept any
 * signature as in a gas estimate.
 */
const sender = address('0x0c4ec0de0c4ec0de0c4ec0de0c4ec0de0c4ec0de')
const verdicts: readonly AccountVerdict[] = ['no-code', 'valid', 'invalid']

export function createAccountSignatureCheck({ rpc, limits }: AccountSignatureOptions): CheckAccountSignature {
  const { signatureGas, atOnce } = limits
  const enqueue = createContractCallQueue(atOnce)
  /** Concurrent checks of the same signature share one call. */
  const pending = new Map<string, Promise<AccountVerdict>>()

  const requestVerdict = async (call: SignatureCall): Promise<AccountVerdict> => {
    const returned = parseQuantity(await rpc.call('eth_call', [toRequest(call, signatureGas), 'latest']))
    const verdict = verdicts[Number(returned)]
    if (!verdict) throw new Outage('the network node', new TypeError('not what SignatureCheck.sol returns'))
    return verdict
  }

  /**
   * Checks a signature. After a timeout, an empty call without the account's code shows whether the account
   * or the node was slow.
   */
  async function check(call: SignatureCall): Promise<AccountVerdict> {
    try {
      return await requestVerdict(call)
    } catch (fault) {
      if (!isTimeout(fault)) throw asOutage(fault)
      await available(requestVerdict(emptyCall))
      return 'invalid'
    }
  }

  return async (question, meter) => {
    const call = toCall(question)
    if (!call) return 'invalid'
    const key = `${question.account}${question.digest}${question.signature}`
    const running = pending.get(key)
    if (running) return running
    meter?.takeGas?.(foreignGas(call, signatureGas))
    const verdict = enqueue(() => check(call))(question.account).finally(() => pending.delete(key))
    pending.set(key, verdict)
    return verdict
  }
}

interface SignatureCall extends AccountQuestion {
  factory: Address
  factoryCall: Hex
  factoryGas: bigint
}

const noFactory = { factory: zeroAddress, factoryCall: '0x', factoryGas: 0n } as const
const noDigest = `0x${'00'.repeat(32)}` as Bytes32
const emptyCall: SignatureCall = { ...noFactory, account: zeroAddress, digest: noDigest, signature: '0x' }

/** Converts the question to a call; undefined for a malformed ERC-6492 signature. */
function toCall(question: AccountQuestion): SignatureCall | undefined {
  const deploying = readErc6492(question.signature)
  if (deploying === 'malformed') return undefined
  return deploying ? { ...question, ...deploying, factoryGas } : { ...question, ...noFactory }
}

const argumentTypes = ['address', 'bytes32', 'bytes', 'uint256', 'address', 'bytes', 'uint256']

function toRequest(call: SignatureCall, signatureGas: bigint) {
  const values = [call.account, call.digest, call.signature, signatureGas]
  const factoryValues = [call.factory, call.factoryCall, call.factoryGas]
  const data = `${signatureCheckCode}${coder.encode(argumentTypes, [...values, ...factoryValues]).slice(2)}`
  // A call forwards at most 63/64 of its gas (EIP-150).
  return { from: sender, data, gas: toQuantity((foreignGas(call, signatureGas) * 64n) / 63n + ownGas) }
}

/** The gas that code of the account, and of the factory that deploys it, may use. */
function foreignGas({ factoryGas }: SignatureCall, signatureGas: bigint): bigint {
  return factoryGas > 0n ? 2n * signatureGas + factoryGas : signatureGas
}

/** The reason why a signature is not the account's. */
type NotSigned = { reason: SignatureFault | 'wallet-refused' } | { reason: 'wrong-signer'; signer: Address }

/**
 * Recovers a key's signature without the chain. The account's contract checks any other signature.
 * @param meter counts the gas that the contract may use
 * @returns undefined for the account's signature
 * @throws Outage; Refusal Unavailable if the queue of checks is full, RateLimited
 */
export async function notSignedBy(
  account: Address,
  digest: Bytes32,
  signature: Hex,
  checkSignature: CheckAccountSignature,
  meter?: GasMeter,
): Promise<NotSigned | undefined> {
  const recovered = recoverSigner('eip712', digest, signature)
  if ('signer' in recovered && recovered.signer === account) return undefined
  const verdict = await checkSignature({ account, digest, signature }, meter)
  if (verdict === 'valid') return undefined
  if (verdict === 'invalid') return { reason: 'wallet-refused' }
  return 'fault' in recovered
    ? { reason: recovered.fault }
    : { reason: 'wrong-signer', signer: recovered.signer }
}
