import type { ServerResponse } from 'node:http'
import type { ExecutionResult } from 'graphql'
import { Refusal } from '../domain/errors/error.ts'
import { refusalError } from '../graphql/errors/mask.ts'
import type { StreamWriter } from '../http/response.ts'
import { send } from '../http/send.ts'

interface EventStreamOptions {
  /** A place among all open streams of a client: how to give it back, or undefined when there is none. */
  take(client: string): (() => void) | undefined
  /** A reader that takes nothing for this long is cut off. */
  stalledMs: number
  /** A comment is sent this often, so that nobody between takes the connection for dead. */
  keepAliveMs: number
}

type Results = AsyncGenerator<ExecutionResult, void>

/** Somebody's stream, before there is anything in it. */
export interface Subscriber {
  client: string
  /** Aborts when the client has left. */
  gone: AbortSignal
  /** @param signal wakes the source: its reader has left, or all streams end. @throws what is refused before the first result */
  subscribe(signal: AbortSignal): Promise<Results>
  /** A result as an event, whole. */
  write(result: ExecutionResult): string
}

export interface EventStreams {
  /** @throws Refusal RateLimited when too many streams are open, and whatever `subscribe` throws */
  open(subscriber: Subscriber): Promise<StreamWriter>
  /** Ends every stream. */
  close(): void
}

/** The answers that come in events, one GraphQL result each. */
export function createEventStreams(options: EventStreamOptions): EventStreams {
  const open = new Set<AbortController>()

  return {
    async open({ client, gone, subscribe, write }) {
      const release = options.take(client)
      if (!release) throw new Refusal('RateLimited', 'too many streams are open')
      const ending = new AbortController()
      const end = () => {
        open.delete(ending)
        ending.abort()
        release()
      }
      open.add(ending)
      gone.addEventListener('abort', () => ending.abort(), { once: true })
      try {
        const results = await subscribe(ending.signal)
        return (res) => stream(results, res, { ...options, signal: ending.signal, write }).finally(end)
      } catch (error) {
        end()
        throw error
      }
    },
    close() {
      for (const ending of open) ending.abort()
    },
  }
}

const headers = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-cache',
  'X-Accel-Buffering': 'no',
}

const closing = refusalError(new Refusal('Unavailable', 'the service is stopping: ask again'))

/** JSON is one line. */
export function eventOf(data: unknown, name?: string): string {
  return `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`
}

interface SubscriptionStream
  extends Pick<EventStreamOptions, 'stalledMs' | 'keepAliveMs'>,
    Pick<Subscriber, 'write'> {
  signal: AbortSignal
}

/** The next result is taken when the last one has left the process. An error is the last event. */
async function stream(
  results: Results,
  res: ServerResponse,
  { signal, stalledMs, keepAliveMs, write }: SubscriptionStream,
): Promise<void> {
  const aborted = new Promise<'aborted'>((resolve) => {
    if (signal.aborted) resolve('aborted')
    signal.addEventListener('abort', () => resolve('aborted'), { once: true })
  })
  const keepAlive = setInterval(() => {
    if (!res.destroyed && !res.writableNeedDrain) res.write(':\n\n')
  }, keepAliveMs)
  res.writeHead(200, headers).flushHeaders()
  try {
    for (let refusal = false; ; refusal = true) {
      const step = await Promise.race([aborted, results.next()])
      if (step === 'aborted') {
        // Who was told nothing must not take the end for an answer.
        if (!refusal) await send(res, write({ errors: [closing] }), stalledMs)
        break
      }
      if (step.done || !(await send(res, write(step.value), stalledMs)) || step.value.errors) break
    }
  } finally {
    clearInterval(keepAlive)
    // The signal wakes a source that waits; nobody waits for it.
    results.return().catch(() => {})
    res.end()
  }
}
