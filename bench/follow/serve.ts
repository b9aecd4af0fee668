import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Serves JSON texts, and prints `ready` with its address. @param answer returns undefined for status 404 */
export function serveJson(answer: (path: URL, body: string) => string | undefined): void {
  const server = createServer(async (request, response) => {
    const text = answer(new URL(request.url ?? '', 'http://127.0.0.1'), await readAll(request))
    const body = Buffer.from(text ?? '{"errorType":"NotFound","description":"not here"}')
    const headers = { 'Content-Type': 'application/json', 'Content-Length': body.length }
    response.writeHead(text === undefined ? 404 : 200, headers).end(body)
  })
  server.keepAliveTimeout = 60_000
  server.listen(0, '127.0.0.1', () => {
    process.stdout.write(`ready http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
  })
  process.once('SIGTERM', () => process.exit(0))
}

async function readAll(message: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of message) parts.push(part)
  return Buffer.concat(parts).toString()
}
