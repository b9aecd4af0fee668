import { type IncomingHttpHeaders, request } from 'node:http'
import { connect, type Socket } from 'node:net'

export interface Exchange {
  status: number
  headers: IncomingHttpHeaders
  /** The raw bytes: nothing is decompressed. */
  bytes: Buffer
}

interface Ask {
  method?: string
  headers?: Record<string, string>
  body?: string | Buffer
}

/** A client that sends exactly what it is given, and adds only Host and lengths. */
export function ask(url: string, { method = 'GET', headers = {}, body }: Ask = {}): Promise<Exchange> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
    const req = request(url, { method, headers: { ...length, ...headers } }, (res) => {
      const chunks: Buffer[] = []
      res.on('data', (chunk: Buffer) => chunks.push(chunk))
      res.on('error', reject)
      res.on('end', () =>
        resolve({ status: res.statusCode ?? 0, headers: res.headers, bytes: Buffer.concat(chunks) }),
      )
    })
    req.on('error', reject)
    req.end(body)
  })
}

export interface Line extends AsyncDisposable {
  write(bytes: string): void
  /** All bytes received so far. */
  readonly text: string
  /** Whether the server has closed the connection. */
  readonly isClosed: boolean
}

/** A raw connection, for bytes that no client library would send. */
export function openLine(url: string): Line {
  const { hostname, port } = new URL(url)
  const socket: Socket = connect(Number(port), hostname)
  let text = ''
  let isClosed = false
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1')
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    isClosed = true
  })
  return {
    write: (bytes) => void socket.write(bytes, 'latin1'),
    get text() {
      return text
    },
    get isClosed() {
      return isClosed
    },
    async [Symbol.asyncDispose]() {
      socket.destroy()
    },
  }
}
