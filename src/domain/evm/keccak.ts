import { createKeccak } from 'hash-wasm'
import { type Bytes32, bytesToHex } from './hex.ts'

const hasher = await createKeccak(256)

/** Returns keccak-256 of exactly these bytes. Synchronous: the hasher was compiled when the module loaded. */
export function keccak(bytes: Uint8Array): Uint8Array {
  return hasher.init().update(bytes).digest('binary')
}

export function keccakHex(bytes: Uint8Array): Bytes32 {
  return bytesToHex(keccak(bytes))
}

export function keccakText(text: string): Bytes32 {
  return keccakHex(Buffer.from(text, 'utf8'))
}
