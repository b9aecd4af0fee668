import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

interface Received {
  path: string
  headers: IncomingHttpHeaders
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies of every shape
  body: any
}

export interface Receiver extends AsyncDisposable {
  url: string
  received: Received[]
  /** Decides the next answers: a status, a body, or `hang`. It confirms channels when left out. */
  answer: (request: Received) => { status: number; body?: string; headers?: Record<string, string> } | 'hang'
}

/** A server that keeps what is posted to it. */
export async function startReceiver(): Promise<Receiver> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8')
      const entry = { path: request.url ?? '', headers: request.headers, text, body: JSON.parse(text) }
      receiver.received.push(entry)
      const answer = receiver.answer(entry)
      if (answer === 'hang') return
      response.writeHead(answer.status, answer.headers).end(answer.body ?? '')
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received: [],
    answer: ({ body }) => ({ status: 200, body: JSON.stringify({ token: body.data.token }) }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
  return receiver
}
