import { type AbiTuple, readAbi } from '../evm/abi-reader.ts'
import { type Bytes32, type Hex, hexSize, hexToBytes } from '../evm/hex.ts'
import { keccakHex } from '../evm/keccak.ts'
import { hashWords } from '../signing/typed-data.ts'
import { type ConditionalOrderParams, paramsId, paramsTuple, readParams } from './params.ts'

/** The maximum length of a proof: more than any tree needs that a client can build. */
const maxProofLength = 64
/** Bounds of the leaves that a log may hold. */
export const maxLeaves = 1_000
const maxLeavesSize = 1_048_576

/** Places where the leaves of a root may be, by their number in its log. */
export const leafLocations = ['private', 'emitted', 'swarm', 'waku', 'reserved', 'ipfs'] as const
/** The leaf by which a tree authorises a conditional order: the hash of its id. */
export function merkleLeaf(id: Bytes32): Bytes32 {
  return hashWords(id)
}

/**
 * The leaf of the same order in a tree of cow-sdk: it hashes three separate values, without the offset of
 * the struct. No contract accepts such a leaf.
 */
export function sdkLeaf(params: ConditionalOrderParams): Bytes32 {
  return hashWords(keccakHex(hexToBytes(`0x${paramsTuple(params)}`)))
}

/** Hashes two nodes, the smaller first, so that a proof needs no directions. */
function parentOf(one: Bytes32, other: Bytes32): Bytes32 {
  return one < other ? hashWords(one, other) : hashWords(other, one)
}

export function provenRoot(leaf: Bytes32, proof: readonly Bytes32[]): Bytes32 {
  return proof.reduce(parentOf, leaf)
}

export interface ProvenParams {
  params: ConditionalOrderParams
  proof: Bytes32[]
}

/**
 * Whether a root authorises an order: `proven`; `sdk` if the tree was made with the leaves of cow-sdk, which
 * no contract accepts; otherwise `unproven`. An empty proof proves nothing, since the contract then looks for
 * a single order.
 */
export type Provenance = 'proven' | 'sdk' | 'unproven'

export function provenance(root: Bytes32, { params, proof }: ProvenParams): Provenance {
  if (proof.length > 0 && provenRoot(merkleLeaf(paramsId(params)), proof) === root) return 'proven'
  return provenRoot(sdkLeaf(params), proof) === root ? 'sdk' : 'unproven'
}

/** The leaves in the log of a root, by whether they lead to it. */
type LoggedLeaves = Record<Provenance, ProvenParams[]>

/**
 * Reads the leaves that the log of a root holds at location 1, in both encodings: a list of encoded leaves
 * (the watch-tower's), and a list of tuples (cow-sdk's). Anyone can write anything there: only `proven` ones
 * are authorised.
 * @returns undefined for data in neither encoding, or beyond the bounds
 */
export function readLoggedLeaves(root: Bytes32, data: Hex): LoggedLeaves | undefined {
  if (hexSize(data) > maxLeavesSize) return undefined
  const leaves = readEncodedLeaves(data) ?? readAbi(data, (outer) => readLeafTuples(outer))
  if (!leaves) return undefined
  const found: LoggedLeaves = { proven: [], sdk: [], unproven: [] }
  for (const leaf of leaves) found[provenance(root, leaf)].push(leaf)
  return found
}

function readEncodedLeaves(data: Hex): ProvenParams[] | undefined {
  const items = readAbi(data, (outer) => outer.list(maxLeaves, (item) => item.bytes(maxLeavesSize)))
  const leaves = items?.map((item) => readAbi(item, readLeaf))
  return leaves?.every((leaf) => leaf !== undefined) ? leaves : undefined
}

function readLeafTuples(outer: AbiTuple): ProvenParams[] {
  return outer.list(maxLeaves, (items) => items.tuple(readLeaf))
}

function readLeaf(tuple: AbiTuple): ProvenParams {
  const proof = readProof(tuple)
  return { proof, params: tuple.tuple(readParams) }
}

export function readProof(tuple: AbiTuple): Bytes32[] {
  return tuple.list(maxProofLength, (items) => items.bytes32())
}
