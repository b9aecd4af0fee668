import { Outage } from '../../domain/errors/error.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Bytes32, Hex } from '../../domain/evm/hex.ts'
import { keccakText } from '../../domain/evm/keccak.ts'
import type { Clock } from '../../domain/log.ts'
import { createAnswerCache } from '../../outside/answers.ts'
import type { Rpc, RpcAnswer } from '../rpc/rpc.ts'
import { available, parseAnswer, parseHex } from '../rpc/wire.ts'
import { type AllowanceSlot, allowanceLayouts, type BalanceSlot, balanceLayouts } from './layouts.ts'
import { bystander, probe, tokenCheckAbi, tokenCheckCall } from './probe.ts'

/** Where a token keeps what it knows about an account, in its own storage. */
export interface TokenSlots {
  /** `undefined` when it was not found. */
  balance: BalanceSlot | undefined
  allowance: AllowanceSlot | undefined
  /** Its storage decides a balance, and the balance is another number than what is stored: it rebases, or counts in shares. */
  isComputed: boolean
}

/**
 * Found once a day for each token.
 * @param isStrange anybody can name any number of such tokens: they displace each other alone
 * @throws Outage when the node is away, or knows no state overrides
 */
export type FindTokenSlots = (token: Address, isStrange?: boolean) => Promise<TokenSlots>

/** What a token says about the probe. `undefined` when it fails or says less than a word. */
interface Reading {
  balance: bigint | undefined
  allowance: bigint | undefined
}

type Diff = Record<Bytes32, Hex>

const maxRemembered = { known: 5_000, strange: 100 }
const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]
/** The code's own two reads, and some to spare. */
const gas = 1_400_000n
/** Shorter ones are found in random numbers by chance. */
const leastDigits = 8

/**
 * Writes another number into every place where a token could keep the balance and the allowance of an account of nobody's, and
 * sees which one comes back: all in one request.
 */
export function createTokenSlots({ rpc, now = Date.now }: { rpc: Rpc; now?: Clock }): FindTokenSlots {
  const places = [
    ...balanceLayouts.map((slot) => slot(probe)),
    ...allowanceLayouts.map((slot) => slot(probe, bystander)),
  ]
  const small = diffOf(places, smallNumber)
  const large = diffOf(places.slice(0, balanceLayouts.length), largeNumber)
  const remember = (maxEntries: number) =>
    createAnswerCache<{ slots: TokenSlots; ttlMs: number }>({ maxEntries, now, ttlMs: ({ ttlMs }) => ttlMs })
  const [known, strange] = [remember(maxRemembered.known), remember(maxRemembered.strange)]

  async function find(token: Address) {
    const calls = [undefined, small, large].map((stateDiff) =>
      tokenCheckCall('read', [token, probe, bystander], gas, stateDiff && { [token]: { stateDiff } }),
    )
    const [plain, withSmall, withLarge] = (await available(rpc.batch(calls))).map(parseReading)
    if (!plain || !withSmall || !withLarge) throw new Outage('the network node')
    const slots = {
      balance: balanceLayouts.find((_, index) => smallNumber(index) === withSmall.balance),
      allowance: allowanceLayouts.find(
        (_, index) => smallNumber(balanceLayouts.length + index) === withSmall.allowance,
      ),
      isComputed: false,
    }
    slots.isComputed = !slots.balance && isComputed(plain, withSmall, withLarge)
    return { slots, ttlMs: ttlMs(slots, plain) }
  }

  return async (token, isStrange = false) => {
    const answers = isStrange ? strange : known
    return (await answers(token, () => find(token))).slots
  }
}

/** A layout stays what it is, until a proxy gets other code; what is no token, or no token yet, is looked at again soon. */
function ttlMs({ balance, allowance }: TokenSlots, plain: Reading): number {
  if (balance && allowance) return day
  return plain.balance === undefined ? minute : hour
}

/**
 * Numbers below 2^80, for balances of few bits that share their slot with something else. The last byte is 0, so that a flag at
 * the same kind of place (frozen, excluded, …) is not set by them.
 */
function smallNumber(index: number): bigint {
  return BigInt(digest(index).slice(0, 20)) << 8n
}

/** Numbers of 255 bits, for balances that are stored times a huge index. */
function largeNumber(index: number): bigint {
  return BigInt(`0x5${digest(index).slice(3, 64)}00`)
}

function digest(index: number): Bytes32 {
  return keccakText(`tradegraph token number ${index}`)
}

/** Overridden storage moves the balance, to something that was not written. */
function isComputed(plain: Reading, withSmall: Reading, withLarge: Reading): boolean {
  if (plain.balance === undefined || isPiece(withLarge.balance)) return false
  return [withSmall.balance, withLarge.balance].some(
    (balance) => balance !== undefined && balance !== plain.balance,
  )
}

/** A number out of the middle of a slot was written, and is no less stored for that; it is only not understood how. */
function isPiece(balance: bigint | undefined): boolean {
  const digits = balance?.toString(16) ?? ''
  if (digits.length < leastDigits) return false
  return balanceLayouts.some((_, index) => largeNumber(index).toString(16).includes(digits))
}

function diffOf(places: readonly Bytes32[], numberAt: (index: number) => bigint): Diff {
  return Object.fromEntries(
    places.map((place, index) => [place, `0x${numberAt(index).toString(16).padStart(64, '0')}`]),
  )
}

/** @throws Outage when it is not what the reading code returns: the node did not put it there */
function parseReading(answer: RpcAnswer): Reading {
  const returned = parseHex(parseAnswer(answer))
  try {
    const { hasBalance, balance, hasAllowance, allowance } = tokenCheckAbi.decodeFunctionResult(
      'read',
      returned,
    )
    return { balance: hasBalance ? balance : undefined, allowance: hasAllowance ? allowance : undefined }
  } catch (fault) {
    throw new Outage('the network node', fault)
  }
}
