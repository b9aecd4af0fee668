import { createHash } from 'node:crypto'
import { decode, encode, prepare } from '@ipld/dag-pb'
import { UnixFS } from 'ipfs-unixfs'
import type { Bytes32 } from '../domain/evm/hex.ts'
import { keccakHex } from '../domain/evm/keccak.ts'

/** Maximum bytes that a block adds to a small file: its type, its size, and a length before each part. */
export const maxBlockOverhead = 64

/** Bytes that do not match the requested hash. */
export class WrongContent extends Error {}

/** One of the two content ids that an appData hash can stand for. */
export interface ContentForm {
  cid(hash: Bytes32): string
  /**
   * The file in a gateway's response; undefined for a block that is no file of one block.
   * @throws WrongContent when the bytes do not match the hash
   */
  open(bytes: Uint8Array, hash: Bytes32): Uint8Array | undefined
}

/** A raw block, named by the keccak-256 of its bytes, which are the document. */
export const rawForm: ContentForm = {
  cid: (hash) => `f01551b20${hash.slice(2)}`,
  open(bytes, hash) {
    if (keccakHex(bytes) !== hash) throw new WrongContent('the raw block has another hash')
    return bytes
  },
}

/**
 * The older scheme: a dag-pb block, named by its sha2-256, that contains the document as a file. Gateways that serve no raw blocks
 * return the file: then the block is built from it, as every IPFS program does.
 */
export const blockForm: ContentForm = {
  cid: (hash) => `f01701220${hash.slice(2)}`,
  open(bytes, hash) {
    if (sha256(bytes) === hash) return fileIn(bytes)
    if (sha256(blockOf(bytes)) === hash) return bytes
    throw new WrongContent('the dag-pb block has another hash')
  },
}

function sha256(bytes: Uint8Array): Bytes32 {
  return `0x${createHash('sha256').update(bytes).digest('hex')}` as const
}

function blockOf(data: Uint8Array): Uint8Array {
  return encode(prepare({ Data: new UnixFS({ type: 'file', data }).marshal() }))
}

function fileIn(block: Uint8Array): Uint8Array | undefined {
  try {
    const { Data, Links } = decode(block)
    if (!Data || Links.length > 0) return undefined
    const { type, data } = UnixFS.unmarshal(Data)
    return type === 'file' ? data : undefined
  } catch {
    return undefined
  }
}
