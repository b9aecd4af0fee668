import { type Db, sql } from './database/database.ts'

/** A request by its hashes. `key` covers method, path, client and the client's key. */
interface KeyedRequest {
  key: Uint8Array
  bodyHash: Uint8Array
}

/** One attempt to answer a request. */
interface Attempt {
  key: Uint8Array
  id: string
}

interface StoredResponse {
  status: number
  contentType: string
  body: string
  /** True if the response is bound to a credential: it is not repeated once the credential is invalid. */
  personal: boolean
}

/**
 * Begins an attempt unless a response is stored, or another attempt began after `lostBefore`. Requests from
 * before `expiredBefore` do not count. In SQL: one statement that inserts, or updates on a condition.
 * @returns when the first attempt began, and whether this is a later one; undefined when no attempt may begin
 */
export async function beginAttempt(
  db: Db,
  { key, bodyHash }: KeyedRequest,
  { id, now, lostBefore, expiredBefore }: { id: string; now: Date; lostBefore: Date; expiredBefore: Date },
): Promise<{ first: Date; again: boolean } | undefined> {
  const rows = await sql(db).$queryRaw<{ first: Date; again: boolean }[]>`
    INSERT INTO idempotency_keys AS known (key, body_hash, attempt, attempted_at, created_at)
    VALUES (${key}, ${bodyHash}, ${id}::uuid, ${now}, ${now})
    ON CONFLICT (key) DO UPDATE SET
      body_hash = excluded.body_hash, attempt = excluded.attempt, attempted_at = excluded.attempted_at,
      created_at = CASE WHEN known.created_at < ${expiredBefore} THEN excluded.created_at ELSE known.created_at END,
      status = NULL, content_type = NULL, body = NULL
    WHERE known.created_at < ${expiredBefore}
      OR (known.body_hash = excluded.body_hash AND known.status IS NULL AND known.attempted_at < ${lostBefore})
    RETURNING created_at AS first, xmax <> 0 AS again`
  return rows[0]
}

/** The stored request with its response; null while there is none. */
export async function findKeyed(
  db: Db,
  key: Uint8Array,
): Promise<{ bodyHash: Uint8Array; first: Date; answer: StoredResponse | null } | undefined> {
  const row = await sql(db).idempotencyKey.findUnique({ where: { key: Uint8Array.from(key) } })
  if (!row) return undefined
  const { bodyHash, createdAt, status, contentType, body, personal } = row
  const answer =
    status === null ? null : { status, contentType: contentType ?? '', body: body ?? '', personal }
  return { bodyHash, first: createdAt, answer }
}

/** Stores the response of the last attempt. */
export async function storeResponse(db: Db, { key, id }: Attempt, answer: StoredResponse): Promise<void> {
  await sql(db).idempotencyKey.updateMany({ where: { key: Uint8Array.from(key), attempt: id }, data: answer })
}

/** Ends an attempt without a response: the next may begin at once. Effects of this attempt may remain. */
export async function endKeyAttempt(db: Db, { key, id }: Attempt): Promise<void> {
  await sql(db).idempotencyKey.updateMany({
    where: { key: Uint8Array.from(key), attempt: id },
    data: { attemptedAt: new Date(0) },
  })
}
