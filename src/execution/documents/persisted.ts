import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { Refusal } from '../../domain/errors/error.ts'

/** Documents that clients name by the SHA-256 of their text. */
export interface PersistedDocuments {
  /**
   * The text that a request means.
   * @throws Refusal PERSISTED_QUERY_NOT_FOUND for an unknown hash alone, InvalidQuery when text and hash
   * differ, and for another version of the protocol
   */
  textOf(request: NamedDocument): string | undefined
  /** Keeps a valid text that came with its hash. */
  keep(request: NamedDocument): void
}

export interface NamedDocument {
  query?: unknown
  extensions?: unknown
}

/** Of documents that clients brought; those of the list are kept for ever. */
const keptCharacters = 1_000_000

/** A list that was known in advance, and what clients bring (automatic persisted queries). */
export function createPersistedDocuments(list: Readonly<Record<string, string>> = {}): PersistedDocuments {
  const known = new Map(Object.entries(list))
  const brought = new LRUCache<string, string>({
    maxSize: keptCharacters,
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
      const text = known.get(hash) ?? brought.get(hash)
      if (text === undefined) throw new Refusal('PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound')
      return text
    },

    keep({ query, extensions }) {
      const hash = hashOf(extensions)
      if (hash !== undefined && typeof query === 'string' && !known.has(hash)) brought.set(hash, query)
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
