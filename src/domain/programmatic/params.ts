import { type EncodedWords, encodeBytes, encodeTuple, word } from '../evm/abi.ts'
import { type AbiTuple, readAbi } from '../evm/abi-reader.ts'
import type { Address } from '../evm/address.ts'
import { type Bytes32, type Hex, hexToBytes } from '../evm/hex.ts'
import { keccakHex } from '../evm/keccak.ts'

/** The authorised terms of a conditional order, from which its handler makes parts. */
export interface ConditionalOrderParams {
  handler: Address
  /** Distinguishes orders with the same static input. */
  salt: Bytes32
  /** The arguments of the handler, in its own encoding. */
  staticInput: Hex
}

/** The key of a programmatic order on its chain. */
export interface ProgrammaticKey {
  owner: Address
  /** The id of its parameters. */
  hash: Bytes32
}

/** The maximum size in bytes of a static input, and of an off-chain input. Known handlers need 416. */
export const maxInputSize = 16_384

/** The members as a tuple without the offset that leads to it. */
export function paramsTuple({ handler, salt, staticInput }: ConditionalOrderParams): EncodedWords {
  return encodeTuple([word(handler), salt.slice(2), { dynamic: encodeBytes(staticInput) }])
}

export function encodeParams(params: ConditionalOrderParams): Hex {
  return `0x${encodeTuple([{ dynamic: paramsTuple(params) }])}`
}

/** The id of a conditional order. It does not hold the owner: (chain, owner, id) is the key. */
export function paramsId(params: ConditionalOrderParams): Bytes32 {
  return keccakHex(hexToBytes(encodeParams(params)))
}

/** @returns undefined for malformed data, and for a static input of more than `maxInputSize` */
export function decodeParams(data: Hex): ConditionalOrderParams | undefined {
  return readAbi(data, (outer) => outer.tuple(readParams))
}

export function readParams(tuple: AbiTuple): ConditionalOrderParams {
  return { handler: tuple.address(), salt: tuple.bytes32(), staticInput: tuple.bytes(maxInputSize) }
}
