import type { ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { GraphQLError } from 'graphql'
import { Refusal } from '../domain/errors/error.ts'
import { type CountDelivery, executedEventUnits, type Gate } from '../execution/admission/admission.ts'
import { refusalError } from '../graphql/errors.ts'
import { type Beats, createBeats, type StreamMeter, send } from '../http/event-stream.ts'
import type { StreamWriter } from '../http/response.ts'

interface EventStreamOptions {
  /** Takes a slot. @returns a function that releases it. @throws Refusal when no stream slot is free */
  take(client: string): Promise<() => void>
  deliveries: Gate['deliveries']
  watch: Gate['watch']
  meter: StreamMeter
  /** The time after which the connection of a client that reads nothing is closed. */
  stalledMs: number
  /** The interval of comments: proxies close silent connections. */
  keepAliveMs: number
}

/** The texts that a stream sends apart from its events. */
export interface EventForm {
  /** Returns the only event of a stream that ends before its first one: the service stops. */
  closing(fault: GraphQLError): string
  /** Returns the text before the first event. */
  opening?(): string
  /** The text that is sent at intervals, so that proxies keep the connection; a comment if left out. */
  beat?: string
}

/** A client that requests a stream. */
export interface StreamSubscriber {
  client: string
  /** Aborts when the client has left. */
  gone: AbortSignal
  /**
   * Yields complete events. They end when `signal` aborts: the client has left, or all streams end.
   * @throws refusals before the first event
   */
  subscribe(signal: AbortSignal): Promise<AsyncGenerator<string, void>>
  form: EventForm
}

export interface EventStreams {
  /** @throws Refusal when too many streams are open, and any error of `subscribe` */
  open(subscriber: StreamSubscriber): Promise<StreamWriter>
  /** Ends every stream. */
  close(): void
}

/** Creates REST responses that are event streams. */
export function createEventStreams(options: EventStreamOptions): EventStreams {
  const openStreams = new Set<AbortController>()
  const beats = createBeats(options.keepAliveMs)

  return {
    async open({ client, gone, subscribe, form }) {
      const release = await options.take(client)
      const ending = new AbortController()
      const stopWatch = options.watch(client, () => ending.abort())
      const end = () => {
        stopWatch()
        openStreams.delete(ending)
        ending.abort()
        release()
      }
      openStreams.add(ending)
      gone.addEventListener('abort', () => ending.abort(), { once: true })
      if (gone.aborted) ending.abort()
      try {
        const events = await subscribe(ending.signal)
        const count = options.deliveries(client)
        return (res) =>
          writeEvents(events, res, { ...options, beats, signal: ending.signal, form, count }).finally(end)
      } catch (error) {
        end()
        throw error
      }
    },
    close() {
      for (const ending of openStreams) {
        options.meter.ended('SHUTTING_DOWN')
        ending.abort()
      }
    },
  }
}

const headers = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-cache',
  'X-Accel-Buffering': 'no',
}

const closing = refusalError(new Refusal('Unavailable', 'the service is stopping: ask again'))

/** Writes an event. One `data` line is enough: JSON.stringify writes no line breaks. */
export function eventOf(data: unknown, name?: string): string {
  return `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`
}

interface OpenStream extends Pick<EventStreamOptions, 'stalledMs' | 'meter'>, Pick<StreamSubscriber, 'form'> {
  beats: Beats
  signal: AbortSignal
  count: CountDelivery
}

/** Writes events, each after the previous one has left the process. */
async function writeEvents(
  events: AsyncGenerator<string, void>,
  res: ServerResponse,
  { signal, stalledMs, beats, form, count, meter }: OpenStream,
): Promise<void> {
  const { beat = ':\n\n' } = form
  const onStalled = () => {
    meter.ended('SLOW_CONSUMER')
    res.destroy()
  }
  const stopBeats = beats.add(() => {
    if (!res.destroyed && !res.writableNeedDrain) res.write(beat)
  })
  const next = orAborted(events, signal)
  meter.open++
  res.writeHead(200, headers).flushHeaders()
  if (form.opening) res.write(form.opening())
  try {
    for (let hasEvent = false; ; hasEvent = true) {
      const step = await next()
      if (step === 'aborted') {
        // A client without a single event must not mistake the end for an answer.
        if (!hasEvent) await send(res, form.closing(closing), stalledMs)
        break
      }
      if (step.done || !(await send(res, step.value, stalledMs, onStalled))) break
      meter.delivered++
      const restMs = count(executedEventUnits(step.value.length))
      if (restMs <= 0) continue
      meter.rests++
      await pause(restMs, undefined, { signal }).catch(() => {})
    }
  } finally {
    stopBeats()
    meter.open--
    // Not awaited: the signal has already woken a waiting source.
    events.return().catch(() => {})
    res.end()
  }
}

/** Ends on abort. A race with one promise would retain part of each event for the life of the stream. */
function orAborted(events: AsyncGenerator<string, void>, signal: AbortSignal) {
  let onAbort = () => {}
  signal.addEventListener('abort', () => onAbort(), { once: true })
  return () =>
    new Promise<IteratorResult<string, void> | 'aborted'>((resolve, reject) => {
      onAbort = () => resolve('aborted')
      if (signal.aborted) onAbort()
      else events.next().then(resolve, reject)
    })
}
