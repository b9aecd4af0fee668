import type { Address } from '../domain/evm/address.ts'
import { bytea, hexOf } from './database/columns.ts'
import { type Db, sql } from './database/database.ts'

export async function insertNonce(db: Db, nonce: string, expiresAt: Date): Promise<void> {
  await sql(db).signInNonce.create({ data: { nonce, expiresAt } })
}

/** Checks whether the nonce can be taken. */
export async function hasNonce(db: Db, nonce: string, now: Date): Promise<boolean> {
  return (await sql(db).signInNonce.count({ where: { nonce, expiresAt: { gt: now } } })) > 0
}

/** Takes a nonce: of any number of callers one gets true. */
export async function takeNonce(db: Db, nonce: string, now: Date): Promise<boolean> {
  const { count } = await sql(db).signInNonce.deleteMany({ where: { nonce, expiresAt: { gt: now } } })
  return count > 0
}

interface StoredSession {
  tokenHash: Uint8Array
  account: Address
  createdAt: Date
  expiresAt: Date
}

/** Stores a session. If its account then has more than `limit`, those that expire first end. */
export async function insertSession(db: Db, session: StoredSession, limit: number): Promise<void> {
  const account = Uint8Array.from(bytea(session.account))
  await sql(db).session.create({
    data: { ...session, tokenHash: Uint8Array.from(session.tokenHash), account },
  })
  await sql(db).$executeRaw`DELETE FROM sessions WHERE token_hash IN (
    SELECT token_hash FROM sessions WHERE account = ${account} ORDER BY expires_at DESC, token_hash OFFSET ${limit})`
}

/** The account of a session that has not expired. */
export async function findSession(db: Db, tokenHash: Uint8Array, now: Date): Promise<Address | undefined> {
  const row = await sql(db).session.findFirst({
    where: { tokenHash: Uint8Array.from(tokenHash), expiresAt: { gt: now } },
    select: { account: true },
  })
  return row ? hexOf(row.account) : undefined
}

/** @returns how many ended */
export async function deleteSessions(
  db: Db,
  session: { tokenHash: Uint8Array } | { account: Address },
): Promise<number> {
  const where =
    'account' in session
      ? { account: Uint8Array.from(bytea(session.account)) }
      : { tokenHash: Uint8Array.from(session.tokenHash) }
  return (await sql(db).session.deleteMany({ where })).count
}
