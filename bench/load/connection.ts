import { createConnection } from 'node:net'

export interface Answer {
  status: number
  body: Buffer
}

/** One keep-alive HTTP/1.1 connection, with one request on its way at a time. */
export interface Connection {
  /** Sends `request`, the whole text in ASCII. @throws when the connection ends or stays silent */
  send(request: string): Promise<Answer>
  close(): void
}

const silenceMs = 15_000
const headEnd = '\r\n\r\n'
const lastChunk = '0\r\n\r\n'

/**
 * Opens bare sockets: the load generator shares two cores with the system under test, and a client library
 * takes more CPU.
 * @param from the local address, if not the default
 */
export async function openConnection(port: number, from?: string): Promise<Connection> {
  const local = from === undefined ? {} : { localAddress: from }
  const socket = createConnection({ port, host: '127.0.0.1', noDelay: true, ...local })
  socket.setTimeout(silenceMs, () => socket.destroy(new Error(`no answer in ${silenceMs} ms`)))
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject))

  let waiting: { resolve(answer: Answer): void; reject(error: Error): void } | undefined
  let parts: Buffer[] = []
  let size = 0
  let head: Head | undefined

  function receive(data: Buffer): void {
    parts.push(data)
    size += data.length
    if (!head) {
      parts = [Buffer.concat(parts)]
      head = readHead(parts[0] ?? data)
    }
    if (!head || !isWhole(head, size, data)) return
    const body = Buffer.concat(parts).subarray(head.end)
    const answer = { status: head.status, body: head.length === undefined ? joinChunks(body) : body }
    const { resolve } = waiting ?? {}
    waiting = undefined
    head = undefined
    parts = []
    size = 0
    resolve?.(answer)
  }

  socket.on('data', receive)
  socket.on('error', (error) => waiting?.reject(error))
  socket.on('close', () => waiting?.reject(new Error('the server closed the connection')))
  return {
    send: (request) =>
      new Promise((resolve, reject) => {
        if (socket.destroyed) return reject(new Error('the connection is closed'))
        waiting = { resolve, reject }
        socket.write(request, 'latin1')
      }),
    close: () => socket.destroy(),
  }
}

interface Head {
  status: number
  end: number
  /** The body's length; undefined when it is chunked. */
  length: number | undefined
}

function readHead(received: Buffer): Head | undefined {
  const at = received.indexOf(headEnd)
  if (at < 0) return undefined
  const text = received.toString('latin1', 0, at)
  const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1]
  return {
    status: Number(text.slice(9, 12)),
    end: at + headEnd.length,
    length: length === undefined ? undefined : Number(length),
  }
}

/** Reports whether a body is complete. JSON has no line ends, so the last chunk's mark is only at the end. */
function isWhole({ end, length }: Head, size: number, latest: Buffer): boolean {
  if (length !== undefined) return size >= end + length
  return latest.toString('latin1', Math.max(0, latest.length - lastChunk.length)) === lastChunk
}

function joinChunks(body: Buffer): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; ; ) {
    const lineEnd = body.indexOf('\r\n', at)
    const size = Number.parseInt(body.toString('latin1', at, lineEnd), 16)
    if (!size) return Buffer.concat(parts)
    parts.push(body.subarray(lineEnd + 2, lineEnd + 2 + size))
    at = lineEnd + 2 + size + 2
  }
}
