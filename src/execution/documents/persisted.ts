import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { createByteBudget } from '../../concurrency/byte-budget.ts'
import { Refusal } from '../../domain/errors/error.ts'
import type { Services } from '../../graphql/context/context.ts'
import type { SharedDocuments } from '../../outside/redis/shared.ts'
import type { GraphqlParams } from '../operation.ts'

/** Documents that clients name by the SHA-256 of their text. */
export interface PersistedDocuments {
  /**
   * The text of a request's document, by its hash if it came without text.
   * @throws Refusal PERSISTED_QUERY_NOT_FOUND for an unknown hash without text; InvalidQuery when text and
   * hash differ, and for another version of the protocol
   */
  textOf(request: GraphqlParams): string | undefined | Promise<string>
  /** Caches a valid text that came with its hash, for other processes too while its client has room there. */
  keep(request: GraphqlParams, client: string): void
}

/** Characters of texts that clients registered; those of the list are unlimited. */
const maxCachedCharacters = 1_000_000

/** Bytes kept of one client for other processes, the size of a row besides its text, and its lifetime. */
const [maxClientBytes, sharedRowBytes, sharedMs] = [4_194_304, 160, 86_400_000]

/** Limit of shared texts: only the process that received them keeps larger ones. */
const maxSharedCharacters = 20_000

/** Creates the store. Clients add documents to those of the deployment (automatic persisted queries). */
export function createPersistedDocuments({
  documents: list = {},
  shared: processes,
  now,
  storedMeter: meter,
}: Pick<Services, 'documents' | 'shared' | 'now' | 'storedMeter'>): PersistedDocuments {
  const shared = processes?.documents
  const budget = createByteBudget(
    { what: 'persisted queries', bytes: maxClientBytes, ageMs: sharedMs },
    { now, shared: processes?.budgets, meter },
  )
  const listed = new Map(Object.entries(list))
  const registered = new LRUCache<string, string>({
    maxSize: maxCachedCharacters,
    sizeCalculation: (text) => text.length,
  })

  const isHash = (hash: string) => /^[0-9a-f]{64}$/.test(hash)
  const unknown = () => new Refusal('PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound')

  async function findShared(hash: string, { find }: SharedDocuments): Promise<string> {
    const text = await find(hash).catch(() => undefined)
    if (text === undefined || sha256(text) !== hash) throw unknown()
    registered.set(hash, text)
    return text
  }

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
      if (text !== undefined) return text
      if (shared && isHash(hash)) return findShared(hash, shared)
      throw unknown()
    },

    keep({ query, extensions }, client) {
      const hash = hashOf(extensions)
      if (hash === undefined || typeof query !== 'string' || listed.has(hash)) return
      const isNew = !registered.has(hash)
      registered.set(hash, query)
      if (!shared || !isNew || query.length > maxSharedCharacters || !budget.hasRoom(client)) return
      budget.add(client, Buffer.byteLength(query) + sharedRowBytes)
      shared.keep(hash, query).catch(() => {})
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
