import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '../domain/log.ts'
import { nestsDeeper } from '../domain/text/json.ts'
import { OutsideFault, Throttled } from './fault.ts'
import { observed, traceHeaders } from './telemetry/work.ts'

/** Reads the body of a response; undefined if it is longer than `maxBytes`. The rest is then not read. */
export async function readUpTo(
  { body }: { body: AsyncIterable<Uint8Array> | null },
  maxBytes: number,
): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.length
    if (size > maxBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** A provider that speaks JSON over HTTP, and the limits of an exchange with it. */
export interface JsonPeer {
  /** The name for messages and logs. */
  name: string
  /**
   * The base URL: paths are appended to its path, its query is kept. It can contain a key, so it is never
   * logged or returned.
   */
  url: string
  now: Clock
  /** Headers sent with every request, such as a key. */
  headers?: Readonly<Record<string, string>>
  /**
   * The time limit of the whole exchange, including the last byte; 10 seconds by default. Callers often abort
   * earlier.
   */
  timeoutMs?: number
  /** The limit of the answer's body, decompressed. */
  maxBytes: number
  /** Removes what nobody may see from an answer, before it is read. */
  mask?: (text: string) => string
}

export interface JsonRequest {
  /** The path, such as `/solve`. */
  path: string
  query?: Readonly<Record<string, string>>
  /** The body, sent as JSON; a `JsonText` is sent unchanged. */
  body?: unknown
  /** POST with a body, GET without it, unless another method is set. */
  method?: 'POST' | 'PUT' | 'DELETE'
  headers?: Readonly<Record<string, string>>
  /** True if a status 2xx without a body is an answer too; the body is then undefined. */
  mayBeEmpty?: boolean
}

/** JSON that is already written, such as one large body for many peers. */
export class JsonText {
  readonly text: string | Uint8Array<ArrayBuffer>

  constructor(text: string | Uint8Array<ArrayBuffer>) {
    this.text = text
  }
}

/** An answer with a status 2xx or 4xx. */
export interface JsonResponse {
  status: number
  /** The parsed body; undefined if a 4xx has no JSON, or a 2xx is empty and may be. */
  body: unknown
}

/** An answer as it came, with any status but that of a redirect. */
export interface TextResponse {
  status: number
  text: string
  /** The media type without parameters; empty if it names none. */
  mediaType: string
  /** The pause that it requests. */
  retryAfterMs: number | undefined
}

const defaultTimeoutMs = 10_000

/**
 * Sends one request and returns its answer. It does not follow redirects. It does not retry, because a client
 * waits and other providers are asked at the same time; the caller decides when to ask again.
 * @throws Throttled at status 429; OutsideFault if the provider is unreachable or slow, answers 3xx or 5xx,
 *   too much, or 2xx without JSON
 */
export function exchangeJson(
  peer: JsonPeer,
  question: JsonRequest,
  signal: AbortSignal,
): Promise<JsonResponse> {
  return exchange(peer, question, signal, async (response) => {
    checkStatus(response, peer)
    const text = await readText(response, peer)
    const body = question.mayBeEmpty && text === '' ? undefined : parseJson(text, response, peer)
    return { status: response.status, body }
  })
}

/**
 * The same for an answer that is passed on as it is.
 * @throws OutsideFault if the provider is unreachable or slow, redirects, or answers too much
 */
export function exchangeText(
  peer: JsonPeer,
  question: JsonRequest,
  signal: AbortSignal,
): Promise<TextResponse> {
  return exchange(peer, question, signal, async (response) => {
    const { status, headers } = response
    if (status >= 300 && status < 400) throw statusFault(response, peer)
    const [mediaType = ''] = (headers.get('content-type') ?? '').split(';', 1)
    const more = {
      mediaType: mediaType.trim().toLowerCase(),
      retryAfterMs: retryAfterMs(headers.get('retry-after'), peer.now()),
    }
    return { status, text: await readText(response, peer), ...more }
  })
}

const methodOf = ({ method, body }: JsonRequest) => method ?? (body === undefined ? 'GET' : 'POST')

function exchange<Answer>(
  peer: JsonPeer,
  question: JsonRequest,
  signal: AbortSignal,
  read: (response: Response) => Promise<Answer>,
): Promise<Answer> {
  const timeout = AbortSignal.timeout(peer.timeoutMs ?? defaultTimeoutMs)
  const work = { kind: 'call', name: methodOf(question), of: peer.name } as const
  return observed(work, async () => {
    try {
      const response = await fetch(urlOf(peer.url, question), {
        ...requestOf(peer, question),
        redirect: 'manual',
        signal: AbortSignal.any([signal, timeout]),
      })
      return await read(response)
    } catch (fault) {
      if (fault instanceof OutsideFault) throw fault
      if (signal.aborted || timeout.aborted) throw new OutsideFault(peer.name, 'did not answer in time')
      throw new OutsideFault(peer.name, `cannot be reached (${codeOf(fault)})`)
    }
  })
}

/** Returns the time of a provider's clock by a response to GET, to the second; undefined if it names none. */
export async function clockOf(
  peer: JsonPeer,
  path: string,
  signal: AbortSignal,
): Promise<number | undefined> {
  const question = { path }
  const response = await fetch(urlOf(peer.url, question), {
    ...requestOf(peer, question),
    redirect: 'manual',
    signal,
  })
  discardBody(response)
  const time = Date.parse(response.headers.get('date') ?? '')
  return Number.isNaN(time) ? undefined : time
}

/** Reports whether a value is an object, neither a list nor null. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function urlOf(base: string, { path, query = {} }: JsonRequest): URL {
  const url = new URL(base)
  url.pathname = `${url.pathname.replace(/(?<!\/)\/+$/, '')}${path}`
  url.username = ''
  url.password = ''
  for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value)
  return url
}

/**
 * Builds the request. `fetch` refuses a user and password in the URL, so they go into the Authorization
 * header.
 */
function requestOf({ url, headers: ownHeaders }: JsonPeer, question: JsonRequest): RequestInit {
  const { body, headers: moreHeaders } = question
  const { username, password } = new URL(url)
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  const headers = {
    ...ownHeaders,
    ...moreHeaders,
    ...traceHeaders(),
    accept: 'application/json',
    ...(username && { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }),
  }
  if (body === undefined) return { method: methodOf(question), headers }
  return {
    method: methodOf(question),
    headers: { ...headers, 'content-type': 'application/json' },
    body: body instanceof JsonText ? body.text : JSON.stringify(body),
  }
}

function checkStatus(response: Response, peer: JsonPeer): void {
  const { status } = response
  if (response.ok || (status >= 400 && status < 500 && status !== 429)) return
  throw statusFault(response, peer)
}

/** Creates the fault of an answer whose body is not read. */
function statusFault(response: Response, { name, now }: JsonPeer): OutsideFault {
  const { status } = response
  discardBody(response)
  if (status === 429)
    return new Throttled(name, 'status 429', retryAfterMs(response.headers.get('retry-after'), now()))
  return new OutsideFault(name, `status ${status}`)
}

/** The pause in Retry-After, which is a number of seconds or a date. */
export function retryAfterMs(header: string | null | undefined, now: number): number | undefined {
  const text = header?.trim() ?? ''
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000
  const until = Date.parse(text)
  return Number.isNaN(until) ? undefined : Math.max(0, until - now)
}

/** Reads the body. @throws OutsideFault for more than `maxBytes` */
async function readText(response: Response, { name, maxBytes, mask }: JsonPeer): Promise<string> {
  const bytes = await readUpTo(response, maxBytes)
  if (!bytes) throw new OutsideFault(name, `answers with more than ${maxBytes} bytes`)
  const text = bytes.toString('utf8')
  return mask ? mask(text) : text
}

/** Items that are parsed before other work has its turn. */
const parsedAtOnce = 32

/**
 * Sends one request and reads the list in its answer, up to so many items: what is behind them is not read.
 * @returns the status, and the items of a list; undefined for another answer
 * @throws as `exchangeJson`
 */
export function exchangeItems(
  peer: JsonPeer,
  question: JsonRequest,
  maxItems: number,
  signal: AbortSignal,
): Promise<{ status: number; items: unknown[] | undefined }> {
  return exchange(peer, question, signal, async (response) => {
    checkStatus(response, peer)
    const { status, ok } = response
    const { mask = (text: string) => text } = peer
    const reader = createItemReader(maxItems)
    let size = 0
    // An error says in its status what there is to know.
    if (!ok) discardBody(response)
    else
      for await (const chunk of response.body ?? []) {
        size += chunk.length
        if (size > peer.maxBytes)
          throw new OutsideFault(peer.name, `answers with more than ${peer.maxBytes} bytes`)
        reader.add(chunk)
        if (reader.state() !== 'open') break
      }
    if (!ok || reader.state() === 'other') return { status, items: undefined }
    if (reader.state() === 'open') throw new OutsideFault(peer.name, 'answers without valid JSON')
    const items: unknown[] = []
    for (const bytes of reader.items) {
      const item = jsonIn(mask(bytes.toString('utf8')))
      if (item === undefined) throw new OutsideFault(peer.name, 'answers without valid JSON')
      if (items.push(item) % parsedAtOnce === 0) await nextTurn()
    }
    return { status, items }
  })
}

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c]
const isSpace = (byte: number) => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d)
const isOpening = (byte: number) => byte === 0x5b || byte === 0x7b
const isClosing = (byte: number) => byte === 0x5d || byte === 0x7d

/** Finds the items of a list in JSON as its bytes come, without reading what is in them. */
function createItemReader(maxItems: number) {
  const items: Buffer[] = []
  let parts: Uint8Array[] = []
  let depth = 0
  let [isText, isEscaped] = [false, false]
  let state: 'open' | 'ended' | 'other' = 'open'

  /** Ends an item at the end of `part`. An empty list has none. */
  function endItem(part: Uint8Array): void {
    const item = Buffer.concat([...parts, part])
    parts = []
    if (item.some((byte) => !isSpace(byte))) items.push(item)
    if (items.length >= maxItems) state = 'ended'
  }

  function add(chunk: Uint8Array): void {
    let from = 0
    for (let at = 0; at < chunk.length && state === 'open'; at++) {
      const byte = chunk[at] ?? 0
      if (isText) {
        if (isEscaped) isEscaped = false
        else if (byte === backslash) isEscaped = true
        else if (byte === quote) isText = false
      } else if (depth === 0) {
        if (isSpace(byte)) continue
        if (byte !== 0x5b) state = 'other'
        depth = 1
        from = at + 1
      } else if (byte === quote) isText = true
      else if (isOpening(byte)) depth++
      else if (depth === 1 && (byte === comma || isClosing(byte))) {
        endItem(chunk.subarray(from, at))
        from = at + 1
        if (isClosing(byte)) state = 'ended'
      } else if (isClosing(byte)) depth--
    }
    if (state === 'open' && depth > 0) parts.push(chunk.subarray(from))
  }

  return { items, add, state: (): 'open' | 'ended' | 'other' => state }
}

function parseJson(text: string, { ok }: Response, { name }: JsonPeer): unknown {
  if (nestsDeeper(text, maxLevels)) throw new OutsideFault(name, 'answers too deeply nested')
  const body = jsonIn(text)
  if (body === undefined && ok) throw new OutsideFault(name, 'answers without valid JSON')
  return body
}

/** Parses JSON of others; undefined for another text, and for one that is too deeply nested. */
export function jsonIn(text: string): unknown {
  try {
    return nestsDeeper(text, maxLevels) ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The maximum nesting, several times that of the protocols. */
const maxLevels = 64

/** Discards a body. An unread one would keep its connection busy. */
function discardBody({ body }: Response): void {
  body?.cancel().catch(() => {})
}

/** The code of the error that `fetch` has as its cause. The message is not used, because it names hosts. */
function codeOf(fault: unknown): string {
  const { cause } = fault instanceof Error ? fault : {}
  const code = cause && typeof cause === 'object' && 'code' in cause ? String(cause.code) : ''
  return /^\w{1,40}$/.test(code) ? code : 'no connection'
}
