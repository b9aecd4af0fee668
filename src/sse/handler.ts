import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Response } from 'graphql-sse'
import { createTurns } from '../concurrency/event-loop.ts'
import { Refusal } from '../domain/errors/error.ts'
import type { Admission, CountDelivery } from '../execution/admission/admission.ts'
import { checkSize } from '../execution/documents/variables.ts'
import type { Executor } from '../execution/execute.ts'
import type { StreamOperation } from '../execution/http/handler.ts'
import { acceptedEvents } from '../execution/http/request.ts'
import type { GraphqlParams, Operation } from '../execution/operation.ts'
import { type Caller, withLastEventId } from '../http/caller.ts'
import { createBeats, type StreamMeter } from '../http/event-stream.ts'
import type { RoutedAnswer } from '../http/response.ts'
import type { Peers } from '../outside/redis/peers.ts'
import { createChannel, type StreamChannel } from './channel.ts'
import { DirectStream } from './direct.ts'
import { createElsewhere, type ForeignRequest } from './elsewhere.ts'
import { frameForm } from './frames.ts'
import { createOperations, type Exchange, type Operations } from './operations.ts'
import type { Quota } from './quota.ts'
import { createReservations } from './reservations.ts'
import {
  givesToken,
  isStream,
  keptResponse,
  type OpenStream,
  openStream,
  paramsOf,
  readParams,
  refusalResponse,
  searchOf,
  streamAdvice,
  streamHeaders,
  toHttpResponse,
  tokenOf,
  toRequest,
} from './wire.ts'

export interface StreamLimits {
  /** Streams that one client address holds. */
  perClient: number
  total: number
  /** Subscriptions on one stream. */
  perStream: number
  /** Bytes that wait in this process for one client to read, beyond one event. */
  bufferBytes: number
  /** Time after which the connection of a client that reads nothing is closed. */
  stalledMs: number
  /** Interval of comments: proxies close a connection that stays silent. */
  keepAliveMs: number
  /** A reservation that is not opened within this time is dropped. */
  reservedMs: number
}

export const defaultStreamLimits: StreamLimits = {
  perClient: 100,
  total: 10_000,
  perStream: 100,
  bufferBytes: 32_768,
  stalledMs: 60_000,
  keepAliveMs: 12_000,
  reservedMs: 30_000,
}

interface StreamHandler {
  /** A request to the path of streams. */
  handle(req: IncomingMessage, caller: Caller, gone: () => AbortSignal): Promise<RoutedAnswer>
  /** Answers an operation, which was counted already, with a stream. */
  stream: StreamOperation
  /** Ends every stream with a reason; clients connect to another process. */
  close(): void
}

/**
 * GraphQL over SSE, with a connection for each operation or one for several. A stream of several lives at the
 * process where its client opened it; other processes forward its operations.
 * @param peers the other processes
 */
export function createStreamHandler(
  executor: Executor,
  limits: StreamLimits,
  quota: Quota,
  meter: StreamMeter,
  peers?: Peers,
): StreamHandler {
  const operations = createOperations(executor, meter)
  const noOperation = executor.read({})
  const reservations = createReservations(limits.reservedMs, {
    onDropped: (token) => void forget(token),
    onEnded: (token) => elsewhere.forget(token),
  })
  const elsewhere = createElsewhere(peers, { tokens: reservations.tokens, give, perform })
  const open = new Set<Pick<OpenStream, 'close' | 'destroy'>>()
  const beats = createBeats(Math.min(limits.keepAliveMs, limits.stalledMs))
  // Keeps others from waiting when thousands of clients reconnect at once.
  const turn = createTurns()

  /** Reads an operation, unless another process will. @returns the operation with the body as it came */
  async function readOperation(req: IncomingMessage, caller: Caller, isForeign: boolean) {
    // Requests that end an operation or a stream are free.
    if (req.method === 'DELETE') return { admission: undefined, body: null, operation: noOperation }
    const admission = executor.arrive(caller)
    const body = await readParams(req)
    const bytes = Number(req.headers['content-length'] ?? req.url?.length)
    const operation = isForeign ? noOperation : counted(admission, body ?? paramsOf(req.url), bytes)
    return { admission, body, operation }
  }

  function counted(admission: Admission, params: GraphqlParams, bytes: number): Operation {
    checkSize(params.variables)
    const operation = executor.read(params)
    operation.reserve(admission, bytes)
    return operation
  }

  async function give(token: string) {
    if (!reservations.get(token)) return undefined
    const kept = reservations.kept(token)
    if (kept) return kept
    reservations.end(token)
    void forget(token)
    // The other process takes a slot for it.
    await quota.tell()
    return 'given'
  }

  /** A request that came to another process, about a stream that lives here. */
  async function perform(token: string, { method, url, body, caller: from }: ForeignRequest) {
    const reservation = reservations.get(token)
    if (!reservation) return undefined
    const caller: Caller = { ...from, apiKey: from.apiKey, setHeader: () => {} }
    try {
      const admission = method === 'DELETE' ? undefined : executor.arrive(caller)
      const params = body ?? paramsOf(url)
      const operation = admission ? counted(admission, params, JSON.stringify(params).length) : noOperation
      const { signal } = new AbortController()
      const { channel } = reservation
      const exchange = { caller, operation, admission, channel, token, signal }
      const headers = { accept: '*/*', 'content-type': 'application/json' }
      reservations.use(token)
      return await operations(toRequest(method, url, headers, body, exchange))
    } catch (fault) {
      return refusalResponse(executor.mask(fault, caller.requestId))
    }
  }

  /** Takes over a stream that was reserved at another process. @returns a refusal; undefined on success */
  async function takeOver(token: string | null, from: Caller): Promise<Response | undefined> {
    const kept = await elsewhere.take(token)
    if (kept || token === null) return keptResponse(kept)
    const release = await quota.take(from.client)
    const channel = createChannel(limits.perStream, counting(from))
    await operations(toRequest('PUT', '/', { accept: '*/*' }, null, freeExchange(token)))
    reservations.add(token, { channel, release })
    await elsewhere.announce(token)
    return undefined
  }

  /** graphql-sse keeps a reserved stream until the stream ends: this opens and ends the stream. */
  async function forget(token: string): Promise<void> {
    const headers = { accept: 'text/event-stream' }
    const [body] = await operations(toRequest('GET', '/', headers, null, freeExchange(token)))
    if (isStream(body)) await body.return()
  }

  /** The exchange of a request of this process itself. */
  const freeExchange = (token: string): Exchange => ({
    caller: noCaller,
    operation: noOperation,
    admission: undefined,
    channel: noChannel,
    token,
    signal: noSignal,
  })

  function written(stream: Pick<OpenStream, 'close' | 'destroy'>, client: string, end: () => void) {
    open.add(stream)
    // The client comes back, and is refused.
    const stopWatch = executor.watch(client, () => stream.close('SHUTTING_DOWN'))
    return (ended: Promise<void>) =>
      ended.finally(() => {
        open.delete(stream)
        stopWatch()
        end()
      })
  }

  /** A subscription to a feed whose events all streams share; undefined for other operations. */
  async function openDirect(
    operation: Operation,
    caller: Caller,
    release: () => void,
  ): Promise<RoutedAnswer | undefined> {
    const { requestId } = caller
    const mask = (fault: unknown) => executor.mask(fault, requestId)
    const count = executor.deliveries(caller.client)
    const direct = new DirectStream({ ...limits, beats, meter, mask, count })
    const subscription = await executor.subscribeShared(operation, caller, frameForm, direct)
    if (!subscription) return undefined
    direct.follow(subscription.follower, subscription.cost)
    const track = written(direct, caller.client, release)
    return { stream: (res) => track(direct.write(res, streamHeaders)) }
  }

  /** Counts deliveries on a graphql-sse stream. */
  function counting({ client }: Caller): CountDelivery {
    const count = executor.deliveries(client)
    return (units) => {
      const restMs = count(units)
      if (restMs > 0) meter.rests++
      return restMs
    }
  }

  /** An operation through graphql-sse, or a request about a stream of several operations. */
  async function answer(
    request: Parameters<Operations>[0],
    { exchange, reservation, release }: Answering,
  ): Promise<RoutedAnswer> {
    const { channel, token, caller } = exchange
    const response = await operations(request).catch((fault) =>
      refusalResponse(executor.mask(fault, caller.requestId)),
    )
    const [body, { status }] = response
    if (isStream(body)) {
      if (reservation && token) reservations.open(token)
      const end = () => {
        channel.close()
        release()
        if (reservation && token) reservations.end(token)
      }
      return {
        stream(res) {
          res.writeHead(status, streamHeaders)
          const stream = openStream(body, res, channel, { ...limits, meter })
          return written(stream, caller.client, end)(stream.written)
        },
      }
    }
    if (request.method === 'PUT' && token && status === 201) {
      reservations.add(token, { channel, release })
      await elsewhere.announce(token)
    } else {
      release()
      if (token) reservations.use(token)
    }
    return toHttpResponse(response)
  }

  return {
    async handle(req, from, gone) {
      const token = req.method === 'PUT' ? randomUUID() : tokenOf(req)
      let reservation = token === null ? undefined : reservations.get(token)
      const { accepted, named } = acceptedEvents(req.headers.accept ?? '')
      const opens = req.method !== 'PUT' && req.method !== 'DELETE' && (givesToken(req) ? named : accepted)
      const isForeign = req.method !== 'PUT' && givesToken(req) && !reservation
      let release = () => {}
      try {
        if (!accepted && token === null && !givesToken(req) && req.method !== 'DELETE') throw notAcceptable
        const takesOver = isForeign && opens && req.method === 'GET' && paramsOf(req.url).query === null
        if (req.method === 'PUT' || (opens && !reservation && !takesOver))
          release = await quota.take(from.client)
        if (opens) await turn(from.client)
        const caller = withLastEventId(from, req, searchOf(req.url))
        const { admission, body, operation } = await readOperation(req, caller, isForeign && !opens)
        // An operation's own stream is opened, whatever its token is.
        const isOwn = opens && operation.params.query != null
        if (isForeign && !isOwn && !takesOver) {
          const { requestId, client, partner, apiKey, lastEventId } = caller
          const sender = {
            requestId,
            client,
            apiKey,
            ...(partner && { partner }),
            ...(lastEventId !== undefined && { lastEventId }),
          }
          const request = { method: req.method ?? 'GET', url: req.url ?? '/', body, caller: sender }
          return toHttpResponse(await elsewhere.perform(token, request))
        }
        if (takesOver) {
          const refused = await takeOver(token, from)
          if (refused) return toHttpResponse(refused)
          reservation = reservations.get(token ?? '')
        }
        const direct = opens && !reservation ? await openDirect(operation, caller, release) : undefined
        if (direct) return direct
        const channel = reservation?.channel ?? createChannel(limits.perStream, counting(from))
        const exchange = { caller, operation, admission, channel, token, signal: gone() }
        // graphql-sse compares: lists and weights were read above.
        const accept = opens ? 'text/event-stream' : '*/*'
        const request = toRequest(req.method, req.url, { ...req.headers, accept }, body, exchange)
        return await answer(request, { exchange, reservation, release })
      } catch (fault) {
        release()
        return toHttpResponse(refusalResponse(executor.mask(fault, from.requestId)))
      }
    },

    async stream(req, operation, admission, from, gone) {
      const release = await quota.take(from.client)
      try {
        await turn(from.client)
        const caller = withLastEventId(from, req, searchOf(req.url))
        const direct = await openDirect(operation, caller, release)
        if (direct) return direct
        const channel = createChannel(limits.perStream, counting(from))
        const signal = gone()
        const exchange = { caller, operation, admission, channel, token: null, signal }
        const headers = { accept: 'text/event-stream', 'content-type': 'application/json' }
        const request = toRequest('POST', '/', headers, { ...operation.params }, exchange)
        return await answer(request, { exchange, reservation: undefined, release })
      } catch (fault) {
        release()
        throw fault
      }
    },

    close() {
      elsewhere.close()
      reservations.close()
      for (const stream of open) stream.close('SHUTTING_DOWN')
      setTimeout(() => {
        for (const stream of open) stream.destroy()
      }, closingMs).unref()
    },
  }
}

const notAcceptable = new Refusal('NotAcceptable', `this path streams: ${streamAdvice}`)

interface Answering {
  exchange: Exchange
  reservation: { channel: StreamChannel } | undefined
  release: () => void
}

/** The time that clients have to receive the reason when the process stops. */
const closingMs = 1_000

const noSignal = new AbortController().signal

const noCaller: Caller = { requestId: '', client: '', apiKey: undefined, setHeader: () => {} }

const noChannel = createChannel(0, () => 0)
