import { parseAppDataDocument } from '../domain/app-data.ts'
import { Refusal } from '../domain/error.ts'
import type { Bytes32 } from '../domain/hex.ts'
import { keccakText } from '../domain/keccak.ts'
import { storeAppData } from '../storage/app-data.ts'
import type { Db } from '../storage/database.ts'

/**
 * Stores a document under the hash of its exact bytes.
 * @param hash what the client says it is; null to have it computed
 * @throws Refusal AppDataInvalid, AppDataHashMismatch
 */
export async function uploadAppData(
  db: Db,
  hash: Bytes32 | null,
  document: string,
): Promise<{ hash: Bytes32; created: boolean }> {
  try {
    parseAppDataDocument(document)
  } catch (error) {
    if (error instanceof Refusal) throw new Refusal('AppDataInvalid', error.message, { field: 'fullAppData' })
    throw error
  }
  const computed = keccakText(document)
  if (hash !== null && hash !== computed) {
    throw new Refusal('AppDataHashMismatch', `the document hashes to ${computed}`, { field: 'appDataHash' })
  }
  return { hash: computed, created: await storeAppData(db, computed, document) }
}
