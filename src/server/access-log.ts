import { createHmac } from 'node:crypto'
import { createLruCache } from '../domain/derived.ts'
import type { Log } from '../domain/log.ts'

/** A request that has ended. */
export interface EndedRequest {
  method: string
  /** The pattern of the path. */
  route: string
  status: number
  milliseconds: number
  /** Cost units charged at its end; undefined if it reached no limit. */
  units: number | undefined
  requestId: string
  /** An address; undefined if none was read. */
  client: string | undefined
}

export type AccessLog = (request: EndedRequest) => void

const maxClients = 1_000

/** @param key salts the hashes of addresses: without it an address can be found by trying all */
export function createAccessLog(log: Log, key: string | Buffer): AccessLog {
  const hashes = createLruCache<string, string>({ max: maxClients })
  const hashOf = (client: string) => {
    const known = hashes.get(client)
    if (known !== undefined) return known
    const hash = createHmac('sha256', key).update(client).digest('base64url').slice(0, 16)
    hashes.set(client, hash)
    return hash
  }
  return ({ method, route, status, milliseconds, units, requestId, client }) => {
    log.info('request', {
      method,
      route,
      status,
      requestId,
      ms: Math.round(milliseconds * 10) / 10,
      ...(units !== undefined && { cost: Math.round(units * 100) / 100 }),
      ...(client !== undefined && { client: hashOf(client) }),
    })
  }
}
