import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { isPartnerKey } from '../accounts/partners.ts'
import { Refusal } from '../domain/errors/error.ts'
import type { Executor } from '../execution/execute.ts'
import { discardRest } from '../http/body.ts'
import { type Caller, type Partner, partnerClient } from '../http/caller.ts'
import { clientKey, type IsTrusted, isTrustedPeer } from '../http/client-address.ts'
import { commonHeaders, givenRequestId, writeResponse } from '../http/response.ts'
import { type TracedRequest, traceRequest } from '../outside/telemetry/work.ts'
import type { AccessLog } from './access-log.ts'
import { knownMethod, type Metrics } from './metrics.ts'
import { faultResponse, type HttpRouter, type RoutedResponse } from './routes.ts'

export interface CallingPartners {
  /** Finds the partner whose key the request has. */
  find(caller: Caller): Partner | undefined | Promise<Partner | undefined>
  /** Counts a request that has ended. */
  count(caller: Caller): void
}

export interface Serving {
  executor: Pick<Executor, 'mask'>
  router: Pick<HttpRouter, 'handlerOf'>
  metrics: Pick<Metrics, 'count'>
  newRequestId: () => string
  apiKeyOf: (headers: IncomingHttpHeaders) => string | undefined
  isTrustedProxy: IsTrusted
  /** Finds the partners that requests come from; without it there are none. */
  partners?: CallingPartners | undefined
  /** Called with each request once it has ended; no log by default. */
  accessLog?: AccessLog | undefined
  /** Called when the connection of a response has ended, also after a failure. */
  onEnd: () => void
  /** Decides whether the connection closes after this response, which is about to be written. */
  isLast: (req: IncomingMessage, res: ServerResponse) => boolean
  /** Limits the time of an answer that was written. */
  limitAnswer: (res: ServerResponse) => void
}

/** Handles one request, from its arrival to the end of its response. */
export function createRequestHandler({
  executor,
  router,
  metrics,
  newRequestId,
  apiKeyOf,
  isTrustedProxy,
  partners,
  accessLog,
  onEnd,
  isLast,
  limitAnswer,
}: Serving) {
  return (req: IncomingMessage, res: ServerResponse): void => {
    const started = performance.now()
    const requestId = givenRequestId(req.headers['x-request-id']) ?? newRequestId()
    const path = pathOf(req)
    let route = 'unknown'
    let caller: Caller | undefined
    const traced = traceRequest(() => tracedRequest(req, requestId, isTrustedProxy))
    const responseHeaders = commonHeaders(req.method, requestId, traced?.id)
    res.once('close', () => {
      const { method = '' } = req
      const [status, milliseconds] = [res.statusCode, performance.now() - started]
      metrics.count(method, route, status, milliseconds)
      const { units, client } = caller ?? {}
      if (caller) partners?.count(caller)
      traced?.end(route, status)
      accessLog?.({ method: knownMethod(method), route, status, milliseconds, units, requestId, client })
      onEnd()
    })
    const begin = (answer: RoutedResponse): Promise<void> | undefined => {
      route = answer.route ?? path
      discardRest(req)
      // Node writes `Connection: close` then.
      if (isLast(req, res)) res.shouldKeepAlive = false
      if (!('stream' in answer)) return writeResponse(req, res, responseHeaders, answer)
      for (let index = 0; index < responseHeaders.length; index += 2)
        res.setHeader(responseHeaders[index] ?? '', responseHeaders[index + 1] ?? '')
      return atItsTurn(res, () => answer.stream(res))
    }
    const write = (answer: RoutedResponse): Promise<void> | undefined => {
      const written = begin(answer)
      if (written) return written.then(() => limitAnswer(res))
      limitAnswer(res)
      return undefined
    }
    // Handlers respond to their own refusals. These are internal errors, and refusals before a handler.
    const fail = (fault: unknown): void => {
      const error = executor.mask(fault, requestId)
      if (res.headersSent) return void res.destroy()
      try {
        // Headers that could not be written are dropped.
        responseHeaders.splice(0, responseHeaders.length, ...commonHeaders(req.method, requestId, traced?.id))
        write({ ...faultResponse(req, error), route })?.catch(() => res.destroy())
      } catch {
        res.destroy()
      }
    }
    try {
      checkHost(req)
      caller = callerOf(req, responseHeaders, requestId, { isTrustedProxy, apiKeyOf })
      const from = caller
      const handleAs = (partner: Partner | undefined) => {
        const known = partner ? { ...from, partner, client: partnerClient(partner) } : from
        caller = known
        return router.handlerOf(path)(req, known, () => goneSignal(res))
      }
      const handle = () => {
        const partner = partners?.find(from)
        return partner instanceof Promise ? partner.then(handleAs) : handleAs(partner)
      }
      const answer = traced ? traced.run(handle) : handle()
      if (answer instanceof Promise) answer.then(write).catch(fail)
      else write(answer)?.catch(fail)
    } catch (error) {
      fail(error)
    }
  }
}

function tracedRequest(
  { method = '', headers, socket }: IncomingMessage,
  requestId: string,
  isTrusted: IsTrusted,
): TracedRequest {
  const { traceparent } = headers
  return {
    method: knownMethod(method),
    traceparent: typeof traceparent === 'string' ? traceparent : '',
    trusts: isTrustedPeer(socket.remoteAddress, isTrusted),
    requestId,
  }
}

/** @param responseHeaders a flat list of names and values */
function callerOf(
  { headers, socket }: IncomingMessage,
  responseHeaders: string[],
  requestId: string,
  { isTrustedProxy, apiKeyOf }: Pick<Serving, 'isTrustedProxy' | 'apiKeyOf'>,
): Caller {
  const headerKey = headers['x-api-key']?.toString()
  return {
    requestId,
    client: clientKey(socket.remoteAddress, String(headers['x-forwarded-for'] ?? ''), isTrustedProxy),
    apiKey: apiKeyOf(headers),
    headerKey: isPartnerKey(headerKey) ? undefined : headerKey,
    origin: headers.origin,
    setHeader: (name, value) => setHeader(responseHeaders, name, value),
  }
}

/** Replaces an earlier value of the header. */
function setHeader(responseHeaders: string[], name: string, value: string): void {
  for (let index = 0; index < responseHeaders.length; index += 2) {
    if (responseHeaders[index] !== name) continue
    responseHeaders[index + 1] = value
    return
  }
  responseHeaders.push(name, value)
}

/**
 * The path without its query. A URL with a host, in the form for proxies, is first reduced to its path and
 * query.
 */
function pathOf(req: IncomingMessage): string {
  const { url = '/' } = req
  if (!url.startsWith('/')) req.url = url.replace(/^https?:\/\/[^/?]*\/?|^/i, '/')
  return (req.url ?? '/').split('?', 1)[0] ?? '/'
}

/** Reason of aborts, made once: an abort without one makes an error with a stack for each response. */
const closed = new Error('the connection is closed')

/** Aborts when the connection is closed, even after a whole response. */
function goneSignal(res: ServerResponse): AbortSignal {
  const gone = new AbortController()
  if (res.destroyed) gone.abort(closed)
  else res.once('close', () => gone.abort(closed))
  return gone.signal
}

/**
 * Runs at once, or when a pipelined response gets its turn or is closed. Data written before its turn would
 * stay in memory.
 */
function atItsTurn<Result>(res: ServerResponse, run: () => Promise<Result>): Promise<Result> {
  if (res.socket || res.destroyed) return run()
  return new Promise((resolve) => {
    res.once('socket', resolve)
    res.once('close', resolve)
  }).then(run)
}

/** The last valid host: most clients send the same one. */
let lastValidHost = 'localhost'

/**
 * Checks the Host header.
 * @throws Refusal if it is malformed, or sent more than once: a proxy may have used the other header
 */
function checkHost({ headers, rawHeaders, httpVersion }: IncomingMessage): void {
  if (hasSeveralHosts(rawHeaders))
    throw new Refusal('InvalidParameter', 'only one Host header may be sent', { field: 'Host' })
  const host = headers.host ?? (httpVersion === '1.0' ? 'localhost' : '')
  if (host === lastValidHost) return
  if (/[\s/\\?#@]/.test(host) || !URL.canParse(`http://${host}`)) {
    throw new Refusal('InvalidParameter', 'the Host header must be a host, with a port where there is one', {
      field: 'Host',
    })
  }
  lastValidHost = host
}

function hasSeveralHosts(rawHeaders: readonly string[]): boolean {
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts > 1
}
