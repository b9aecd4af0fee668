import { bytesToHex, type Hex, hexToBytes } from '../../domain/evm/hex.ts'
import { Prisma } from '../generated/client.ts'

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

/** SQL expressions in statements that build JSON: bytes as hex, amounts and row keys as text. */
export const json = {
  hex: (column: string) => `'0x' || encode(${column}, 'hex')`,
  amount: (column: string) => `${column}::text`,
}

export function raw(text: string): Prisma.Sql {
  return Prisma.raw(text)
}
