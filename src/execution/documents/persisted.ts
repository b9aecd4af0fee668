import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { Refusal } from '../../domain/errors/error.ts'

/** Documents that clients name by the SHA-256 of their text. */
export interface PersistedDocuments {
  /**
   * The text of a request's document, by its hash if it came without text.
   * @throws Refusal PERSISTED_QUERY_NOT_FOUND for an unknown hash without text; InvalidQuery when text and hash
   * differ, and for another version of the protocol
   */
  textOf(request: NamedDocument): string | undefined
  /** Caches a valid text that came with its hash. */
  keep(request: NamedDocument): void
}

export interface NamedDocument {
  query?: unknown
  extensions?: unknown
}

/** Of texts that clients registered; those of the list are not limited. */
const maxCachedCharacters = 1_000_000

/** @param list of the deployment; clients add others (automatic persisted queries) */
export function createPersistedDocuments(list: Readonly<Record<string, string>> = {}): PersistedDocuments {
  const listed = new Map(Object.entries(list))
  const registered = new LRUCache<string, string>({
    maxSize: maxCachedCharacters,
    sizeCalculation: (text) => text.length,
  })

  return {
    textOf({ query, extensions }) {
      const hash = hashOf(extensions)
      if (hash === undefined) return typeof query === 'string' ? query : undefined
      if (typeof query === 'string') {
        if (sha256(query) !== hash)
          throw new Refusal('InvalidQuery', 'the document does not hash to sha256Hash')
        return query
      }
      const text = listed.get(hash) ?? registered.get(hash)
      if (text === undefined) throw new Refusal('PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound')
      return text
    },

    keep({ query, extensions }) {
      const hash = hashOf(extensions)
      if (hash !== undefined && typeof query === 'string' && !listed.has(hash)) registered.set(hash, query)
    },
  }
}

function hashOf(extensions: unknown): string | undefined {
  const { persistedQuery } = (extensions ?? {}) as {
    persistedQuery?: Partial<Record<string, unknown>> | null
  }
  const { sha256Hash: hash, version = 1 } = persistedQuery ?? {}
  if (typeof hash !== 'string') return undefined
  if (version === 1) return hash.toLowerCase()
  throw new Refusal('InvalidQuery', 'persistedQuery.version must be 1', { field: 'extensions' })
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
