import type { Address } from '../../domain/evm/address.ts'
import { type Bytes32, type Hex, hexToBytes } from '../../domain/evm/hex.ts'
import { keccakHex } from '../../domain/evm/keccak.ts'

export type BalanceSlot = (owner: Address) => Bytes32
export type AllowanceSlot = (owner: Address, spender: Address) => Bytes32

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
export const balanceLayouts: readonly BalanceSlot[] = [
  ...baseSlots.map((base) => mapping(soliditySlot, base)),
  ...baseSlots.map((base) => mapping(vyperSlot, base)),
  mapping(soliditySlot, `0x${namespace}00`),
  (owner) => hash(owner, balanceSeed),
]

/** The known storage layouts of allowances. */
export const allowanceLayouts: readonly AllowanceSlot[] = [
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
