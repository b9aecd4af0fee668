import { setTimeout as pause } from 'node:timers/promises'
import { type Connection, openConnection } from './connection.ts'
import type { Question } from './question.ts'
import { type Hear, isRight, type Turn } from './turn.ts'

export interface PacedOptions {
  port: number
  /** The local address, if not the default. */
  from?: string
  /** Requests per second. */
  rate: number
  seconds: number
  next: () => Question
  /** Connections that are open before the first request; others are opened as they are needed. */
  connections?: number
  hear?: Hear
}

/** The limit above which a request is stuck, not slow. */
const maxConnections = 500

/**
 * Sends requests by a clock that does not wait for answers. Each is timed from when it was due, to include
 * the wait behind a slow one.
 */
export async function runPaced({
  port,
  from,
  rate,
  seconds,
  next,
  connections = 0,
  hear,
}: PacedOptions): Promise<Turn> {
  const latencies: number[] = []
  let bytes = 0
  let errors = 0
  let firstError: string | undefined
  // Connections alternate, so that none stays idle for long.
  const idle: Connection[] = []
  let open = 0

  function fail(fault: string): void {
    errors++
    firstError ??= fault
  }

  async function connect(): Promise<Connection> {
    const free = idle.shift()
    if (free) return free
    if (open >= maxConnections) throw new Error(`${open} requests are on their way`)
    open++
    return openConnection(port, from)
  }

  async function ask(due: number): Promise<void> {
    try {
      const { request, expect } = next()
      const connection = await connect()
      const sent = performance.now()
      const answer = await connection.send(request)
      const answered = performance.now()
      idle.push(connection)
      latencies.push(answered - due)
      hear?.(answer, [sent, answered])
      bytes += answer.body.length
      if (!isRight(answer, expect)) fail(`${answer.status}: ${answer.body.toString('utf8', 0, 300)}`)
    } catch (error) {
      fail(String(error))
    }
  }

  for (; open < connections; open++) idle.push(await openConnection(port, from))
  const started = performance.now()
  const asked: Promise<void>[] = []
  for (let index = 0; index < rate * seconds; index++) {
    const due = started + (index * 1000) / rate
    const early = due - performance.now()
    if (early > 0) await pause(early)
    asked.push(ask(due))
  }
  await Promise.all(asked)
  for (const connection of idle) connection.close()
  const elapsed = (performance.now() - started) / 1000
  latencies.sort((a, b) => a - b)
  return { requests: latencies.length, seconds: elapsed, latencies, bytes, errors, firstError }
}
