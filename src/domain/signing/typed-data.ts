import { type Address, zeroAddress } from '../evm/address.ts'
import { type Bytes32, bytesToHex, type Hex, hexToBytes } from '../evm/hex.ts'
import { keccak, keccakHex, keccakText } from '../evm/keccak.ts'

/** A member of an EIP-712 struct; nested structs are not supported. `word` is its 32-byte encoding. */
export interface TypedMember {
  type: string
  name: string
  word: Hex
}

/** The hash of a struct, with its members in the order of their type string. */
export function structHash(typeName: string, members: readonly TypedMember[]): Bytes32 {
  return hashWords(typeHash(typeName, members), ...members.map(({ word }) => word))
}

export function typeHash(typeName: string, members: readonly Pick<TypedMember, 'type' | 'name'>[]): Bytes32 {
  return keccakText(`${typeName}(${members.map(({ type, name }) => `${type} ${name}`).join(',')})`)
}

/** The members of a domain, in EIP-712 order; absent ones are not part of its type. */
export interface DomainFields {
  name?: string | undefined
  version?: string | undefined
  chainId?: number | undefined
  verifyingContract?: Address | undefined
}

export function domainHash(domain: DomainFields): Bytes32 {
  const members: TypedMember[] = []
  const add = (type: string, name: keyof DomainFields, word: Hex) => members.push({ type, name, word })
  if (domain.name !== undefined) add('string', 'name', keccakText(domain.name))
  if (domain.version !== undefined) add('string', 'version', keccakText(domain.version))
  if (domain.chainId !== undefined) add('uint256', 'chainId', uintWord(BigInt(domain.chainId)))
  if (domain.verifyingContract !== undefined)
    add('address', 'verifyingContract', addressWord(domain.verifyingContract))
  return structHash('EIP712Domain', members)
}

/** The digest to sign: keccak-256 of 0x1901, domain separator and struct hash. */
export function typedDigest(separator: Bytes32, struct: Bytes32): Bytes32 {
  return keccakHex(hexToBytes(`0x1901${separator.slice(2)}${struct.slice(2)}`))
}

export function hashWords(...words: Hex[]): Bytes32 {
  return bytesToHex(keccak(Buffer.from(words.map((word) => word.slice(2)).join(''), 'hex')))
}

export function addressWord(address: Address | null): Hex {
  return `0x${(address ?? zeroAddress).slice(2).padStart(64, '0')}`
}

export function uintWord(value: bigint): Hex {
  return `0x${value.toString(16).padStart(64, '0')}`
}
