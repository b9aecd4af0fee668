import { setTimeout as pause } from 'node:timers/promises'
import type { Ending } from '../domain/errors/error.ts'
import { type CountDelivery, executedEventUnits, sharedEventUnits } from '../execution/admission/admission.ts'
import { type EventResult, eventId } from '../execution/execute.ts'
import { completed, endingJson, eventOf, type Frame, jsonIn } from './frames.ts'

/**
 * Slows the sources of an event stream down to the speed of its client. A source waits for `ready` before it
 * produces a message, so that messages do not pile up while the client does not read.
 */
interface Backpressure {
  /** Resolves when the stream can take a message, or is closed. Counts the message that follows. */
  ready(): Promise<void>
  /** A message has left the process. */
  sent(): void
  /**
   * Adds a subscription to this stream.
   * @returns a function that removes it, or undefined when there are too many
   */
  begin(): (() => void) | undefined
  close(): void
}

/** Messages that keep the connection busy and fit in memory. */
const maxPendingMessages = 16

function createBackpressure(maxSubscriptions: number): Backpressure {
  const waiting: (() => void)[] = []
  let pendingMessages = 0
  let subscriptions = 0
  let closed = false

  return {
    async ready() {
      while (!closed && pendingMessages >= maxPendingMessages) {
        await new Promise<void>((resolve) => waiting.push(resolve))
      }
      pendingMessages++
    },
    sent() {
      pendingMessages--
      waiting.shift()?.()
    },
    begin() {
      if (subscriptions >= maxSubscriptions) return undefined
      subscriptions++
      return () => {
        subscriptions--
      }
    },
    close() {
      closed = true
      for (const resume of waiting.splice(0)) resume()
    },
  }
}

/** An event that all streams share, as a result of an operation. */
export interface SharedResult {
  frame: Frame
  cursor: string
  /** JSON of its extensions, where it has any. */
  extensions?: string
}

/** The pace and the texts that the results of a graphql-sse stream share. */
export interface StreamChannel extends Backpressure {
  /**
   * Queues a result as an event, as soon as the client may get it. graphql-sse queues its message when the
   * promise resolves, so that both queues have the same order.
   */
  queue(result: EventResult | SharedResult, operationId: string, isCharged: boolean): Promise<void>
  /** Returns the next event of the queue, which is written now. */
  next(): string
  /** An operation runs: it gets a reason when its stream is ended. */
  start(operationId: string): void
  complete(operationId: string): void
  /** The last events of the running operations. */
  endings(reason: Exclude<Ending['reason'], 'GAP'>): string
}

export function createChannel(maxSubscriptions: number, count: CountDelivery): StreamChannel {
  const events: { json: string; cursor: string | undefined; operationId: string }[] = []
  /** The cursor of the last written event, by running operation. */
  const cursors = new Map<string, string | undefined>()

  return {
    ...createBackpressure(maxSubscriptions),
    async queue(result, operationId, isCharged) {
      const isShared = 'frame' in result
      const cursor = isShared ? result.cursor : result[eventId]
      const json = isShared ? textOf(result) : JSON.stringify(result)
      const units = isShared ? sharedEventUnits(json.length) : executedEventUnits(json.length)
      const restMs = isCharged ? 0 : count(units)
      if (restMs > 0) await pause(restMs)
      events.push({ json, cursor, operationId })
    },
    next() {
      const { json = '', cursor, operationId = '' } = events.shift() ?? {}
      // Not earlier: waiting events are lost with the stream, and the client resumes after the last received.
      if (cursor !== undefined && cursors.has(operationId)) cursors.set(operationId, cursor)
      return eventOf(named(json, operationId), cursor)
    },
    start: (operationId) => void cursors.set(operationId, undefined),
    complete: (operationId) => void cursors.delete(operationId),
    endings: (reason) =>
      [...cursors]
        .map(([id, cursor]) => {
          const json = endingJson(reason, cursor)
          const last = eventOf(named(json, id), cursor)
          return reason === 'SHUTTING_DOWN' ? last : `${last}${completed(id || undefined)}`
        })
        .join(''),
  }
}

/** Adds the operation's id, on a stream of several. */
function named(json: string, operationId: string): string {
  return operationId === '' ? json : `{"id":${JSON.stringify(operationId)},"payload":${json}}`
}

function textOf({ frame, extensions }: SharedResult): string {
  const json = jsonIn(frame)
  return extensions === undefined ? json : `${json.slice(0, -1)},"extensions":${extensions}}`
}
