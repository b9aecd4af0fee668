import { setTimeout as pause } from 'node:timers/promises'
import { type Connection, openConnection } from '../load/connection.ts'

interface GreedyClientOptions {
  port: number
  /** The source address. */
  from: string
  connections: number
  next(): string
  /** The status of answers; 200 if left out. */
  status?: number | undefined
}

export interface Greed {
  answered: number
  refused: number
  /** Bytes of all answers. */
  bytes: number
  /** Requests neither answered nor rate-limited, and the first one's reason. */
  failed: number
  firstFault: string | undefined
}

/** The minimum wait after a refusal without a time. */
const leastWaitMs = 20

/** Starts a client that uses all it can get: after a refusal it sends again as soon as allowed. */
export function startGreedy({ port, from, connections, next, status: expected = 200 }: GreedyClientOptions) {
  let greed = none()
  let stopped = false

  async function ask(connection: Connection): Promise<void> {
    const { status, body } = await connection.send(next())
    if (status === 429) {
      greed.refused++
      const wait = /"retryAfterMs":(\d+)/.exec(body.toString())?.[1]
      await pause(Math.max(leastWaitMs, Math.min(1_000, Number(wait ?? 0))))
    } else if (status === expected && !body.subarray(0, 10).includes('"errors"')) {
      greed.answered++
      greed.bytes += body.length
    } else fail(`${status}: ${body.toString('utf8', 0, 300)}`)
  }

  function fail(fault: string): void {
    greed.failed++
    greed.firstFault ??= fault
  }

  async function run(): Promise<void> {
    while (!stopped) {
      const connection = await openConnection(port, from)
      try {
        while (!stopped) await ask(connection)
      } catch (error) {
        if (!stopped) fail(String(error))
        await pause(100)
      } finally {
        connection.close()
      }
    }
  }

  const running = Array.from({ length: connections }, run)
  return {
    /** Takes the results since the last call. */
    take(): Greed {
      const since = greed
      greed = none()
      return since
    },
    async stop(): Promise<void> {
      stopped = true
      await Promise.all(running)
    },
  }
}

function none(): Greed {
  return { answered: 0, refused: 0, bytes: 0, failed: 0, firstFault: undefined }
}
