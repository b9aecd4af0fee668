import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Door } from '../execution/execute.ts'
import { apiKeyOf } from '../graphql/context/operator.ts'
import { discardRest } from '../http/body.ts'
import type { Caller } from '../http/caller.ts'
import { clientKey, type IsTrusted } from '../http/client-address.ts'
import { commonHeaders, givenRequestId } from '../http/common-headers.ts'
import { checkHost } from '../http/host.ts'
import { writeWhole } from '../http/write-answer.ts'
import type { Metrics } from './metrics.ts'
import { type DoorAnswer, type Doors, tellFault } from './routes.ts'

export interface Serving {
  door: Pick<Door, 'mask'>
  doors: Pick<Doors, 'at'>
  metrics: Pick<Metrics, 'count'>
  newRequestId: () => string
  isTrustedProxy: IsTrusted
  /** Told when an answer has ended, however it did. */
  onEnd: () => void
}

/** One request, from its arrival to the end of its answer. */
export function createRequestHandler({ door, doors, metrics, newRequestId, isTrustedProxy, onEnd }: Serving) {
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
    const write = (answer: DoorAnswer): Promise<void> | undefined => {
      route = answer.route ?? path
      discardRest(req)
      if (!('pour' in answer)) return writeWhole(req, res, headers, answer)
      for (let index = 0; index < headers.length; index += 2)
        res.setHeader(headers[index] ?? '', headers[index + 1] ?? '')
      return answer.pour(res)
    }
    // Every door answers its own faults: what arrives here is the program's, or said before any was asked.
    const fail = (error: unknown): void => {
      const told = door.mask(error, requestId)
      if (res.headersSent) return void res.destroy()
      try {
        // Whatever could not be written is not written again.
        headers.splice(0, headers.length, ...commonHeaders(req.method, requestId))
        write({ ...tellFault(path, told), route })?.catch(() => res.destroy())
      } catch {
        res.destroy()
      }
    }
    try {
      checkHost(req)
      const caller = callerOf(req, headers, requestId, isTrustedProxy)
      const answer = doors.at(path)(req, caller, () => goneSignal(res))
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
