import { type AppDataInput, emptyAppDataDocument, zeroAppData } from '../domain/app-data.ts'
import { Refusal } from '../domain/error.ts'
import { findAppData } from '../storage/app-data.ts'
import type { Db } from '../storage/database.ts'

/**
 * The document behind what a client sent: its own, or the stored one for a bare hash.
 * @throws Refusal InvalidAppData when nobody uploaded it
 */
export async function resolveDocument(
  db: Db,
  input: Pick<AppDataInput, 'hash' | 'document'>,
): Promise<string> {
  if (input.document !== null) return input.document
  if (input.hash === zeroAppData) return emptyAppDataDocument
  const stored = await findAppData(db, input.hash)
  if (stored === undefined) {
    throw new Refusal(
      'InvalidAppData',
      `no document is known for appData ${input.hash}: upload it, or send it with the order`,
      {
        field: 'appData',
      },
    )
  }
  return stored
}
