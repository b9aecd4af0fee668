import type { Address } from '../../domain/evm/address.ts'
import { type Bytes32, type Hex, hexToBytes } from '../../domain/evm/hex.ts'
import { keccakHex } from '../../domain/evm/keccak.ts'

export type BalanceSlot = (owner: Address) => Bytes32
export type AllowanceSlot = (owner: Address, spender: Address) => Bytes32

/** Where one key of a mapping stands, given where the mapping does. */
type Entry = (key: Hex, base: Hex) => Bytes32

const inSolidity: Entry = (key, base) => hash(key, base)
const inVyper: Entry = (key, base) => hash(base, key)

/** Behind the variables that upgradeable tokens inherit, the mappings still stand below this. */
const bases = Array.from({ length: 128 }, (_, base) => word(base.toString(16)))

/** OpenZeppelin 5, upgradeable: a namespace of its own (ERC-7201), balances first. */
const namespace = '52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace'

/** Solady: owner, eight zero bytes and a seed, then the spender, hashed as one piece. */
const [balanceSeed, allowanceSeed] = [`0x${'00'.repeat(8)}87a211a2`, `0x${'00'.repeat(8)}7f5e9f20`] as const

/** Every way in which compilers and libraries place balances. */
export const balanceLayouts: readonly BalanceSlot[] = [
  ...bases.map((base) => mapping(inSolidity, base)),
  ...bases.map((base) => mapping(inVyper, base)),
  mapping(inSolidity, `0x${namespace}00`),
  (owner) => hash(owner, balanceSeed),
]

/** The same for allowances. */
export const allowanceLayouts: readonly AllowanceSlot[] = [
  ...bases.map((base) => nestedMapping(inSolidity, base)),
  ...bases.map((base) => nestedMapping(inVyper, base)),
  nestedMapping(inSolidity, `0x${namespace}01`),
  (owner, spender) => hash(owner, allowanceSeed, spender),
]

function mapping(entry: Entry, base: Hex): BalanceSlot {
  return (owner) => entry(word(owner.slice(2)), base)
}

function nestedMapping(entry: Entry, base: Hex): AllowanceSlot {
  return (owner, spender) => entry(word(spender.slice(2)), entry(word(owner.slice(2)), base))
}

function word(digits: string): Hex {
  return `0x${digits.padStart(64, '0')}`
}

function hash(...parts: Hex[]): Bytes32 {
  return keccakHex(Buffer.concat(parts.map(hexToBytes)))
}
