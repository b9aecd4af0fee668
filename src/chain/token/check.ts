import type { Result } from 'ethers'
import { Outage } from '../../domain/errors/error.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { GasMeter } from '../../domain/evm/gas-meter.ts'
import type { Hex } from '../../domain/evm/hex.ts'
import { tokenCheckCode } from '../bytecode.generated.ts'
import type { Rpc, RpcResponse } from '../rpc/rpc.ts'
import { available, parseHex, parseResponse } from '../rpc/wire.ts'
import {
  bystander,
  checker,
  type FindTokenSlots,
  type Overrides,
  probe,
  type TokenSlots,
  tokenCheckAbi,
  tokenCheckCall,
} from './slots.ts'

/** The behaviour of a token's transfers and balances. */
export type TokenVerdict =
  /** The receiver gets exactly the sent amount. */
  | 'plain'
  /** The receiver gets less than the sent amount, or the sender loses more. */
  | 'fee-on-transfer'
  /** Balances are computed, not stored: they change without a transfer, or do not hold the sent amount. */
  | 'rebasing'
  /** The token cannot be transferred, or the address is not a token. */
  | 'stuck'
  /** The address has no code. */
  | 'absent'
  /** No transfer could be tried: no holder is known, and the storage layout is unknown. */
  | 'unknown'

/**
 * Simulates transfers of the token.
 * @param holder an account with a balance, such as a pool; undefined if none is known
 * @param meter counts the gas that the token used
 * @throws Outage
 */
export type CheckToken = (
  token: Address,
  holder: Address | undefined,
  meter?: GasMeter,
) => Promise<TokenVerdict>

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
  gas: bigint
}

/**
 * The gas for at most thirteen reads and three transfers with the gas limits of TokenCheck.sol, plus a fifth.
 */
const gas = 12_000_000n
/** The balance written for the probe: large enough for a fee to show, below usual transfer limits. */
const probeBalance = 1_234_567_891n
const writtenAllowance = 2n ** 80n - 1n
const expectedMovements = 3
/** The minimum amount: a fee of 0.01 % of it is one atom. */
const minSent = 10_000n

/**
 * Creates the check. It transfers some of the token from the holder to an unused account, from there to
 * another account, and back to the holder. The same batch tries the transfers from the probe with a written
 * balance; that result counts if the holder has too little.
 */
export function createTokenCheck({ rpc, slots }: { rpc: Rpc; slots: FindTokenSlots }): CheckToken {
  return async (token, holder, meter) => {
    let used = 0n
    const addGas = (gas: bigint) => {
      used += gas
    }
    try {
      const tokenSlots = await slots(token, holder === undefined, { addGas })
      const calls = [
        toTrialCall(token, probe, tokenSlots, probeBalance),
        ...(holder === undefined || holder === token ? [] : [toTrialCall(token, holder, tokenSlots)]),
      ]
      const trials = (await available(rpc.batch(calls))).map(parseTrial)
      for (const { gas } of trials) addGas(gas)
      return verdictOf(trials, tokenSlots)
    } finally {
      meter?.addGas?.(used)
    }
  }
}

/** Derives the verdict from the trial of the probe and, if there is one, that of a holder. */
function verdictOf([ofProbe, ofHolder]: readonly Trial[], tokenSlots: TokenSlots): TokenVerdict {
  const verdicts = [
    ofHolder && toVerdict(ofHolder),
    ofProbe && toVerdict(ofProbe, tokenSlots.balance && probeBalance),
  ]
  const verdict = verdicts.find((verdict) => verdict && verdict !== 'unknown') ?? 'unknown'
  return tokenSlots.isComputed && (verdict === 'plain' || verdict === 'unknown') ? 'rebasing' : verdict
}

/**
 * Creates the trial's call. Without a known allowance slot the checking code replaces the holder's code, so
 * that it can transfer directly.
 */
function toTrialCall(token: Address, holder: Address, { balance, allowance }: TokenSlots, amount?: bigint) {
  const stateDiff = {
    ...(balance && amount && { [balance(holder)]: word(amount) }),
    ...(allowance && { [allowance(holder, checker)]: word(writtenAllowance) }),
  }
  const overrides: Overrides = { [token]: { stateDiff } }
  if (!allowance) overrides[holder] = { code: tokenCheckCode }
  return tokenCheckCall('move', [token, holder, bystander, allowance !== undefined], gas, overrides)
}

/**
 * Derives the verdict.
 * @param writtenBalance the overridden balance of the holder; undefined for its real balance
 */
function toVerdict(
  { hasCode, isReadable, balance, movements }: Trial,
  writtenBalance?: bigint,
): TokenVerdict {
  if (!hasCode) return 'absent'
  if (!isReadable) return 'stuck'
  if (writtenBalance !== undefined && balance !== writtenBalance)
    return balance === 0n ? 'unknown' : 'rebasing'
  if (movements.some(takesFee)) return 'fee-on-transfer'
  if (movements.some((movement) => !hasMoved(movement))) return 'stuck'
  if (movements.some((movement) => deviations(movement).some((lost) => lost !== 0n))) return 'rebasing'
  const isConclusive =
    movements.length === expectedMovements && movements.every(({ sent }) => sent >= minSent)
  return isConclusive ? 'plain' : 'unknown'
}

function hasMoved({ done, senderBefore, senderAfter, receiverBefore, receiverAfter }: Movement): boolean {
  return done && (senderBefore !== senderAfter || receiverBefore !== receiverAfter)
}

/** Reports whether a transfer takes a fee, which is at least 0.001 %; less can be the rounding of shares. */
function takesFee(movement: Movement): boolean {
  const lost = deviations(movement).reduce((max, lost) => (lost > max ? lost : max))
  return hasMoved(movement) && lost * minSent * 10n >= movement.sent
}

/**
 * The atoms that the sender lost beyond `sent`, and the atoms that the receiver did not get; negative if
 * balances gain.
 */
function deviations({ sent, senderBefore, senderAfter, receiverBefore, receiverAfter }: Movement): bigint[] {
  return [senderBefore - senderAfter - sent, sent - (receiverAfter - receiverBefore)]
}

function word(value: bigint): Hex {
  return `0x${value.toString(16).padStart(64, '0')}`
}

/** Parses a trial. @throws Outage if the checking code cannot have returned it */
function parseTrial(response: RpcResponse): Trial {
  const returned = parseHex(parseResponse(response))
  try {
    const { hasCode, isReadable, balance, movements, gas } = tokenCheckAbi.decodeFunctionResult(
      'move',
      returned,
    )[0]
    return {
      hasCode,
      isReadable,
      balance,
      movements: movements.map((movement: Result) => movement.toObject()),
      gas,
    }
  } catch (fault) {
    throw new Outage('the network node', fault)
  }
}
