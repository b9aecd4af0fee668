import { ask, type Exchange } from '../../http/client.ts'
import { openTestServer } from '../../setup/server.ts'

const rateLimits = { reads: 50, quotes: 10, orders: 5, introspections: 6 }
/** The refill of two seconds. */
export const fullBucket = 100
export const at = 1_800_000_000_000

type TestServer = Awaited<ReturnType<typeof openTestServer>>

/** A server with the usual limits and a fixed clock, behind a trusted proxy. */
export function openLimited(
  services: Parameters<typeof openTestServer>[0] = {},
  more: Parameters<typeof openTestServer>[1] = {},
): Promise<TestServer> {
  const isTrustedProxy = (address: string) => address === '127.0.0.1'
  return openTestServer(services, { now: () => at, rateLimits, isTrustedProxy, ...more })
}

interface Sent {
  method?: string
  body?: string
  headers?: Record<string, string>
}

/** A client at a new address. */
export function clientOf({ url }: Pick<TestServer, 'url'>, address: string) {
  const send = (path: string, { method = 'GET', body, headers = {} }: Sent = {}): Promise<Exchange> =>
    ask(`${url}${path}`, {
      method,
      headers: {
        'x-forwarded-for': address,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body }),
    })
  return {
    send,
    graphql: (query: string, variables: object = {}, more: object = {}) =>
      send('/graphql', { method: 'POST', body: JSON.stringify({ query, variables, ...more }) }),
    /** Uses up the client's bucket, which is not refilled meanwhile. */
    async exhaust(): Promise<void> {
      for (const units of [50, 10, 1]) {
        const aliases = Array.from({ length: units }, (_, index) => `a${index}: version`).join(' ')
        const body = JSON.stringify({ query: `{ ${aliases} }` })
        while ((await send('/graphql', { method: 'POST', body })).status !== 429);
      }
    },
  }
}

/** The remaining units of a kind. */
export function left({ headers }: Exchange, kind = 'reads'): number {
  return Number(new RegExp(`"${kind}";r=(\\d+)`).exec(String(headers.ratelimit))?.[1])
}

export function jsonOf({ bytes }: Exchange) {
  return JSON.parse(bytes.toString())
}
