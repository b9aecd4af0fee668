import type { Address } from '../domain/address.ts'
import type { Token } from '../domain/token.ts'
import { bytea, hexOf } from './columns.ts'
import { type Db, sql } from './database.ts'

export async function findTokens(
  db: Db,
  chainId: number,
  addresses: readonly Address[],
): Promise<Map<Address, Token>> {
  const rows = await sql(db).token.findMany({ where: { chainId, address: { in: addresses.map(bytea) } } })
  return new Map(rows.map((row) => [hexOf(row.address), { ...row, address: hexOf(row.address) }]))
}

export async function storeTokens(db: Db, tokens: readonly Token[]): Promise<void> {
  await sql(db).token.createMany({
    data: tokens.map((token) => ({ ...token, address: bytea(token.address) })),
    skipDuplicates: true,
  })
}
