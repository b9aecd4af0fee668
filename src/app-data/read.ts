import {
  type AppDataInput,
  emptyAppDataDocument,
  type ParsedAppData,
  parseAppDataDocument,
  zeroAppData,
} from '../domain/app-data/document.ts'
import { Refusal } from '../domain/errors/error.ts'
import type { Clock } from '../domain/log.ts'
import { findAppData } from '../storage/app-data.ts'
import type { Db } from '../storage/database/database.ts'
import type { AppDataGateway } from './gateway.ts'

/** The sources of documents, and their size limit. */
export interface AppDataSources {
  db: Db
  now: Clock
  maxBytes: number
  /** The source of documents that no client uploaded; null when no gateway is configured. */
  gateway: AppDataGateway | null
}

export interface ResolvedAppData {
  parsedAppData: ParsedAppData
  /** The document if it is not stored under this hash yet: it came with the request or from the gateway. */
  fullAppData: string | null
}

/**
 * Reads the document from the request, else from storage by its hash, else from the gateway.
 * @param mayBeUnknown decides whether an order may name an unknown document, which then counts as empty
 * @throws Refusal InvalidAppData for an unknown or malformed document; Outage when the gateway does not
 * answer
 */
export async function readAppData(
  appData: Pick<AppDataInput, 'hash' | 'document'>,
  appDataSources: AppDataSources,
  mayBeUnknown: () => Promise<boolean> = async () => false,
): Promise<ResolvedAppData> {
  const { hash } = appData
  const stored = appData.document === null ? await storedDocument(hash, appDataSources) : undefined
  const document = stored ?? appData.document ?? (await appDataSources.gateway?.find(hash))
  if (document === undefined) {
    if (await mayBeUnknown())
      return { parsedAppData: parseAppDataDocument(emptyAppDataDocument), fullAppData: null }
    throw new Refusal(
      'InvalidAppData',
      `no document is known for appData ${hash}: upload it, or send it with the order`,
      { field: 'appData' },
    )
  }
  return {
    parsedAppData: parseAppDataDocument(document, appDataSources.maxBytes),
    fullAppData: stored === undefined ? document : null,
  }
}

async function storedDocument(
  hash: AppDataInput['hash'],
  { db, now }: Pick<AppDataSources, 'db' | 'now'>,
): Promise<string | undefined> {
  return hash === zeroAppData ? emptyAppDataDocument : findAppData(db, hash, new Date(now()))
}
