import { connect, type Socket } from 'node:net'
import type { ServiceClient } from './client.ts'

/** Code of a CancelRequest, and the message SSLRequest, which a server answers before any authentication. */
const cancelCode = 80_877_102
const tlsRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])
const cancelTimeoutMs = 1_000

/** Opens another connection to the server of a client. */
function dial({ host, port }: ServiceClient): Socket {
  return host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
}

/**
 * Requests the end of the statement that runs on a connection. The server closes the request when it has
 * signalled the process of the connection, so that no later statement is ended. Never rejects: a statement
 * that goes on ends by its timeout.
 */
export function cancelStatement(client: ServiceClient): Promise<void> {
  const { key } = client
  if (!key) return Promise.resolve()
  const message = Buffer.alloc(16)
  for (const [index, word] of [16, cancelCode, key.processID, key.secretKey].entries())
    message.writeInt32BE(word, 4 * index)
  return new Promise((resolve) => {
    const socket = dial(client)
    socket.setTimeout(cancelTimeoutMs, () => socket.destroy())
    socket.on('connect', () => socket.write(message))
    // The close is seen only when all was read.
    socket.resume()
    socket.on('error', () => {})
    socket.on('close', () => resolve())
  })
}

/** Reports whether the server of a connection sends anything in time, a refusal included. */
export function answers(client: ServiceClient, waitMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = dial(client)
    const settle = (isAnswer: boolean) => {
      clearTimeout(timer)
      socket.destroy()
      resolve(isAnswer)
    }
    // If this process was busy for so long, an answer may have come that was not read yet.
    const timer = setTimeout(() => setImmediate(settle, false), waitMs)
    socket.on('connect', () => socket.write(tlsRequest))
    socket.once('data', () => settle(true))
    socket.on('error', () => settle(true))
    socket.on('close', () => settle(true))
  })
}
