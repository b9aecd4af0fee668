import { connect, type Socket } from 'node:net'
import type { PoolClient } from 'pg'

/** Code of a cancel request in the protocol. */
const cancelCode = 80_877_102
const timeoutMs = 1_000

/** Members of node-postgres' client that its types leave out. */
type Wired = PoolClient & { host: string; port: number; processID: number; secretKey: number }

/** Opens another connection to the server of a client. */
export function dial(client: PoolClient): Socket {
  const { host, port } = client as Wired
  return host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
}

/**
 * Asks the server to end the statement of a connection. It answers once it has signalled the process, so that
 * no later statement is affected. Never rejects: a statement that continues ends by its timeout.
 */
export function cancelStatement(client: PoolClient): Promise<void> {
  const { processID, secretKey } = client as Wired
  const message = Buffer.alloc(16)
  message.writeInt32BE(16, 0)
  message.writeInt32BE(cancelCode, 4)
  message.writeInt32BE(processID, 8)
  message.writeInt32BE(secretKey, 12)
  return new Promise((resolve) => {
    const socket = dial(client)
    socket.setTimeout(timeoutMs, () => socket.destroy())
    socket.on('connect', () => socket.write(message))
    // Read to its end, or the close is not seen.
    socket.resume()
    socket.on('error', () => {})
    socket.on('close', () => resolve())
  })
}
