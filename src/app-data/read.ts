import {
  type AppDataInput,
  emptyAppDataDocument,
  type ParsedAppData,
  parseAppDataDocument,
  zeroAppData,
} from '../domain/app-data/document.ts'
import { Refusal } from '../domain/errors/error.ts'
import { findAppData } from '../storage/app-data.ts'
import type { Db } from '../storage/database/database.ts'
import type { AppDataGateway } from './gateway.ts'

/** Where documents come from, and how large they may be. */
export interface AppDataSources {
  db: Db
  maxBytes: number
  /** Asked for documents that nobody uploaded; null when there is none. */
  gateway: AppDataGateway | null
}

export interface Reading {
  parsedAppData: ParsedAppData
  /** The document when it is not stored under this hash yet: it came with the request, or from the gateway. */
  newDocument: string | null
}

/**
 * What appData says: the document that the client sent, else the stored one of the hash, else the gateway's.
 * @throws Refusal InvalidAppData for what nobody knows or what is malformed; Outage when the gateway does not answer
 */
export async function readAppData(
  input: Pick<AppDataInput, 'hash' | 'document'>,
  appDataSources: AppDataSources,
): Promise<Reading> {
  const stored = input.document === null ? await storedDocument(input.hash, appDataSources.db) : undefined
  const newDocument =
    stored === undefined ? (input.document ?? (await published(input.hash, appDataSources))) : null
  return {
    parsedAppData: parseAppDataDocument(stored ?? newDocument ?? '', appDataSources.maxBytes),
    newDocument,
  }
}

async function storedDocument(hash: AppDataInput['hash'], db: Db): Promise<string | undefined> {
  return hash === zeroAppData ? emptyAppDataDocument : findAppData(db, hash)
}

async function published(hash: AppDataInput['hash'], { gateway }: AppDataSources): Promise<string> {
  const found = await gateway?.find(hash)
  if (found !== undefined) return found
  throw new Refusal(
    'InvalidAppData',
    `no document is known for appData ${hash}: upload it, or send it with the order`,
    { field: 'appData' },
  )
}
