import { median } from '../load/turn.ts'
import { toTable } from '../report.ts'

/** The response to a request for the report without arguments. */
export interface FirstPage {
  what: string
  status: number
  bytes: number
  /** The time of the first request. */
  coldMs: number
  /** The median time of later, sequential requests. */
  p50Ms: number
  maxMs: number
  /** The fault of a failed answer. */
  fault: string | undefined
  /** The URL of the next part, from the REST response. */
  next: string | undefined
}

const repeats = 20
/** The limit above which a system gets no further requests. */
const timeoutMs = 2_000
const deadlineMs = 60_000

export async function timeFirstPage(what: string, ask: () => Promise<Response>): Promise<FirstPage> {
  const cold = await timed(ask)
  const times: number[] = []
  for (let repeat = 0; repeat < repeats && cold.ms < timeoutMs; repeat++) times.push((await timed(ask)).ms)
  const { status, body } = cold
  const fault = status === 200 && !body.includes('"errors"') ? undefined : body.slice(0, 300)
  return {
    what,
    status,
    bytes: Buffer.byteLength(body),
    coldMs: cold.ms,
    p50Ms: times.length ? median(times) : cold.ms,
    maxMs: Math.max(cold.ms, ...times),
    fault,
    next: cold.next,
  }
}

async function timed(ask: () => Promise<Response>) {
  const started = performance.now()
  const response = await ask()
  const body = await response.text()
  return { status: response.status, body, ms: performance.now() - started, next: nextOf(response) }
}

/** Returns the target of `Link: <…>; rel="next"`, resolved against the request. */
export function nextOf({ headers, url }: Response): string | undefined {
  const target = /<([^>]*)>\s*;[^,]*\brel="?next"?/i.exec(headers.get('link') ?? '')?.[1]
  return target === undefined ? undefined : new URL(target, url).href
}

export function getJson(url: string): Promise<Response> {
  return fetch(url, { signal: AbortSignal.timeout(deadlineMs) })
}

export function postGraphql(port: number, query: string, variables: object): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
    signal: AbortSignal.timeout(deadlineMs),
  })
}

export function formatPages(pages: readonly FirstPage[]): string {
  const head = ['first page', 'status', 'bytes', 'cold ms', 'p50 ms', 'max ms', 'fault']
  const lines = pages.map(({ what, status, bytes, coldMs, p50Ms, maxMs, fault }) => [
    what,
    String(status),
    String(bytes),
    coldMs.toFixed(1),
    p50Ms.toFixed(1),
    maxMs.toFixed(1),
    fault ?? '',
  ])
  return toTable(head, lines)
}
