import { createServer, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { answerMalformed, refuseTunnel } from './malformed.ts'
import { createRequestHandler, type Serving } from './request.ts'

/** How long a request may take to arrive. */
export interface RequestTimes {
  headersMs: number
  /** All of it, however slowly its body comes. */
  requestMs: number
  /** How often it is looked for those that took longer. */
  checkMs: number
}

const defaultTimes: RequestTimes = { headersMs: 10_000, requestMs: 30_000, checkMs: 5_000 }

export interface ListenerOptions extends Omit<Serving, 'onEnd'> {
  times?: Partial<RequestTimes> | undefined
}

export interface Listener {
  /** @returns the address it listens on, such as http://127.0.0.1:4000 */
  listen(port: number, host: string): Promise<string>
  /**
   * Takes no more requests, and waits for answers that are under way.
   * @param onLate called when they take too long and are cut off
   */
  close(onLate: () => void): Promise<void>
}

const drainMs = 5_000

/** One port. */
export function createListener({ times, ...serving }: ListenerOptions): Listener {
  let closing = false
  const onEnd = () => {
    // Its connection is idle only after this.
    if (closing) setImmediate(() => server.closeIdleConnections())
  }
  const handle = createRequestHandler({ ...serving, onEnd })
  const server = openServer({ ...defaultTimes, ...times }, serving.newRequestId, handle)
  return {
    listen: (port, host) => listenAt(server, port, host),
    async close(onLate) {
      if (!server.listening) return
      closing = true
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeIdleConnections()
      const timer = setTimeout(() => {
        onLate()
        server.closeAllConnections()
      }, drainMs)
      await closed
      clearTimeout(timer)
    },
  }
}

type Handle = ReturnType<typeof createRequestHandler>

/** Node's server, with everything that may come over a connection led to who answers it. */
function openServer(times: RequestTimes, newRequestId: () => string, handle: Handle): Server {
  /** The newest on each connection. */
  const answers = new WeakMap<Duplex, ServerResponse>()
  const handleLatest: Handle = (req, res) => {
    answers.set(req.socket, res)
    handle(req, res)
  }
  const server = createServer(
    {
      headersTimeout: times.headersMs,
      requestTimeout: times.requestMs,
      connectionsCheckingInterval: times.checkMs,
      keepAliveTimeout: 65_000,
      maxHeaderSize: 16_384,
      requireHostHeader: false,
    },
    handleLatest,
  )
  server.on('checkContinue', (req, res) => {
    // Told when somebody begins to read: a body that is refused is never sent.
    req.once('resume', () => {
      if (!res.headersSent) res.writeContinue()
    })
    handleLatest(req, res)
  })
  // Other expectations are none that are known: the request is answered without.
  server.on('checkExpectation', handleLatest)
  server.on('connect', (_req, socket) => refuseTunnel(socket, newRequestId()))
  server.on('clientError', (error, socket) =>
    answerMalformed(error, socket, answers.get(socket), newRequestId()),
  )
  return server
}

/** @returns the address, such as http://127.0.0.1:4000 */
function listenAt(server: Server, port: number, host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      const address = server.address()
      const actual = typeof address === 'object' && address ? address.port : port
      resolve(`http://${host.includes(':') ? `[${host}]` : host}:${actual}`)
    })
  })
}
