import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
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

/** Connections that are kept: an idle one ends before a network on its way forgets it. */
const kept = { keepAlive: true, maxFreeSockets: 32, timeout: 30_000 }
const agents = { 'http:': new HttpAgent(kept), 'https:': new HttpsAgent(kept) }

/**
 * Sends JSON over connections that are kept alive. It does not follow redirects. `fetch` takes twice the time
 * of the processor, and a follower sends dozens of requests a second.
 * @throws Throttled for 429, and for 503 with Retry-After; TooLarge; other errors if the node is unavailable
 *   or answers without JSON
 */
export async function post(options: PostOptions, body: string): Promise<PostAnswer> {
  const { timeoutMs = 5000, maxBytes = defaultMaxBytes } = options
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    const response = await send(new URL(options.url), body, signal)
    const bytes = await readUpTo({ body: decompressed(response) }, maxBytes)
    if (!bytes) throw new TooLarge(`answers with more than ${maxBytes} bytes`)
    const { statusCode: status = 0 } = response
    checkStatus(response, options)
    const isOk = status >= 200 && status < 300
    return { isOk, status, body: parse(bytes.toString('utf8'), isOk) }
  } catch (fault) {
    throw signal.aborted ? signal.reason : fault
  }
}

function send(url: URL, body: string, signal: AbortSignal): Promise<IncomingMessage> {
  const isSecure = url.protocol === 'https:'
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'accept-encoding': 'gzip',
    ...traceHeaders(),
  }
  const options = { method: 'POST', agent: agents[isSecure ? 'https:' : 'http:'], headers, signal }
  return new Promise((resolve, reject) => {
    const request = (isSecure ? httpsRequest : httpRequest)(url, options, resolve)
    request.on('error', (fault) => {
      // The node closed a connection that it had kept, while the request was on its way.
      const isStale = request.reusedSocket && 'code' in fault && fault.code === 'ECONNRESET'
      if (isStale && !signal.aborted) resolve(send(url, body, signal))
      else reject(fault)
    })
    request.end(body)
  })
}

function decompressed(response: IncomingMessage): AsyncIterable<Uint8Array> {
  // A fault of one stream ends the other, and is thrown by the loop that reads it.
  return response.headers['content-encoding'] === 'gzip'
    ? pipeline(response, createGunzip(), () => undefined)
    : response
}

function checkStatus({ statusCode = 0, headers }: IncomingMessage, { now = Date.now }: PostOptions): void {
  const pauseMs = retryAfterMs(headers['retry-after'], now())
  if (statusCode === 429 || (statusCode === 503 && pauseMs !== undefined)) {
    throw new Throttled('the network node', `status ${statusCode}`, pauseMs)
  }
  if (statusCode >= 500) throw new Error(`status ${statusCode}`)
}

function parse(text: string, isOk: boolean): unknown {
  try {
    return JSON.parse(text)
  } catch (fault) {
    if (isOk) throw fault
    return undefined
  }
}

/** Describes a fault. The message of a connection's fault names hosts, so only its code is logged. */
export function describeFault(fault: unknown): string {
  if (fault instanceof OutsideFault) return fault.reason
  if (!(fault instanceof Error)) return String(fault)
  return 'code' in fault && typeof fault.code === 'string' ? `no connection: ${fault.code}` : fault.message
}
