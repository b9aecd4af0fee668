import type { Socket } from 'node:net'
import type { Pool, PoolClient } from 'pg'
import { dial } from './cancel.ts'

/** Message SSLRequest of the protocol: a server answers it before any authentication. */
const tlsQuestion = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])
/** Silence of a statement after which the server is probed over another connection. */
const silentMs = 250

/** Members of node-postgres' client that its types leave out. */
type Wired = PoolClient & { readyForQuery: boolean; connection: { stream: Socket } }

/** Bytes that a connection has received, and the time since which it waits for more. */
interface Wait {
  bytes: number
  since: number
}

/**
 * Ends the statements of a pool whose server hangs. A hanging server looks like a slow statement: when a
 * statement is silent, the server is probed over another connection. If it does not answer within `waitMs`,
 * silent and idle connections are closed.
 */
export function endSilent(pool: Pool, waitMs: number): Pool {
  const used = new Map<Wired, Wait>()
  let timer: NodeJS.Timeout | undefined
  let isAsking = false

  function silent(): Wired[] {
    const now = performance.now()
    return [...used].flatMap(([client, wait]) => {
      const { bytesRead } = client.connection.stream
      if (client.readyForQuery || bytesRead !== wait.bytes) {
        used.set(client, { bytes: bytesRead, since: now })
        return []
      }
      return now - wait.since >= silentMs ? [client] : []
    })
  }

  async function check(): Promise<void> {
    if (used.size === 0) {
      clearInterval(timer)
      timer = undefined
      return
    }
    const [first] = silent()
    if (!first || isAsking) return
    isAsking = true
    const answers = await answersTo(first, waitMs)
    isAsking = false
    if (answers) return
    for (const client of silent()) client.connection.stream.destroy(new Error(silenceMessage))
    for (let idle = pool.idleCount; idle > 0; idle--) {
      pool.connect().then(
        (client) => client.release(true),
        () => {},
      )
    }
  }

  pool.on('acquire', (client) => {
    const wired = client as Wired
    used.set(wired, { bytes: wired.connection.stream.bytesRead, since: performance.now() })
    timer ??= setInterval(check, silentMs).unref()
  })
  pool.on('release', (_error, client) => used.delete(client as Wired))
  return pool
}

const silenceMessage = 'timeout exceeded: the server is silent'

/** Checks whether the server of a connection answers in time; a refusal for lack of room counts too. */
function answersTo(client: Wired, waitMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = dial(client)
    const settle = (answers: boolean) => {
      clearTimeout(timer)
      socket.destroy()
      resolve(answers)
    }
    // If this process was busy that long, the answer has arrived but was not read yet.
    const timer = setTimeout(() => setImmediate(settle, false), waitMs)
    socket.on('connect', () => socket.write(tlsQuestion))
    socket.once('data', () => settle(true))
    socket.on('error', () => settle(true))
    socket.on('close', () => settle(true))
  })
}
