import { setTimeout as pause } from 'node:timers/promises'
import { type Answer, type Connection, openConnection } from './connection.ts'
import type { Question } from './question.ts'

export interface Turn {
  requests: number
  seconds: number
  /** Milliseconds, ascending. */
  latencies: number[]
  /** Bytes of all bodies. */
  bytes: number
  errors: number
  firstError: string | undefined
}

/** Called for every answer, with the times of its request and its arrival. */
export type Hear = (answer: Answer, span: readonly [number, number]) => void

export interface TurnOptions {
  port: number
  connections: number
  /** Returns the local address of each connection, if they differ. */
  from?: (connection: number) => string
  next: () => Question
  hear?: Hear
  /** The end by time or by number, whichever is set. */
  seconds?: number
  requests?: number
  /** The pause of a connection after each answer. */
  restMs?: number
}

/** The maximum of errors, above which the turn is aborted: the system is broken, not slow. */
const maxErrors = 100

/** Measures throughput when each connection sends its next request as soon as it has an answer. */
export async function runTurn(options: TurnOptions): Promise<Turn> {
  const { port, connections, from, next, hear, seconds = Infinity, requests = Infinity, restMs } = options
  const latencies: number[] = []
  let sent = 0
  let bytes = 0
  let errors = 0
  let firstError: string | undefined
  const started = performance.now()
  const deadline = started + seconds * 1000
  const goesOn = () => sent < requests && errors < maxErrors && performance.now() < deadline

  async function ask(connection: Connection): Promise<void> {
    while (goesOn()) {
      sent++
      const { request, expect } = next()
      const asked = performance.now()
      const answer = await connection.send(request)
      const answered = performance.now()
      latencies.push(answered - asked)
      hear?.(answer, [asked, answered])
      bytes += answer.body.length
      if (!isRight(answer, expect)) {
        errors++
        firstError ??= excerptOf(answer)
      }
      if (restMs !== undefined) await pause(restMs)
    }
  }

  async function connect(index: number): Promise<void> {
    while (goesOn()) {
      const connection = await openConnection(port, from?.(index))
      try {
        await ask(connection)
      } catch (error) {
        errors++
        firstError ??= String(error)
      } finally {
        connection.close()
      }
    }
  }

  await Promise.all(Array.from({ length: connections }, (_, index) => connect(index)))
  const elapsed = (performance.now() - started) / 1000
  latencies.sort((a, b) => a - b)
  return { requests: latencies.length, seconds: elapsed, latencies, bytes, errors, firstError }
}

/** Checks every answer, not only its status. */
export function isRight({ status, body }: Answer, expect: string): boolean {
  return (status === 200 || status === 201) && body.includes(expect) && !body.includes('"errors"')
}

export function excerptOf({ status, body }: Answer): string {
  return `${status}: ${body.toString('utf8', 0, 300)}`
}

export async function askOnce(port: number, request: string): Promise<Answer> {
  const connection = await openConnection(port)
  try {
    return await connection.send(request)
  } finally {
    connection.close()
  }
}

export function quantile(ascending: readonly number[], share: number): number {
  return ascending[Math.min(ascending.length - 1, Math.floor(ascending.length * share))] ?? Number.NaN
}

export function median(values: readonly number[]): number {
  return quantile(
    values.toSorted((a, b) => a - b),
    0.5,
  )
}
