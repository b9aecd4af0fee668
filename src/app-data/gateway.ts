import { createHash } from 'node:crypto'
import { decode, encode, prepare } from '@ipld/dag-pb'
import { UnixFS } from 'ipfs-unixfs'
import { createLruCache } from '../domain/derived.ts'
import { Outage } from '../domain/errors/error.ts'
import type { Bytes32 } from '../domain/evm/hex.ts'
import { keccakHex } from '../domain/evm/keccak.ts'
import type { Clock } from '../domain/log.ts'
import { readUpTo } from '../outside/http-json.ts'
import { observed } from '../outside/telemetry/work.ts'

/** The maximum size that a block adds to a small file: type, size and a length before each part, in bytes. */
const maxBlockOverhead = 64

/** Bytes that do not match the requested hash. */
class WrongContent extends Error {}

/** One of the two content ids that an appData hash can stand for. */
interface ContentForm {
  cid(hash: Bytes32): string
  /**
   * Returns the file in a gateway's response; undefined for a block that is not a single-block file.
   * @throws WrongContent when the bytes do not match the hash
   */
  open(bytes: Uint8Array, hash: Bytes32): Uint8Array | undefined
}

/** A raw block, named by the keccak-256 of its bytes, which are the document. */
const rawForm: ContentForm = {
  cid: (hash) => `f01551b20${hash.slice(2)}`,
  open(bytes, hash) {
    if (keccakHex(bytes) !== hash) throw new WrongContent('the raw block has another hash')
    return bytes
  },
}

/**
 * The older scheme: a dag-pb block, named by its sha2-256, that contains the document as a file. Gateways
 * without raw blocks return the file; the block is then built from it as IPFS programs build it.
 */
const blockForm: ContentForm = {
  cid: (hash) => `f01701220${hash.slice(2)}`,
  open(bytes, hash) {
    if (sha256(bytes) === hash) return fileIn(bytes)
    if (sha256(blockOf(bytes)) === hash) return bytes
    throw new WrongContent('the dag-pb block has another hash')
  },
}

function sha256(bytes: Uint8Array): Bytes32 {
  return `0x${createHash('sha256').update(bytes).digest('hex')}` as const
}

function blockOf(data: Uint8Array): Uint8Array {
  return encode(prepare({ Data: new UnixFS({ type: 'file', data }).marshal() }))
}

function fileIn(block: Uint8Array): Uint8Array | undefined {
  try {
    const { Data, Links } = decode(block)
    if (!Data || Links.length > 0) return undefined
    const { type, data } = UnixFS.unmarshal(Data)
    return type === 'file' ? data : undefined
  } catch {
    return undefined
  }
}

/** Finds documents that applications published elsewhere, by their hash. */
export interface AppDataGateway {
  /** Returns undefined when the gateway has no document. @throws Outage when the gateway does not answer */
  find(hash: Bytes32): Promise<string | undefined>
}

interface IpfsOptions {
  /** The base URL; documents are below `/ipfs/`. */
  url: string
  maxBytes: number
  timeoutMs?: number
  /** The maximum of concurrent requests; further ones get an Outage. */
  maxUnderWay?: number
}

/**
 * Creates a gateway to IPFS. A hash can stand for two content ids, which are requested in parallel. It does
 * not retry: clients do. It checks the content against the hash. It does not follow redirects, which could
 * lead into the internal network.
 */
export function createIpfsGateway(options: IpfsOptions): AppDataGateway {
  const { url, maxBytes, timeoutMs = 5_000, maxUnderWay = 32 } = options
  const base = url.endsWith('/') ? url : `${url}/`
  let underWay = 0

  async function read(hash: Bytes32, form: ContentForm): Promise<string | undefined> {
    const bytes = await download(`${base}ipfs/${form.cid(hash)}`)
    const file = bytes && open(bytes, hash, form)
    // A file larger than the limit counts as missing.
    return file && file.length <= maxBytes ? toText(file) : undefined
  }

  const download = (from: string) => observed(reading, () => fetchBlock(from))

  async function fetchBlock(from: string): Promise<Uint8Array | undefined> {
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
      if (underWay >= maxUnderWay) throw new Outage(name, 'too many documents are being read')
      underWay++
      try {
        const results = await Promise.allSettled([read(hash, rawForm), read(hash, blockForm)])
        const texts = results.map((result) => (result.status === 'fulfilled' ? result.value : undefined))
        const document = texts.find((text) => text !== undefined)
        const failure = results.find((result) => result.status === 'rejected')
        if (document === undefined && failure) throw failure.reason
        return document
      } finally {
        underWay--
      }
    },
  }
}

const name = 'the app data gateway'
const reading = { kind: 'source', name: 'GET', of: name } as const

/** Requests raw blocks if the gateway serves them. */
const headers = { accept: 'application/vnd.ipld.raw, */*;q=0.1' }

function open(bytes: Uint8Array, hash: Bytes32, form: ContentForm): Uint8Array | undefined {
  try {
    return form.open(bytes, hash)
  } catch (cause) {
    throw new Outage(name, cause)
  }
}

interface CacheOptions {
  now: Clock
  entries?: number
  lifetimeMs?: number
}

/** Caches documents and missing ones; concurrent callers share one request. An outage is not cached. */
export function cachedGateway(
  gateway: AppDataGateway,
  { now, entries = 1_000, lifetimeMs = 600_000 }: CacheOptions,
): AppDataGateway {
  const cache = createLruCache<Bytes32, { until: number; document: Promise<string | undefined> }>({
    max: entries,
  })
  return {
    find(hash) {
      const cached = cache.get(hash)
      if (cached && cached.until > now()) return cached.document
      const document = gateway.find(hash)
      const entry = { until: now() + lifetimeMs, document }
      cache.set(hash, entry)
      document.catch(() => {
        if (cache.peek(hash) === entry) cache.delete(hash)
      })
      return document
    },
  }
}

/** Returns undefined for bytes that are not UTF-8. */
function toText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}
