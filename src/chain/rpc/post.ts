import type { Clock } from '../../domain/log.ts'
import { OutsideFault, Throttled } from '../../outside/fault.ts'
import { readUpTo, retryAfterMs } from '../../outside/http-json.ts'
import { traceHeaders } from '../../outside/telemetry/work.ts'

export interface PostOptions {
  url: string
  /** The time limit for one attempt, including the response body. */
  timeoutMs?: number
  /** The limit of one response after decompression. A larger one is an outage without retry. */
  maxBytes?: number
  fetch?: typeof fetch
  now?: Clock
}

export interface PostAnswer {
  isOk: boolean
  status: number
  /** The parsed body; undefined if a 4xx has no JSON. */
  body: unknown
}

/** A fault that a retry would only repeat: a status such as 401, or a response that is too large. */
export class Rejected extends Error {}

/** The fault of an answer above the size limit. */
export class TooLarge extends Rejected {}

/**
 * The default limit: several times the logs of a full block, and small enough that parsing does not block the
 * process for long.
 */
const defaultMaxBytes = 32 * 2 ** 20

/**
 * Sends JSON. `fetch` keeps connections alive.
 * @throws Throttled for 429, and for 503 with Retry-After; TooLarge; other errors if the node is unavailable
 *   or answers without JSON
 */
export async function post(options: PostOptions, body: string): Promise<PostAnswer> {
  const { url, timeoutMs = 5000, maxBytes = defaultMaxBytes, fetch = globalThis.fetch } = options
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...traceHeaders() },
    body,
    signal: AbortSignal.timeout(timeoutMs),
  })
  const bytes = await readUpTo(response, maxBytes)
  if (!bytes) throw new TooLarge(`answers with more than ${maxBytes} bytes`)
  checkStatus(response, options)
  return { isOk: response.ok, status: response.status, body: parse(bytes.toString('utf8'), response) }
}

function checkStatus(response: Response, { now = Date.now }: PostOptions): void {
  const { status } = response
  const pauseMs = retryAfterMs(response, now())
  if (status === 429 || (status === 503 && pauseMs !== undefined)) {
    throw new Throttled('the network node', `status ${status}`, pauseMs)
  }
  if (status >= 500) throw new Error(`status ${status}`)
}

function parse(text: string, { ok }: Response): unknown {
  try {
    return JSON.parse(text)
  } catch (fault) {
    if (ok) throw fault
    return undefined
  }
}

/**
 * Describes a fault. The cause of a `fetch` error has the reason, but its message names hosts, so only its
 * code is logged.
 */
export function describeFault(fault: unknown): string {
  if (fault instanceof OutsideFault) return fault.reason
  if (!(fault instanceof Error)) return String(fault)
  const { cause } = fault
  return typeof cause === 'object' && cause !== null && 'code' in cause
    ? `${fault.message}: ${cause.code}`
    : fault.message
}
