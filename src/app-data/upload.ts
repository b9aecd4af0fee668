import { parseAppDataDocument } from '../domain/app-data/document.ts'
import { Refusal } from '../domain/errors/error.ts'
import type { Bytes32 } from '../domain/evm/hex.ts'
import { keccakText } from '../domain/evm/keccak.ts'
import { findAppData, storeAppData } from '../storage/app-data.ts'
import type { Database } from '../storage/database/database.ts'

export interface Upload {
  /** The hash that the client declares; null if it declares none. */
  hash: Bytes32 | null
  document: string
  maxBytes: number
}

/**
 * Stores a document under the hash of its exact bytes.
 * @throws Refusal AppDataInvalid, AppDataHashMismatch, AppDataMismatch
 */
export async function uploadAppData(
  db: Database,
  { hash, document, maxBytes }: Upload,
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
  const created = await storeAppData(db, computed, document)
  // A document of the older scheme has a hash that is not that of its bytes, so another one may be stored under this hash.
  if (!created && (await findAppData(db, computed)) !== document) {
    throw new Refusal('AppDataMismatch', `another document is stored under ${computed}`, {
      field: 'fullAppData',
    })
  }
  return { hash: computed, created }
}
