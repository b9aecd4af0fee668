import { Outage } from '../domain/error.ts'
import type { Bytes32 } from '../domain/hex.ts'
import { keccakHex } from '../domain/keccak.ts'
import type { Clock } from '../domain/log.ts'
import { readUpTo } from '../outside/read-up-to.ts'

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
 * An IPFS gateway. A hash can stand for two content ids: its own bytes as keccak-256 of a raw block, and, in
 * the older scheme, the sha2-256 of a dag-pb block. Both are asked for at once; nothing is asked twice,
 * clients are told to try again. Only the first form can be checked against the hash; for the second the
 * gateway is taken at its word.
 */
export function createIpfsGateway(options: IpfsOptions): AppDataGateway {
  const { url, maxBytes, timeoutMs = 5_000, maxUnderWay = 32 } = options
  let underWay = 0

  async function read(cid: string): Promise<Uint8Array | undefined> {
    const signal = AbortSignal.timeout(timeoutMs)
    try {
      const response = await fetch(`${url.replace(/\/$/, '')}/ipfs/${cid}`, { signal })
      // What is larger than any document is none.
      if (response.ok) return await readUpTo(response, maxBytes)
      await response.body?.cancel()
      if (response.status === 404 || response.status === 410) return undefined
      throw new Error(`status ${response.status}`)
    } catch (cause) {
      throw new Outage('the app data gateway', cause)
    }
  }

  async function readRaw(hash: Bytes32): Promise<Uint8Array | undefined> {
    const bytes = await read(`f01551b20${hash.slice(2)}`)
    if (bytes && keccakHex(bytes) !== hash)
      throw new Outage('the app data gateway', `what it has for ${hash} hashes to something else`)
    return bytes
  }

  return {
    async find(hash) {
      if (underWay >= maxUnderWay)
        throw new Outage('the app data gateway', 'too many documents are looked for')
      underWay++
      try {
        const asked = await Promise.allSettled([readRaw(hash), read(`f01701220${hash.slice(2)}`)])
        const found = asked.map((one) => (one.status === 'fulfilled' ? toText(one.value) : undefined))
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
  const known = new Map<Bytes32, { until: number; document: Promise<string | undefined> }>()
  return {
    find(hash) {
      const remembered = known.get(hash)
      if (remembered && remembered.until > now()) return remembered.document
      const document = gateway.find(hash)
      const entry = { until: now() + lifetimeMs, document }
      known.delete(hash)
      known.set(hash, entry)
      const [oldest] = known.keys()
      if (known.size > entries && oldest) known.delete(oldest)
      document.catch(() => {
        if (known.get(hash) === entry) known.delete(hash)
      })
      return document
    },
  }
}

/** Bytes that are no text are no document. */
function toText(bytes: Uint8Array | undefined): string | undefined {
  try {
    return bytes && new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}
