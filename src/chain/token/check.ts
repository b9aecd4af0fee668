import type { Result } from 'ethers'
import { Outage } from '../../domain/errors/error.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Hex } from '../../domain/evm/hex.ts'
import { tokenCheckCode } from '../bytecode/token-check.ts'
import type { Rpc, RpcAnswer } from '../rpc/rpc.ts'
import { available, parseAnswer, parseHex } from '../rpc/wire.ts'
import { bystander, checker, type Overrides, probe, tokenCheckAbi, tokenCheckCall } from './probe.ts'
import type { FindTokenSlots, TokenSlots } from './slots.ts'

/** How a token treats those who hold it. */
export type TokenVerdict =
  /** What is sent arrives. */
  | 'plain'
  /** Less arrives than was sent, or more is taken. */
  | 'fee-on-transfer'
  /** Balances are computed, not stored: they change without a transfer, or do not hold what was sent. */
  | 'rebasing'
  /** It cannot be transferred at all, or is no token. */
  | 'stuck'
  /** No code stands there. */
  | 'absent'
  /** Nothing could be tried: no holder is known and its storage is not understood. */
  | 'unknown'

/**
 * Tries transfers of the token in a call that changes nothing.
 * @param holder somebody who has some, such as a pool; `undefined` when nobody is known
 * @throws Outage
 */
export type CheckToken = (token: Address, holder: Address | undefined) => Promise<TokenVerdict>

interface Movement {
  sent: bigint
  done: boolean
  senderBefore: bigint
  senderAfter: bigint
  receiverBefore: bigint
  receiverAfter: bigint
}

interface Trial {
  hasCode: boolean
  isReadable: boolean
  balance: bigint
  movements: readonly Movement[]
}

/** Thirteen reads and three transfers at most, as TokenCheck.sol bounds them, and a fifth more. */
const gas = 12_000_000n
/** What an account of nobody's is given: enough for fees to show, too little to meet a bound for the size of a transfer. */
const given = 1_234_567_891n
const allowed = 2n ** 80n - 1n
const movementsTried = 3
/** A fee of 0.01 % of this is one atom. */
const minSent = 10_000n

/**
 * Some of the token goes from the holder to an account of nobody's, from there to another one, and back to the holder. The same
 * is tried, in the same request, from an account that is given a balance; it counts where the holder has too little.
 */
export function createTokenCheck({ rpc, slots }: { rpc: Rpc; slots: FindTokenSlots }): CheckToken {
  return async (token, holder) => {
    const found = await slots(token, holder === undefined)
    const calls = [
      trialOf(token, probe, found, given),
      ...(holder === undefined || holder === token ? [] : [trialOf(token, holder, found)]),
    ]
    const [ofProbe, ofHolder] = (await available(rpc.batch(calls))).map(parseTrial)
    const verdicts = [ofHolder && judge(ofHolder), ofProbe && judge(ofProbe, found.balance && given)]
    const verdict = verdicts.find((verdict) => verdict && verdict !== 'unknown') ?? 'unknown'
    return found.isComputed && (verdict === 'plain' || verdict === 'unknown') ? 'rebasing' : verdict
  }
}

/** The holder's own code stays where his allowance can be written; else the checking code takes its place. */
function trialOf(token: Address, holder: Address, { balance, allowance }: TokenSlots, amount?: bigint) {
  const stateDiff = {
    ...(balance && amount && { [balance(holder)]: word(amount) }),
    ...(allowance && { [allowance(holder, checker)]: word(allowed) }),
  }
  const overrides: Overrides = { [token]: { stateDiff } }
  if (!allowance) overrides[holder] = { code: tokenCheckCode }
  return tokenCheckCall('move', [token, holder, bystander, allowance !== undefined], gas, overrides)
}

/** @param written what the holder's balance was said to be; `undefined` for his own */
function judge({ hasCode, isReadable, balance, movements }: Trial, written?: bigint): TokenVerdict {
  if (!hasCode) return 'absent'
  if (!isReadable) return 'stuck'
  if (written !== undefined && balance !== written) return balance === 0n ? 'unknown' : 'rebasing'
  if (movements.some(takesFee)) return 'fee-on-transfer'
  if (movements.some((movement) => !hasMoved(movement))) return 'stuck'
  if (movements.some((movement) => deviations(movement).some((lost) => lost !== 0n))) return 'rebasing'
  const isConclusive = movements.length === movementsTried && movements.every(({ sent }) => sent >= minSent)
  return isConclusive ? 'plain' : 'unknown'
}

function hasMoved({ done, senderBefore, senderAfter, receiverBefore, receiverAfter }: Movement): boolean {
  return done && (senderBefore !== senderAfter || receiverBefore !== receiverAfter)
}

/** A hundred-thousandth and more; rounding of shares takes an atom or two. */
function takesFee(movement: Movement): boolean {
  const lost = deviations(movement).reduce((most, lost) => (lost > most ? lost : most))
  return hasMoved(movement) && lost * minSent * 10n >= movement.sent
}

/** Atoms that too much is taken at one end, and too little arrives at the other; negative where balances gain. */
function deviations({ sent, senderBefore, senderAfter, receiverBefore, receiverAfter }: Movement): bigint[] {
  return [senderBefore - senderAfter - sent, sent - (receiverAfter - receiverBefore)]
}

function word(value: bigint): Hex {
  return `0x${value.toString(16).padStart(64, '0')}`
}

/** @throws Outage when it is not what the checking code returns */
function parseTrial(answer: RpcAnswer): Trial {
  const returned = parseHex(parseAnswer(answer))
  try {
    const { hasCode, isReadable, balance, movements } = tokenCheckAbi.decodeFunctionResult(
      'move',
      returned,
    )[0]
    return {
      hasCode,
      isReadable,
      balance,
      movements: movements.map((movement: Result) => movement.toObject()),
    }
  } catch (fault) {
    throw new Outage('the network node', fault)
  }
}
