import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Request {
  id: number
  method: string
  params: unknown[]
}

type Answer = { result: unknown } | { error: unknown }

/** One entry for each HTTP request; the last one repeats. */
export type Behaviour =
  | { answer: (request: Request) => Answer | Promise<Answer> }
  | { status: number; body?: string | Buffer; headers?: Record<string, string> }
  /** The whole body, which may break the rules of the protocol. */
  | { body: (asked: Request | Request[]) => unknown }
  | 'silence'
  | 'hang up'

/** Answers every call with its own error. */
export function refusing(message: string): Behaviour {
  return { answer: () => ({ error: { code: -32000, message } }) }
}

/** Answers as a real node does. */
export function forwardingTo(call: (method: string, params: unknown[]) => Promise<unknown>): Behaviour {
  return { answer: async ({ method, params }) => ({ result: await call(method, params) }) }
}

/** A node over real HTTP with scripted behaviour; a function decides anew for each request. */
export async function startScriptedNode(...behaviours: (Behaviour | (() => Behaviour))[]) {
  const requests: (Request | Request[])[] = []
  const sockets = new Set<unknown>()

  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const asked: Request | Request[] = JSON.parse(body)
    requests.push(asked)
    const behaviour = (behaviours.length > 1 ? behaviours.shift() : behaviours[0]) ?? 'hang up'
    await behave(typeof behaviour === 'function' ? behaviour() : behaviour, asked, response)
  })
  server.on('connection', (socket) => sockets.add(socket))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    connections: () => sockets.size,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function behave(behaviour: Behaviour, asked: Request | Request[], response: ServerResponse) {
  if (behaviour === 'silence') return
  if (behaviour === 'hang up') {
    response.destroy()
  } else if ('status' in behaviour) {
    response.writeHead(behaviour.status, behaviour.headers).end(behaviour.body)
  } else if ('body' in behaviour) {
    response.end(JSON.stringify(behaviour.body(asked)))
  } else {
    const answer = async (request: Request) => ({
      jsonrpc: '2.0',
      id: request.id,
      ...(await behaviour.answer(request)),
    })
    const answers = await Promise.all([asked].flat().map(answer))
    response.end(JSON.stringify(Array.isArray(asked) ? answers.reverse() : answers[0]))
  }
}
