import type { Token } from '../../src/domain/token/token.ts'
import { bytea } from '../../src/storage/database/columns.ts'
import { type Db, sql } from '../../src/storage/database/database.ts'

/** Tokens as if they were read from the chain. */
export async function storeTokens(db: Db, tokens: readonly Token[]): Promise<void> {
  await sql(db).token.createMany({
    data: tokens.map(({ address, ...token }) => ({ ...token, address: bytea(address) })),
  })
}
