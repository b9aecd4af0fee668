import type { StoredMeter } from '../concurrency/byte-budget.ts'
import { parseAppDataDocument } from '../domain/app-data/document.ts'
import { Refusal } from '../domain/errors/error.ts'
import type { Bytes32 } from '../domain/evm/hex.ts'
import { keccakText } from '../domain/evm/keccak.ts'
import type { Clock } from '../domain/log.ts'
import { sha256 } from '../domain/text/digest.ts'
import { findAppData, storeAppData, unusedBytes } from '../storage/app-data.ts'
import type { Database } from '../storage/database/database.ts'

interface Upload {
  /** The hash that the client declares; null if it declares none. */
  hash: Bytes32 | null
  document: string
  /** The client's address, as rate limits count it. */
  client: string
}

/** Limits on documents that clients upload. */
interface UploadLimits {
  /** The maximum size of a document. */
  maxBytes: number
  /** The maximum size of all documents of one client that no order names. */
  maxUnusedBytes: number
  /** The time for which such documents are kept. */
  unusedMs: number
  now: Clock
  meter?: StoredMeter | undefined
}

/** The retry time for a client over its limit; the real time depends on its orders. */
const fullRetryMs = 3_600_000

/**
 * Stores a document under the hash of its exact bytes. While no order names it, it expires and counts for the
 * client.
 * @throws Refusal AppDataInvalid, AppDataHashMismatch, AppDataMismatch; RateLimited for a client with too
 * many bytes that no order names
 */
export async function uploadAppData(
  db: Database,
  { hash, document, client: address }: Upload,
  { maxBytes, maxUnusedBytes, unusedMs, now, meter }: UploadLimits,
): Promise<{ hash: Bytes32; created: boolean }> {
  try {
    parseAppDataDocument(document, maxBytes)
  } catch (error) {
    if (error instanceof Refusal) throw new Refusal('AppDataInvalid', error.message, { field: 'fullAppData' })
    throw error
  }
  const computed = keccakText(document)
  if (hash !== null && hash !== computed) {
    throw new Refusal('AppDataHashMismatch', `the document hashes to ${computed}`, { field: 'appDataHash' })
  }
  const client = sha256(address).subarray(0, 16)
  const bytes = Buffer.byteLength(document)
  if ((await unusedBytes(db, client)) + bytes > maxUnusedBytes) {
    meter?.countLimited('stored documents')
    throw new Refusal(
      'RateLimited',
      `documents of this client that no order names have ${maxUnusedBytes} bytes, the most that is kept of them`,
      { data: { limit: 'documents', retryAfterMs: fullRetryMs } },
    )
  }
  const created = await storeAppData(db, computed, document, {
    client,
    expiresAt: new Date(now() + unusedMs),
  })
  if (created) meter?.countStored('documents', bytes)
  // In the older scheme the hash is not that of the bytes: another document may be stored under it.
  if (!created && (await findAppData(db, computed)) !== document) {
    throw new Refusal('AppDataMismatch', `another document is stored under ${computed}`, {
      field: 'fullAppData',
    })
  }
  return { hash: computed, created }
}
