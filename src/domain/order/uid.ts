import type { Address } from '../evm/address.ts'
import { type Bytes32, type Hex, toHex } from '../evm/hex.ts'

/**
 * An order's UID of 56 bytes: order digest (32), owner (20), validTo as big-endian uint32 (4). It is unique
 * across chains, because the digest holds the chain id.
 */
export type OrderUid = Hex & { readonly orderUid?: never }

export function packOrderUid(digest: Bytes32, owner: Address, validTo: number): OrderUid {
  return `${digest}${owner.slice(2)}${validTo.toString(16).padStart(8, '0')}` as OrderUid
}

export function unpackOrderUid(uid: OrderUid): { digest: Bytes32; owner: Address; validTo: number } {
  return {
    digest: uid.slice(0, 66) as Bytes32,
    owner: `0x${uid.slice(66, 106)}` as Address,
    validTo: Number.parseInt(uid.slice(106), 16),
  }
}

/**
 * Parses a UID with digits of any letter case.
 * @returns undefined if the text is not `0x` and 56 bytes of hex
 */
export function toOrderUid(text: string): OrderUid | undefined {
  return toHex(text, 56)
}
