import { setTimeout as pause } from 'node:timers/promises'
import { createFairQueue, type FairQueue } from '../../concurrency/fair-queue.ts'
import { Outage, Refusal } from '../../domain/errors/error.ts'
import type { Log } from '../../domain/log.ts'
import { OutsideFault, Throttled } from '../../outside/fault.ts'
import type { Health } from '../../outside/health.ts'
import { observed } from '../../outside/telemetry/work.ts'
import { describeFault, type PostAnswer, type PostOptions, post, Rejected, TooLarge } from './post.ts'

export interface RpcCall {
  method: string
  params?: readonly unknown[]
}

export type RpcResponse = { value: unknown } | { error: RpcError }

/** JSON-RPC with one node. Results are not checked here: parse them with `wire.ts`. */
export interface Rpc {
  /** Sends one call. @throws RpcError if the node refuses, Outage if it does not answer */
  call<T = unknown>(method: string, params?: readonly unknown[]): Promise<T>
  /**
   * Returns responses in the order of the calls. A refused call is an error response, not an exception.
   * @throws RpcError if the node refuses the batch as a whole, Outage if it does not answer
   */
  batch(calls: readonly RpcCall[]): Promise<RpcResponse[]>
}

/** An error response of the node. It is never retried, because the result would be the same. */
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

export interface RpcOptions extends PostOptions {
  log: Log
  /**
   * The number of retries after the first attempt, for transport faults, wrong ids, and the statuses 429 and
   * 5xx only.
   */
  retries?: number
  /**
   * The back-off before the first retry, doubled for each further one. A longer Retry-After takes precedence.
   */
  backoffMs?: number
  /** The health shared by the clients of one node: while it is down, nothing is sent. */
  health?: Health
  /** The name of the node in metrics and traces; never its URL. */
  name?: string
  /**
   * True if the calls run untrusted code: a timeout or a large answer then does not count against the node's
   * health.
   */
  runsStrangersCode?: boolean
}

const batchSize = 100

/** Creates a client. The URL can contain an API key, so it is never logged. */
export function createRpc(options: RpcOptions): Rpc {
  let lastId = 0
  const envelope = ({ method, params = [] }: RpcCall) => ({ jsonrpc: '2.0', id: ++lastId, method, params })

  async function batchOnce(calls: readonly RpcCall[]): Promise<RpcResponse[]> {
    const requests = calls.map(envelope)
    return exchange(options, batchName(calls), requests, (body) => {
      if (!Array.isArray(body)) throw toRpcError(body) ?? new TypeError('not a batch')
      const answers = new Map(body.map((item: unknown) => [isObject(item) ? item.id : undefined, item]))
      if (body.length !== requests.length || answers.size !== requests.length) throw wrongIds()
      return requests.map((request) => toResponse(answers.get(request.id), request))
    })
  }

  return {
    async call<T>(method: string, params: readonly unknown[] = []) {
      const request = envelope({ method, params })
      return exchange(options, method, request, (body) => {
        const response = toResponse(body, request)
        if ('error' in response) throw response.error
        return response.value as T
      })
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

/** The name of a batch, from its methods, which are few. */
function batchName(calls: readonly RpcCall[]): string {
  return `batch of ${[...new Set(calls.map(({ method }) => method))].sort().join(', ')}`
}

/** The maximum pause before a retry. If the node requests a longer one, the call fails. */
const maxPauseMs = 5_000

/** Retries until `read` accepts the response body; an RpcError from `read` is final. */
async function exchange<T>(
  options: RpcOptions,
  what: string,
  request: unknown,
  read: (body: unknown) => T,
): Promise<T> {
  const { retries = 2, backoffMs = 150 } = options
  const body = JSON.stringify(request)
  for (let attempt = 0; ; attempt++) {
    const outcome = await tryOnce(options, what, async () => readAnswer(await post(options, body), read))
    if ('value' in outcome) return outcome.value
    const { fault } = outcome
    if (fault instanceof RpcError) throw fault
    const asked = (fault instanceof Throttled && fault.retryAfterMs) || 0
    const pauseMs = Math.max(backoffMs * 2 ** attempt, asked)
    const isRefused =
      fault instanceof Rejected || (fault instanceof OutsideFault && !(fault instanceof Throttled))
    if (isRefused || attempt >= retries || pauseMs > maxPauseMs) throw new Outage('the network node', fault)
    await pause(pauseMs)
  }
}

/** A fault that counts against the node's health. */
class NodeFault extends OutsideFault {
  readonly fault: unknown

  constructor(what: string, fault: unknown) {
    super('the network node', `${what}: ${describeFault(fault)}`)
    this.fault = fault
  }
}

/** Makes one attempt. @returns an OutsideFault if the node's health forbids it */
async function tryOnce<T>(
  options: RpcOptions,
  what: string,
  send: () => Promise<T>,
): Promise<{ value: T } | { fault: unknown }> {
  const { health, log, name = 'a node' } = options
  const work = { kind: 'rpc', name: what, of: name } as const
  const attempt = async () => {
    try {
      return { value: await observed(work, send) }
    } catch (fault) {
      if (isAnswer(fault, options)) return { fault }
      if (!health) log.warn('the node did not answer', { what, fault: describeFault(fault) })
      throw fault instanceof Throttled ? fault : new NodeFault(what, fault)
    }
  }
  try {
    return await (health ? health.ask(attempt) : attempt())
  } catch (fault) {
    return { fault: fault instanceof NodeFault ? fault.fault : fault }
  }
}

/** Reports whether a call failed because of the node, so that another node may answer it. */
export function isNodeFault(fault: unknown, options: Pick<RpcOptions, 'runsStrangersCode'>): boolean {
  return fault instanceof Outage && !isAnswer(fault.cause, options)
}

/**
 * Reports whether a fault counts as an answer: an answer for untrusted code may be late, or large, without a
 * fault of the node.
 */
function isAnswer(
  fault: unknown,
  { runsStrangersCode = false }: Pick<RpcOptions, 'runsStrangersCode'>,
): boolean {
  const isTimeout = fault instanceof Error && fault.name === 'TimeoutError'
  return fault instanceof RpcError || (runsStrangersCode && (isTimeout || fault instanceof TooLarge))
}

/** Reads an answer. Some nodes send their JSON-RPC errors with a status of 4xx. */
function readAnswer<T>({ isOk, status, body }: PostAnswer, read: (body: unknown) => T): T {
  if (isOk) return read(body)
  try {
    read(body)
  } catch (fault) {
    if (fault instanceof RpcError) throw fault
  }
  throw new Rejected(`status ${status}`)
}

/** Parses a response. An answer to another request, even an error, does not count for this request. */
function toResponse(item: unknown, { id, method }: { id: number; method: string }): RpcResponse {
  if (!isObject(item) || item.id !== id) throw wrongIds()
  const error = toRpcError(item)
  if (error) return { error }
  if (!('result' in item)) throw new TypeError('not a JSON-RPC answer')
  const { result: value } = item
  if (!(shapes[method]?.(value) ?? true)) throw new TypeError(`answers ${method} with another shape`)
  return { value }
}

const isHex = (value: unknown) => typeof value === 'string' && value.startsWith('0x')
const isObjectOrNull = (value: unknown) => value === null || (isObject(value) && !Array.isArray(value))

/** The minimum form of results by method. Another form is a fault of the node, not an answer. */
const shapes: Readonly<Record<string, (value: unknown) => boolean>> = {
  eth_blockNumber: isHex,
  eth_call: isHex,
  eth_chainId: isHex,
  eth_estimateGas: isHex,
  eth_gasPrice: isHex,
  eth_getBalance: isHex,
  eth_getBlockByNumber: isObjectOrNull,
  eth_getCode: isHex,
  eth_getLogs: Array.isArray,
  eth_getTransactionByHash: isObjectOrNull,
  eth_getTransactionCount: isHex,
  eth_getTransactionReceipt: isObjectOrNull,
}

function wrongIds(): TypeError {
  return new TypeError('answers with other ids than asked')
}

function toRpcError(item: unknown): RpcError | undefined {
  if (!isObject(item) || !isObject(item.error)) return undefined
  const { code, message, data } = item.error
  return new RpcError(String(message ?? 'no message'), Number(code ?? 0), data)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

/** Splits the items in order into lists of at most `size`. */
export function chunksOf<T>(items: readonly T[], size: number): T[][] {
  const count = Math.ceil(items.length / size)
  return Array.from({ length: count }, (_, index) => items.slice(index * size, (index + 1) * size))
}

/**
 * Creates a queue for calls of untrusted code: hooks, tokens, wallets. Each owner has one slot at a time, so
 * slow code delays only its own owner's calls, and all slow code together occupies at most `atOnce` slots.
 */
export function createContractCallQueue(atOnce: number): FairQueue {
  return createFairQueue({
    running: { max: atOnce, perKey: 1 },
    waiting: { max: 3 * atOnce, perKey: atOnce },
    refusal: () => new Refusal('Unavailable', 'too many wait for their wallets or hooks: try again later'),
  })
}
