import { AbiCoder } from 'ethers'
import { Outage } from '../../domain/errors/error.ts'
import { type Address, address, zeroAddress } from '../../domain/evm/address.ts'
import type { Bytes32, Hex } from '../../domain/evm/hex.ts'
import { signatureCheckCode } from '../bytecode/signature-check.ts'
import { createContractCallQueue } from '../rpc/contract-call-queue.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { asOutage, available, isTimeout, parseQuantity, toQuantity } from '../rpc/wire.ts'

export interface AccountQuestion {
  account: Address
  digest: Bytes32
  /** As the account takes it (ERC-1271), or with what puts its code on the chain first (ERC-6492). */
  signature: Hex
}

/** `no-code`: nobody is there to say whether it is. */
export type AccountVerdict = 'valid' | 'invalid' | 'no-code'

/**
 * Asks an account's own code at the newest block. Code that takes too much gas or time has said no; a node that is away has said nothing.
 * @throws Outage; Refusal Unavailable when too many wait for their turn
 */
export type CheckAccountSignature = (question: AccountQuestion) => Promise<AccountVerdict>

export interface AccountSignatureOptions {
  /** Its timeout is the time that the account's code gets, and it makes one try. */
  rpc: Rpc
  limits: {
    /** Gas units for one look at the signature. */
    signatureGas: bigint
    /** Calls at a time; one for each account. Three times as many may wait. */
    atOnce: number
  }
}

const coder = AbiCoder.defaultAbiCoder()
/** Behind signatures that say how to deploy their account. */
const wrapped = '6492'.repeat(16)
/** For what deploys an account: several times what the usual factories need. */
const factoryGas = 3_000_000n
const ownGas = 1_500_000n
/** Nobody's. Without a sender the origin is the zero address, which some wallets take for a rehearsal where every signature is good. */
const asker = address('0x0c4ec0de0c4ec0de0c4ec0de0c4ec0de0c4ec0de')
const verdicts: readonly AccountVerdict[] = ['no-code', 'valid', 'invalid']

export function createAccountSignatureCheck({ rpc, limits }: AccountSignatureOptions): CheckAccountSignature {
  const { signatureGas, atOnce } = limits
  const inTurn = createContractCallQueue(atOnce)
  /** Of each question, however often it is asked meanwhile. */
  const underWay = new Map<string, Promise<AccountVerdict>>()

  const ask = async (call: Call): Promise<AccountVerdict> => {
    const answered = parseQuantity(await rpc.call('eth_call', [toTransaction(call, signatureGas), 'latest']))
    const verdict = verdicts[Number(answered)]
    if (!verdict) throw new Outage('the network node', new TypeError('not what SignatureCheck.sol returns'))
    return verdict
  }

  /** The account's code, and not the node, is to blame for the time when the same call without any stranger's code is answered. */
  async function check(call: Call): Promise<AccountVerdict> {
    try {
      return await ask(call)
    } catch (fault) {
      if (!isTimeout(fault)) throw asOutage(fault)
      await available(ask(nobody))
      return 'invalid'
    }
  }

  return async (question) => {
    const call = toCall(question)
    if (!call) return 'invalid'
    const key = `${question.account}${question.digest}${question.signature}`
    const asked = underWay.get(key) ?? inTurn(() => check(call))(question.account)
    underWay.set(key, asked)
    return asked.finally(() => underWay.delete(key))
  }
}

interface Call extends AccountQuestion {
  factory: Address
  factoryCall: Hex
  factoryGas: bigint
}

const direct = { factory: zeroAddress, factoryCall: '0x', factoryGas: 0n } as const
const noDigest = `0x${'00'.repeat(32)}` as Bytes32
const nobody: Call = { ...direct, account: zeroAddress, digest: noDigest, signature: '0x' }

/** `undefined` for a wrapping that holds nothing. */
function toCall(question: AccountQuestion): Call | undefined {
  const { signature: given } = question
  if (!given.endsWith(wrapped)) return { ...question, ...direct }
  try {
    const [factory, factoryCall, signature] = coder.decode(
      ['address', 'bytes', 'bytes'],
      given.slice(0, -wrapped.length),
    )
    return { ...question, signature, factory: address(factory), factoryCall, factoryGas }
  } catch {
    return undefined
  }
}

const argumentTypes = ['address', 'bytes32', 'bytes', 'uint256', 'address', 'bytes', 'uint256']

function toTransaction(call: Call, signatureGas: bigint) {
  const values = [call.account, call.digest, call.signature, signatureGas]
  const preparation = [call.factory, call.factoryCall, call.factoryGas]
  const data = `${signatureCheckCode}${coder.encode(argumentTypes, [...values, ...preparation]).slice(2)}`
  const foreign = call.factoryGas > 0n ? 2n * signatureGas + call.factoryGas : signatureGas
  // A call passes on all gas but a 64th.
  return { from: asker, data, gas: toQuantity((foreign * 64n) / 63n + ownGas) }
}
