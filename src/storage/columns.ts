import { bytesToHex, type Hex, hexToBytes } from '../domain/hex.ts'
import { Prisma } from './generated/client.ts'

/** bytea column of a hex value. */
export const bytea = hexToBytes

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

/** Statements that build JSON speak hex for bytes, text for amounts and row keys, and milliseconds for time. */
export const json = {
  hex: (column: string) => `'0x' || encode(${column}, 'hex')`,
  amount: (column: string) => `${column}::text`,
  time: (column: string) => `floor(extract(epoch from ${column}) * 1000)::bigint`,
}

export function raw(text: string): Prisma.Sql {
  return Prisma.raw(text)
}

export function dateOrNull(milliseconds: number | null): Date | null {
  return milliseconds === null ? null : new Date(milliseconds)
}
