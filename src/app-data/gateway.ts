import { LRUCache } from 'lru-cache'
import { Outage } from '../domain/errors/error.ts'
import type { Bytes32 } from '../domain/evm/hex.ts'
import type { Clock } from '../domain/log.ts'
import { readUpTo } from '../outside/read-up-to.ts'
import { blockForm, type ContentForm, maxBlockOverhead, rawForm } from './ipfs-content.ts'

/** Documents that applications published elsewhere, by their hash. */
export interface AppDataGateway {
  /** `undefined` when it has none; an Outage when it does not say. */
  find(hash: Bytes32): Promise<string | undefined>
}

export interface IpfsOptions {
  /** Base URL; documents are below `/ipfs/`. */
  url: string
  maxBytes: number
  timeoutMs?: number
  /** Documents looked for at once; whoever comes then is told to try again. */
  maxUnderWay?: number
}

/**
 * An IPFS gateway. A hash can stand for two content ids, which are asked for at once, and nothing is asked
 * twice: clients are told to try again. The hash decides, whatever the gateway says. Redirects are not
 * followed: they could lead to machines that only this one reaches.
 */
export function createIpfsGateway(options: IpfsOptions): AppDataGateway {
  const { url, maxBytes, timeoutMs = 5_000, maxUnderWay = 32 } = options
  const base = url.endsWith('/') ? url : `${url}/`
  let underWay = 0

  async function read(hash: Bytes32, form: ContentForm): Promise<string | undefined> {
    const bytes = await download(`${base}ipfs/${form.cid(hash)}`)
    const file = bytes && open(bytes, hash, form)
    // What is larger than any document is none.
    return file && file.length <= maxBytes ? toText(file) : undefined
  }

  async function download(from: string): Promise<Uint8Array | undefined> {
    const signal = AbortSignal.timeout(timeoutMs)
    try {
      const response = await fetch(from, { signal, redirect: 'manual', headers })
      if (response.status === 200) return await readUpTo(response, maxBytes + maxBlockOverhead)
      await response.body?.cancel()
      if (response.status === 404 || response.status === 410) return undefined
      throw new Error(`status ${response.status}`)
    } catch (cause) {
      throw new Outage(name, cause)
    }
  }

  return {
    async find(hash) {
      if (underWay >= maxUnderWay) throw new Outage(name, 'too many documents are looked for')
      underWay++
      try {
        const asked = await Promise.allSettled([read(hash, rawForm), read(hash, blockForm)])
        const found = asked.map((one) => (one.status === 'fulfilled' ? one.value : undefined))
        const document = found.find((text) => text !== undefined)
        const failure = asked.find((one) => one.status === 'rejected')
        if (document === undefined && failure) throw failure.reason
        return document
      } finally {
        underWay--
      }
    },
  }
}

const name = 'the app data gateway'

/** Blocks as they are, where the gateway gives them. */
const headers = { accept: 'application/vnd.ipld.raw, */*;q=0.1' }

function open(bytes: Uint8Array, hash: Bytes32, form: ContentForm): Uint8Array | undefined {
  try {
    return form.open(bytes, hash)
  } catch (cause) {
    throw new Outage(name, cause)
  }
}

export interface CacheOptions {
  now: Clock
  entries?: number
  lifetimeMs?: number
}

/**
 * Remembers what was found and what was not, and asks once for many who ask at the same time. An outage is
 * not remembered.
 */
export function cachedGateway(
  gateway: AppDataGateway,
  { now, entries = 1_000, lifetimeMs = 600_000 }: CacheOptions,
): AppDataGateway {
  const known = new LRUCache<Bytes32, { until: number; document: Promise<string | undefined> }>({
    max: entries,
  })
  return {
    find(hash) {
      const remembered = known.get(hash)
      if (remembered && remembered.until > now()) return remembered.document
      const document = gateway.find(hash)
      const entry = { until: now() + lifetimeMs, document }
      known.set(hash, entry)
      document.catch(() => {
        if (known.peek(hash) === entry) known.delete(hash)
      })
      return document
    },
  }
}

/** Bytes that are no text are no document. */
function toText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}
