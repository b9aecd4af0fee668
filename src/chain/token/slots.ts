import { Interface } from 'ethers'
import { Outage } from '../../domain/errors/error.ts'
import { type Address, address } from '../../domain/evm/address.ts'
import type { GasMeter } from '../../domain/evm/gas-meter.ts'
import { type Bytes32, type Hex, hexToBytes } from '../../domain/evm/hex.ts'
import { keccakHex, keccakText } from '../../domain/evm/keccak.ts'
import type { Clock } from '../../domain/log.ts'
import { createAnswerCache } from '../../outside/answer-cache.ts'
import { tokenCheckCode } from '../bytecode.generated.ts'
import type { Rpc, RpcCall, RpcResponse } from '../rpc/rpc.ts'
import { available, parseHex, parseResponse, toQuantity } from '../rpc/wire.ts'

type BalanceSlot = (owner: Address) => Bytes32
type AllowanceSlot = (owner: Address, spender: Address) => Bytes32

/** The storage slot of a mapping's key, for a mapping at slot `base`. */
type MappingEntry = (key: Hex, base: Hex) => Bytes32

const soliditySlot: MappingEntry = (key, base) => hash(key, base)
const vyperSlot: MappingEntry = (key, base) => hash(base, key)

/**
 * The candidate slots of a mapping. Even with the variables that upgradeable tokens inherit, mappings are
 * below 128.
 */
const baseSlots = Array.from({ length: 128 }, (_, base) => word(base.toString(16)))

/** The ERC-7201 namespace of OpenZeppelin 5, upgradeable, with balances first. */
const namespace = '52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace'

/** The seeds of Solady: one hash over owner, eight zero bytes, seed and, for allowances, spender. */
const [balanceSeed, allowanceSeed] = [`0x${'00'.repeat(8)}87a211a2`, `0x${'00'.repeat(8)}7f5e9f20`] as const

/** The known storage layouts of balances. */
const balanceLayouts: readonly BalanceSlot[] = [
  ...baseSlots.map((base) => mapping(soliditySlot, base)),
  ...baseSlots.map((base) => mapping(vyperSlot, base)),
  mapping(soliditySlot, `0x${namespace}00`),
  (owner) => hash(owner, balanceSeed),
]

/** The known storage layouts of allowances. */
const allowanceLayouts: readonly AllowanceSlot[] = [
  ...baseSlots.map((base) => nestedMapping(soliditySlot, base)),
  ...baseSlots.map((base) => nestedMapping(vyperSlot, base)),
  nestedMapping(soliditySlot, `0x${namespace}01`),
  (owner, spender) => hash(owner, allowanceSeed, spender),
]

function mapping(entry: MappingEntry, base: Hex): BalanceSlot {
  return (owner) => entry(word(owner.slice(2)), base)
}

function nestedMapping(entry: MappingEntry, base: Hex): AllowanceSlot {
  return (owner, spender) => entry(word(spender.slice(2)), entry(word(owner.slice(2)), base))
}

function word(digits: string): Hex {
  return `0x${digits.padStart(64, '0')}`
}

function hash(...parts: Hex[]): Bytes32 {
  return keccakHex(Buffer.concat(parts.map(hexToBytes)))
}

/** The functions of TokenCheck.sol. */
export const tokenCheckAbi = new Interface([
  'function read(address token, address owner, address spender) view returns (bool hasBalance, uint256 balance, bool hasAllowance, uint256 allowance, uint256 gas)',
  'function move(address token, address holder, address other, bool byAllowance) returns ((bool hasCode, bool isReadable, uint256 balance, (uint256 sent, bool done, uint256 senderBefore, uint256 senderAfter, uint256 receiverBefore, uint256 receiverAfter)[] movements, uint256 gas) answer)',
])

/** Unused accounts. State overrides put the checking code at `checker` for a call. */
export const [checker, probe, bystander] = ['checker', 'probe', 'bystander'].map(unusedAddress) as [
  Address,
  Address,
  Address,
]

/** State overrides of one call. */
export type Overrides = Record<Address, { code?: Hex; stateDiff?: Record<Bytes32, Hex> }>

/** Creates a call of the checking code at the newest block. A node that ignores overrides returns nothing. */
export function tokenCheckCall(
  method: 'read' | 'move',
  values: readonly unknown[],
  gas: bigint,
  overrides: Overrides = {},
): RpcCall {
  const call = { to: checker, data: tokenCheckAbi.encodeFunctionData(method, values), gas: toQuantity(gas) }
  return {
    method: 'eth_call',
    params: [call, 'latest', { ...overrides, [checker]: { code: tokenCheckCode } }],
  }
}

function unusedAddress(name: string): Address {
  return address(`0x${keccakText(`tradegraph token ${name}`).slice(-40)}`)
}

/** The storage slots of a token's balances and allowances. */
export interface TokenSlots {
  /** The slot; undefined if it was not found. */
  balance: BalanceSlot | undefined
  allowance: AllowanceSlot | undefined
  /**
   * True if the balance depends on storage but differs from every stored number: the token rebases, or counts
   * in shares.
   */
  isComputed: boolean
}

/**
 * Finds the slots of a token, cached for a day once found.
 * @param isUntrusted for tokens that any client can name: they have a cache of their own and evict only each
 *   other
 * @param meter counts the gas of a search
 * @throws Outage if the node is unavailable or does not support state overrides
 */
export type FindTokenSlots = (token: Address, isUntrusted?: boolean, meter?: GasMeter) => Promise<TokenSlots>

/** The probe's balance and allowance; undefined if the call fails or returns less than a word. */
interface Reading {
  balance: bigint | undefined
  allowance: bigint | undefined
  gas: bigint
}

type StateDiff = Record<Bytes32, Hex>

const maxCached = { trusted: 5_000, untrusted: 100 }
const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]
/** The gas for the two reads of the checking code, with a reserve. */
const gas = 1_400_000n
/** The minimum number of matching digits. Fewer occur in random numbers by chance. */
const minDigits = 8

/**
 * Creates the search. It overrides every slot where a token could store the probe's balance and allowance
 * with a different number each, and reads which number the token returns, all in one batch.
 */
export function createTokenSlots({ rpc, now = Date.now }: { rpc: Rpc; now?: Clock }): FindTokenSlots {
  const storageSlots = [
    ...balanceLayouts.map((slot) => slot(probe)),
    ...allowanceLayouts.map((slot) => slot(probe, bystander)),
  ]
  const small = toStateDiff(storageSlots, smallNumber)
  const large = toStateDiff(storageSlots.slice(0, balanceLayouts.length), largeNumber)
  const createCache = (maxEntries: number) =>
    createAnswerCache<{ slots: TokenSlots; ttlMs: number }>({ maxEntries, now, ttlMs: ({ ttlMs }) => ttlMs })
  const [trustedCache, untrustedCache] = [createCache(maxCached.trusted), createCache(maxCached.untrusted)]

  async function findSlots(token: Address, meter: GasMeter | undefined) {
    const calls = [undefined, small, large].map((stateDiff) =>
      tokenCheckCall('read', [token, probe, bystander], gas, stateDiff && { [token]: { stateDiff } }),
    )
    const [unmodified, withSmall, withLarge] = (await available(rpc.batch(calls))).map(parseReading)
    if (!unmodified || !withSmall || !withLarge) throw new Outage('the network node')
    meter?.addGas?.(unmodified.gas + withSmall.gas + withLarge.gas)
    const slots = {
      balance: balanceLayouts.find((_, index) => smallNumber(index) === withSmall.balance),
      allowance: allowanceLayouts.find(
        (_, index) => smallNumber(balanceLayouts.length + index) === withSmall.allowance,
      ),
      isComputed: false,
    }
    slots.isComputed = !slots.balance && isComputed(unmodified, withSmall, withLarge)
    return { slots, ttlMs: ttlMs(slots, unmodified) }
  }

  return async (token, isUntrusted = false, meter) => {
    const cache = isUntrusted ? untrustedCache : trustedCache
    return (await cache(token, () => findSlots(token, meter))).slots
  }
}

/**
 * The time for which slots are cached. A layout changes only when a proxy gets new code. An address that is
 * not a token (yet) is read again soon.
 */
function ttlMs({ balance, allowance }: TokenSlots, unmodified: Reading): number {
  if (balance && allowance) return day
  return unmodified.balance === undefined ? minute : hour
}

/**
 * A number below 2^80, for narrow balances that share their slot with other members. The last byte is 0, so
 * that it sets no flag (frozen, excluded, …) in such a slot.
 */
function smallNumber(index: number): bigint {
  return BigInt(digest(index).slice(0, 20)) << 8n
}

/** A number of 255 bits, for balances that are stored multiplied by a huge index. */
function largeNumber(index: number): bigint {
  return BigInt(`0x5${digest(index).slice(3, 64)}00`)
}

function digest(index: number): Bytes32 {
  return keccakText(`tradegraph token number ${index}`)
}

/** Reports whether overridden storage changes the balance to a number that was not written. */
function isComputed(unmodified: Reading, withSmall: Reading, withLarge: Reading): boolean {
  if (unmodified.balance === undefined || isPartOfWrittenNumber(withLarge.balance)) return false
  return [withSmall.balance, withLarge.balance].some(
    (balance) => balance !== undefined && balance !== unmodified.balance,
  )
}

/**
 * Reports whether a balance is part of a written number: then it is stored, not computed, in an unknown
 * layout.
 */
function isPartOfWrittenNumber(balance: bigint | undefined): boolean {
  const digits = balance?.toString(16) ?? ''
  if (digits.length < minDigits) return false
  return balanceLayouts.some((_, index) => largeNumber(index).toString(16).includes(digits))
}

function toStateDiff(storageSlots: readonly Bytes32[], numberAt: (index: number) => bigint): StateDiff {
  return Object.fromEntries(
    storageSlots.map((storageSlot, index) => [
      storageSlot,
      `0x${numberAt(index).toString(16).padStart(64, '0')}`,
    ]),
  )
}

/**
 * Parses a reading.
 * @throws Outage if the checking code cannot have returned it: the node ignored the override
 */
function parseReading(response: RpcResponse): Reading {
  const returned = parseHex(parseResponse(response))
  try {
    const { hasBalance, balance, hasAllowance, allowance, gas } = tokenCheckAbi.decodeFunctionResult(
      'read',
      returned,
    )
    return { balance: hasBalance ? balance : undefined, allowance: hasAllowance ? allowance : undefined, gas }
  } catch (fault) {
    throw new Outage('the network node', fault)
  }
}
