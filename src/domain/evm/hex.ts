/** Bytes as `0x` and lowercase digits: the only form of hex values inside the program. */
export type Hex = `0x${string}`

/** 32 bytes: a digest, an appData hash, a transaction or block hash. */
export type Bytes32 = Hex & { readonly bytes32?: never }

export const zeroWord: Bytes32 = `0x${'0'.repeat(64)}` as const

const wholeBytes = /^0x((?:[0-9a-fA-F]{2})*)$/

/**
 * Parses hex with digits of any letter case.
 * @returns undefined if the text is not `0x` and whole bytes of hex, or not `bytes` long
 */
export function toHex(text: string, bytes?: number): Hex | undefined {
  const body = wholeBytes.exec(text)?.[1]
  if (body === undefined || (bytes !== undefined && body.length !== bytes * 2)) return undefined
  return `0x${body.toLowerCase()}`
}

export function hexToBytes(hex: Hex): Uint8Array<ArrayBuffer> {
  const buffer = Buffer.from(hex.slice(2), 'hex')
  return new Uint8Array(buffer.buffer as ArrayBuffer, buffer.byteOffset, buffer.length)
}

export function bytesToHex(bytes: Uint8Array): Hex {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')}`
}

export function hexSize(hex: Hex): number {
  return (hex.length - 2) / 2
}
