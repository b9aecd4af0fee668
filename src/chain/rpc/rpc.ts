import { setTimeout as pause } from 'node:timers/promises'
import { Outage } from '../../domain/errors/error.ts'
import type { Log } from '../../domain/log.ts'
import { readUpTo } from '../../outside/read-up-to.ts'

export interface RpcCall {
  method: string
  params?: readonly unknown[]
}

export type RpcResponse = { value: unknown } | { error: RpcError }

/** JSON-RPC with one node. Results are not checked here: parse them with `wire.ts`. */
export interface Rpc {
  /** @throws RpcError when the node refuses, Outage when it does not answer */
  call<T = unknown>(method: string, params?: readonly unknown[]): Promise<T>
  /**
   * Responses in the order of the calls; a refused call is an error response, not an exception.
   * @throws RpcError when the node refuses the batch as a whole, Outage when it does not answer
   */
  batch(calls: readonly RpcCall[]): Promise<RpcResponse[]>
}

/** The node responded with an error. It is never retried: the result would be the same. */
export class RpcError extends Error {
  readonly code: number
  readonly data: unknown

  constructor(message: string, code: number, data?: unknown) {
    super(message)
    this.name = 'RpcError'
    this.code = code
    this.data = data
  }
}

export interface RpcOptions {
  url: string
  log: Log
  /** For one attempt, including the response body. */
  timeoutMs?: number
  /** Retries after the first attempt, for transport faults and the statuses 429 and 5xx only. */
  retries?: number
  /** Back-off before the first retry; doubled for each further one. */
  backoffMs?: number
  /** Limit of one response after decompression. A larger one is an outage without retry. */
  maxBytes?: number
  fetch?: typeof fetch
}

const batchSize = 100
/** Several times what the logs of a full block need, and small enough that parsing does not block the process for long. */
const defaultMaxBytes = 32 * 2 ** 20

/** `fetch` keeps connections alive. The URL can hold an API key: it is never logged. */
export function createRpc(options: RpcOptions): Rpc {
  let lastId = 0
  const envelope = ({ method, params = [] }: RpcCall) => ({ jsonrpc: '2.0', id: ++lastId, method, params })

  async function batchOnce(calls: readonly RpcCall[]): Promise<RpcResponse[]> {
    const requests = calls.map(envelope)
    return exchange(options, `batch of ${calls.length}`, requests, (body) => {
      if (!Array.isArray(body)) throw toRpcError(body) ?? new TypeError('not a batch')
      const byId = new Map(body.map((item: unknown) => [isObject(item) ? item.id : undefined, item]))
      return requests.map(({ id }) => toResponse(byId.get(id)))
    })
  }

  return {
    async call<T>(method: string, params: readonly unknown[] = []) {
      const response = await exchange(options, method, envelope({ method, params }), toResponse)
      if ('error' in response) throw response.error
      return response.value as T
    },
    async batch(calls) {
      const responses: RpcResponse[] = []
      for (let start = 0; start < calls.length; start += batchSize) {
        responses.push(...(await batchOnce(calls.slice(start, start + batchSize))))
      }
      return responses
    },
  }
}

/** Retries until `read` accepts the response body; an RpcError from `read` is final. */
async function exchange<T>(
  options: RpcOptions,
  what: string,
  request: unknown,
  read: (body: unknown) => T,
): Promise<T> {
  const { retries = 2, backoffMs = 150, log } = options
  for (let attempt = 0; ; attempt++) {
    try {
      return read(await post(options, JSON.stringify(request)))
    } catch (fault) {
      if (fault instanceof RpcError) throw fault
      const final = attempt >= retries || fault instanceof Rejected
      log.warn('the node did not answer', { what, attempt, final, fault: describe(fault) })
      if (final) throw new Outage('the network node', fault)
    }
    await pause(backoffMs * 2 ** attempt)
  }
}

/** A fault that a retry would only repeat: a status such as 401, or a response that is too large. */
class Rejected extends Error {}

async function post(options: RpcOptions, body: string) {
  const { url, timeoutMs = 5000, maxBytes = defaultMaxBytes, fetch = globalThis.fetch } = options
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
    signal: AbortSignal.timeout(timeoutMs),
  })
  const bytes = await readUpTo(response, maxBytes)
  if (!bytes) throw new Rejected(`answers with more than ${maxBytes} bytes`)
  const text = bytes.toString('utf8')
  if (response.ok) return JSON.parse(text) as unknown
  if (response.status === 429 || response.status >= 500) throw new Error(`status ${response.status}`)
  throw rpcErrorIn(text) ?? new Rejected(`status ${response.status}`)
}

/** Some nodes send their JSON-RPC errors with a status of 4xx. */
function rpcErrorIn(text: string): RpcError | undefined {
  try {
    return toRpcError(JSON.parse(text))
  } catch {
    return undefined
  }
}

function toResponse(item: unknown): RpcResponse {
  const error = toRpcError(item)
  if (error) return { error }
  if (!isObject(item) || !('result' in item)) throw new TypeError('not a JSON-RPC answer')
  return { value: item.result }
}

function toRpcError(item: unknown): RpcError | undefined {
  if (!isObject(item) || !isObject(item.error)) return undefined
  const { code, message, data } = item.error
  return new RpcError(String(message ?? 'no message'), Number(code ?? 0), data)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

/** The cause of a `fetch` error has the reason, but its message names hosts: only its code is logged. */
function describe(fault: unknown): string {
  if (!(fault instanceof Error)) return String(fault)
  const { cause } = fault
  return isObject(cause) && 'code' in cause ? `${fault.message}: ${cause.code}` : fault.message
}
