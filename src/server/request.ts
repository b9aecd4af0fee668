import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Executor } from '../execution/execute.ts'
import { apiKeyOf } from '../graphql/context/operator.ts'
import { discardRest } from '../http/body.ts'
import type { Caller } from '../http/caller.ts'
import { clientKey, type IsTrusted } from '../http/client-address.ts'
import { commonHeaders, givenRequestId } from '../http/common-headers.ts'
import { checkHost } from '../http/host.ts'
import { writeResponse } from '../http/write-response.ts'
import type { Metrics } from './metrics.ts'
import { faultResponse, type HttpRouter, type RoutedResponse } from './routes.ts'

export interface Serving {
  executor: Pick<Executor, 'mask'>
  router: Pick<HttpRouter, 'at'>
  metrics: Pick<Metrics, 'count'>
  newRequestId: () => string
  isTrustedProxy: IsTrusted
  /** Told when an answer has ended, however it did. */
  onEnd: () => void
}

/** One request, from its arrival to the end of its answer. */
export function createRequestHandler({
  executor,
  router,
  metrics,
  newRequestId,
  isTrustedProxy,
  onEnd,
}: Serving) {
  return (req: IncomingMessage, res: ServerResponse): void => {
    const started = performance.now()
    const requestId = givenRequestId(req.headers['x-request-id']) ?? newRequestId()
    const headers = commonHeaders(req.method, requestId)
    const path = pathOf(req)
    let route = 'unknown'
    res.once('close', () => {
      metrics.count(req.method ?? '', route, res.statusCode, performance.now() - started)
      onEnd()
    })
    const write = (answer: RoutedResponse): Promise<void> | undefined => {
      route = answer.route ?? path
      discardRest(req)
      if (!('stream' in answer)) return writeResponse(req, res, headers, answer)
      for (let index = 0; index < headers.length; index += 2)
        res.setHeader(headers[index] ?? '', headers[index + 1] ?? '')
      return answer.stream(res)
    }
    // Every door answers its own faults: what arrives here is the program's, or said before any was asked.
    const fail = (fault: unknown): void => {
      const error = executor.mask(fault, requestId)
      if (res.headersSent) return void res.destroy()
      try {
        // Whatever could not be written is not written again.
        headers.splice(0, headers.length, ...commonHeaders(req.method, requestId))
        write({ ...faultResponse(path, error), route })?.catch(() => res.destroy())
      } catch {
        res.destroy()
      }
    }
    try {
      checkHost(req)
      const caller = callerOf(req, headers, requestId, isTrustedProxy)
      const answer = router.at(path)(req, caller, () => goneSignal(res))
      if (answer instanceof Promise) answer.then(write).catch(fail)
      else write(answer)?.catch(fail)
    } catch (error) {
      fail(error)
    }
  }
}

/** @param answered headers of the answer: names and values in turn */
function callerOf(
  { headers, socket }: IncomingMessage,
  answered: string[],
  requestId: string,
  isTrusted: IsTrusted,
): Caller {
  return {
    requestId,
    client: clientKey(socket.remoteAddress, String(headers['x-forwarded-for'] ?? ''), isTrusted),
    apiKey: apiKeyOf(headers),
    setHeader: (name, value) => put(answered, name, value),
  }
}

/** In place of what it said before. */
function put(headers: string[], name: string, value: string): void {
  for (let index = 0; index < headers.length; index += 2) {
    if (headers[index] !== name) continue
    headers[index + 1] = value
    return
  }
  headers.push(name, value)
}

/** The path alone. What names a host, as it is sent to a proxy, is made to name its path first. */
function pathOf(req: IncomingMessage): string {
  const { url = '/' } = req
  if (!url.startsWith('/')) req.url = url.replace(/^https?:\/\/[^/?]*\/?|^/i, '/')
  return (req.url ?? '/').split('?', 1)[0] ?? '/'
}

/** Aborts when the client has left. */
function goneSignal(res: ServerResponse): AbortSignal {
  const leaving = new AbortController()
  if (res.destroyed) leaving.abort()
  else res.once('close', () => leaving.abort())
  return leaving.signal
}
