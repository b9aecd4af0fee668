import type { ServerResponse } from 'node:http'
import type { ExecutionResult } from 'graphql'
import { Refusal } from '../domain/errors/error.ts'
import { refusalError } from '../graphql/errors/mask.ts'
import { type Beats, createBeats } from '../http/beats.ts'
import type { StreamWriter } from '../http/response.ts'
import { send } from '../http/send.ts'

interface EventStreamOptions {
  /** Takes a slot among the open streams. @returns a function that releases it. @throws Refusal when no slot is free */
  take(client: string): () => void
  /** The connection of a client that reads nothing for this long is closed. */
  stalledMs: number
  /** Interval of comments: proxies close a connection that stays silent. */
  keepAliveMs: number
}

type Results = AsyncGenerator<ExecutionResult, void>

/** A client that asks for a stream. */
export interface Subscriber {
  client: string
  /** Aborts when the client has left. */
  gone: AbortSignal
  /** @param signal aborts when the client has left or all streams end. @throws refusals from before the first result */
  subscribe(signal: AbortSignal): Promise<Results>
  /** @returns the complete event */
  write(result: ExecutionResult): string
}

export interface EventStreams {
  /** @throws Refusal when too many streams are open, and whatever `subscribe` throws */
  open(subscriber: Subscriber): Promise<StreamWriter>
  /** Ends every stream. */
  close(): void
}

/** REST responses that are event streams, with one GraphQL result in each event. */
export function createEventStreams(options: EventStreamOptions): EventStreams {
  const openStreams = new Set<AbortController>()
  const beats = createBeats(options.keepAliveMs)

  return {
    async open({ client, gone, subscribe, write }) {
      const release = options.take(client)
      const ending = new AbortController()
      const end = () => {
        openStreams.delete(ending)
        ending.abort()
        release()
      }
      openStreams.add(ending)
      gone.addEventListener('abort', () => ending.abort(), { once: true })
      try {
        const results = await subscribe(ending.signal)
        return (res) =>
          writeEvents(results, res, { ...options, beats, signal: ending.signal, write }).finally(end)
      } catch (error) {
        end()
        throw error
      }
    },
    close() {
      for (const ending of openStreams) ending.abort()
    },
  }
}

const headers = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-cache',
  'X-Accel-Buffering': 'no',
}

const closing = refusalError(new Refusal('Unavailable', 'the service is stopping: ask again'))

/** One `data` line is enough: JSON.stringify writes no line breaks. */
export function eventOf(data: unknown, name?: string): string {
  return `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`
}

interface SubscriptionStream extends Pick<EventStreamOptions, 'stalledMs'>, Pick<Subscriber, 'write'> {
  beats: Beats
  signal: AbortSignal
}

/** The next result is taken when the last one has left the process. An error is the last event. */
async function writeEvents(
  results: Results,
  res: ServerResponse,
  { signal, stalledMs, beats, write }: SubscriptionStream,
): Promise<void> {
  const aborted = new Promise<'aborted'>((resolve) => {
    if (signal.aborted) resolve('aborted')
    signal.addEventListener('abort', () => resolve('aborted'), { once: true })
  })
  const stopBeats = beats.add(() => {
    if (!res.destroyed && !res.writableNeedDrain) res.write(':\n\n')
  })
  res.writeHead(200, headers).flushHeaders()
  try {
    for (let hasEvent = false; ; hasEvent = true) {
      const step = await Promise.race([aborted, results.next()])
      if (step === 'aborted') {
        // A client without a single event must not take the end for an answer.
        if (!hasEvent) await send(res, write({ errors: [closing] }), stalledMs)
        break
      }
      if (step.done || !(await send(res, write(step.value), stalledMs)) || step.value.errors) break
    }
  } finally {
    stopBeats()
    // Not awaited: the signal has already woken a source that waits.
    results.return().catch(() => {})
    res.end()
  }
}
