import type { Address } from '../../domain/evm/address.ts'
import { bytea, hexOf } from '../database/columns.ts'
import { type Database, type Db, sql } from '../database/database.ts'
import { signal } from '../database/signals.ts'
import { Prisma } from '../generated/client.ts'

/** Names a session: the id is the client's own. */
export interface SessionKey {
  chainId: number
  owner: Address
  /** A UUID. */
  clientId: string
}

export interface SessionLimits {
  /** Sessions of one client address for one owner. */
  perOwner: number
  /** Sessions of one client address. */
  perClient: number
  total: number
}

/** Name of a limit that is reached. */
export type ReachedLimit = keyof SessionLimits

interface NewSession extends SessionKey {
  /** Hash of the client address. */
  client: Uint8Array
  tokens: readonly Address[]
  now: Date
  expiresAt: Date
}

/** The name of a session in `NOTIFY` payloads. */
export function nameOf({ chainId, owner, clientId }: SessionKey): string {
  return `${chainId}:${owner}:${clientId}`
}

/**
 * Stores a session, in place of one with the same key. Serialized for a client address, so that concurrent
 * calls cannot pass a limit.
 * @returns the limit that is reached; undefined if it is stored
 */
export function putSession(
  db: Database,
  { client: clientHash, tokens, now, expiresAt, ...key }: NewSession,
  limits: SessionLimits,
): Promise<ReachedLimit | undefined> {
  const { chainId, clientId } = key
  const owner = bytea(key.owner)
  const client = Buffer.from(clientHash)
  return db.transaction(async (tx) => {
    await sql(tx)
      .$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended('balance sessions:' || encode(${client}, 'hex'), 0))`
    const [row] = await sql(tx).$queryRaw<{ reached: ReachedLimit | null }[]>`
      WITH others AS (
        SELECT count(*) FILTER (WHERE client = ${client} AND chain_id = ${chainId}::int4 AND owner = ${owner}) AS of_owner,
          count(*) FILTER (WHERE client = ${client}) AS of_client, count(*) AS of_all
        FROM balance_sessions WHERE expires_at > ${now}
          AND (chain_id, owner, client_id) <> (${chainId}::int4, ${owner}, ${clientId}::uuid)
      ), verdict AS (
        SELECT CASE WHEN of_owner >= ${limits.perOwner}::int4 THEN 'perOwner' WHEN of_client >= ${limits.perClient}::int4 THEN 'perClient'
          WHEN of_all >= ${limits.total}::int4 THEN 'total' END AS reached FROM others
      ), written AS (
        INSERT INTO balance_sessions (chain_id, owner, client_id, client, tokens, expires_at)
        SELECT ${chainId}::int4, ${owner}, ${clientId}::uuid, ${client}, ${tokens.map(bytea)}::bytea[], ${expiresAt}
        FROM verdict WHERE reached IS NULL
        ON CONFLICT (chain_id, owner, client_id) DO UPDATE SET client = EXCLUDED.client, tokens = EXCLUDED.tokens,
          expires_at = greatest(balance_sessions.expires_at, EXCLUDED.expires_at)
      )
      SELECT reached FROM verdict`
    if (!row?.reached) await signal(tx, 'balances', nameOf(key))
    return row?.reached ?? undefined
  })
}

/** Replaces the tokens of a session. @returns whether there is one */
export async function replaceTokens(
  db: Database,
  key: SessionKey,
  { tokens, now, expiresAt }: Pick<NewSession, 'tokens' | 'now' | 'expiresAt'>,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const count = await sql(tx).$executeRaw`UPDATE balance_sessions
      SET tokens = ${tokens.map(bytea)}::bytea[], expires_at = greatest(expires_at, ${expiresAt})
      WHERE ${keyed(key)} AND expires_at > ${now}`
    if (count > 0) await signal(tx, 'balances', nameOf(key))
    return count > 0
  })
}

/** Extends a session and returns its tokens; undefined if there is none. */
export async function takeSession(
  db: Db,
  key: SessionKey,
  { now, expiresAt }: Pick<NewSession, 'now' | 'expiresAt'>,
): Promise<Address[] | undefined> {
  const [row] = await sql(db).$queryRaw<{ tokens: Uint8Array[] }[]>`UPDATE balance_sessions
    SET expires_at = greatest(expires_at, ${expiresAt}) WHERE ${keyed(key)} AND expires_at > ${now} RETURNING tokens`
  return row?.tokens.map(hexOf)
}

/** Moves the expiry of sessions, later or earlier. */
export async function endSessionsAt(db: Db, keys: readonly SessionKey[], expiresAt: Date): Promise<void> {
  await sql(db).$executeRaw`UPDATE balance_sessions s SET expires_at = ${expiresAt}
    FROM unnest(${keys.map(({ chainId }) => chainId)}::int4[], ${keys.map(({ owner }) => bytea(owner))}::bytea[],
      ${keys.map(({ clientId }) => clientId)}::uuid[]) AS k(chain_id, owner, client_id)
    WHERE (s.chain_id, s.owner, s.client_id) = (k.chain_id, k.owner, k.client_id)`
}

const keyed = ({ chainId, owner, clientId }: SessionKey) =>
  Prisma.sql`chain_id = ${chainId}::int4 AND owner = ${bytea(owner)} AND client_id = ${clientId}::uuid`
