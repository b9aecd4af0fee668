import { bytesToHex, type Hex, hexToBytes } from '../../domain/evm/hex.ts'
import { Prisma } from '../generated/client.ts'

/** bytea column of a hex value. */
export const bytea = hexToBytes

/**
 * An element of a bytea array that may be null, as text that PostgreSQL casts. Where an element before it is
 * null, Prisma binds bytes as base64, which PostgreSQL would store as if it were the value.
 */
export function nullableBytea(value: Hex | null | undefined): string | null {
  return value ? `\\x${value.slice(2)}` : null
}

export function hexOf(column: Uint8Array): Hex {
  return bytesToHex(column)
}

/** numeric(78,0) column of an amount. */
export function numeric(amount: bigint): Prisma.Decimal {
  return new Prisma.Decimal(amount.toString())
}

export function amountOf(column: Prisma.Decimal): bigint {
  return BigInt(column.toFixed(0))
}

/** SQL expressions in statements that build JSON: bytes as hex, amounts and row keys as text. */
export const json = {
  hex: (column: string) => `'0x' || encode(${column}, 'hex')`,
  amount: (column: string) => `${column}::text`,
}

export function raw(text: string): Prisma.Sql {
  return Prisma.raw(text)
}
