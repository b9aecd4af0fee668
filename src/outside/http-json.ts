import { nestsDeeper } from '../domain/json-text.ts'
import type { Clock } from '../domain/log.ts'
import { OutsideFault, Throttled } from './fault.ts'
import { readUpTo } from './read-up-to.ts'

/** Who is asked, and within which bounds. */
export interface JsonPeer {
  /** What messages call it. */
  name: string
  /** Base: paths are put behind its own, its query stays. It can hold a key, so nothing repeats it. */
  url: string
  now: Clock
  /** Sent with every question, such as a key. */
  headers?: Readonly<Record<string, string>>
  /**
   * For the whole exchange, the last byte included. Ten seconds without it: mostly whoever asks gives less.
   */
  limitMs?: number
  /** Of the answer's body, unpacked. */
  maxBytes: number
}

export interface JsonQuestion {
  /** Such as `/solve`. */
  path: string
  query?: Readonly<Record<string, string>>
  /** Sent as JSON with POST; GET without it. */
  body?: unknown
}

/** Statuses 2xx and 4xx. */
export interface JsonAnswer {
  status: number
  /** Of 4xx it may say why, or be no JSON at all: `undefined`. */
  body: unknown
}

const defaultLimitMs = 10_000

/**
 * One question, one answer, no redirect followed and nothing tried again: a second try would use the time
 * that somebody waits with, and others are asked beside it. When to ask again is for the caller to decide,
 * who sees many questions.
 * @throws Throttled at status 429; OutsideFault when it is away, slow, answers 3xx or 5xx, too much, or 2xx
 * with no JSON
 */
export async function exchangeJson(
  peer: JsonPeer,
  question: JsonQuestion,
  signal: AbortSignal,
): Promise<JsonAnswer> {
  const limit = AbortSignal.timeout(peer.limitMs ?? defaultLimitMs)
  try {
    const response = await fetch(target(peer.url, question), {
      ...requestOf(peer, question),
      redirect: 'manual',
      signal: AbortSignal.any([signal, limit]),
    })
    checkStatus(response, peer)
    return { status: response.status, body: parseJson(await readText(response, peer), response, peer) }
  } catch (fault) {
    if (fault instanceof OutsideFault) throw fault
    if (signal.aborted || limit.aborted) throw new OutsideFault(peer.name, 'did not answer in time')
    throw new OutsideFault(peer.name, `cannot be reached (${codeOf(fault)})`)
  }
}

/** Of what was received: neither a list nor null. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function target(base: string, { path, query = {} }: JsonQuestion): URL {
  const url = new URL(base)
  url.pathname = `${url.pathname.replace(/(?<!\/)\/+$/, '')}${path}`
  url.username = ''
  url.password = ''
  for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value)
  return url
}

/** `fetch` takes no user and password in a URL: they are sent as it would be done by hand. */
function requestOf({ url, headers: own }: JsonPeer, { body }: JsonQuestion): RequestInit {
  const { username, password } = new URL(url)
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  const headers = {
    ...own,
    accept: 'application/json',
    ...(username && { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }),
  }
  if (body === undefined) return { headers }
  return {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }
}

function checkStatus(response: Response, { name, now }: JsonPeer): void {
  const { status } = response
  if (response.ok || (status >= 400 && status < 500 && status !== 429)) return
  leave(response)
  if (status === 429) throw new Throttled(name, 'status 429', retryAfterMs(response, now()))
  throw new OutsideFault(name, `status ${status}`)
}

/** Seconds or a date. */
function retryAfterMs({ headers }: Response, now: number): number | undefined {
  const text = headers.get('retry-after')?.trim() ?? ''
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000
  const until = Date.parse(text)
  return Number.isNaN(until) ? undefined : Math.max(0, until - now)
}

/** What is larger is no answer. */
async function readText(response: Response, { name, maxBytes }: JsonPeer): Promise<string> {
  const bytes = await readUpTo(response, maxBytes)
  if (!bytes) throw new OutsideFault(name, `answers with more than ${maxBytes} bytes`)
  return bytes.toString('utf8')
}

function parseJson(text: string, { ok }: Response, { name }: JsonPeer): unknown {
  if (nestsDeeper(text, maxLevels)) throw new OutsideFault(name, 'answers too deeply nested')
  try {
    return JSON.parse(text)
  } catch {
    if (!ok) return undefined
    throw new OutsideFault(name, 'answers with something that is no JSON')
  }
}

/** Several times what the protocols need. */
const maxLevels = 64

/** A body that nobody reads would hold its connection. */
function leave({ body }: Response): void {
  body?.cancel().catch(() => {})
}

/** `fetch` hides why it failed in a cause, whose message names hosts: its code does not. */
function codeOf(fault: unknown): string {
  const { cause } = fault instanceof Error ? fault : {}
  const code = cause && typeof cause === 'object' && 'code' in cause ? String(cause.code) : ''
  return /^\w{1,40}$/.test(code) ? code : 'no connection'
}
