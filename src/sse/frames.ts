import { type Ending, Refusal } from '../domain/errors/error.ts'
import type { CompiledEventForm } from '../execution/compiled/subscription.ts'
import { refusalError } from '../graphql/errors.ts'

/** An event as bytes that all streams share: an HTTP/1.1 chunk with the event and its JSON. */
export interface Frame {
  chunk: Buffer
  /** The offset of the JSON in the chunk. */
  jsonAt: number
  bytes: number
}

const lineEnd = '\r\n'
const eventEnd = '\n\n'

export function eventOf(json: string, cursor?: string): string {
  return `event: next\n${cursor === undefined ? '' : `id: ${cursor}\n`}data: ${json}${eventEnd}`
}

export function frameOf(json: string, cursor?: string): Frame {
  const event = eventOf(json, cursor)
  const chunk = chunkOf(event)
  const jsonAt = chunk.indexOf(lineEnd) + lineEnd.length + event.length - json.length - eventEnd.length
  return { chunk, jsonAt, bytes: chunk.length }
}

export function chunkOf(text: string): Buffer {
  return Buffer.from(`${Buffer.byteLength(text).toString(16)}${lineEnd}${text}${lineEnd}`)
}

/** Returns the content of a chunk, for a connection without chunks. */
export const contentOf = (chunk: Buffer): Buffer =>
  chunk.subarray(chunk.indexOf(lineEnd) + lineEnd.length, chunk.length - lineEnd.length)

export const jsonIn = ({ chunk, jsonAt }: Frame): string =>
  chunk.toString('utf8', jsonAt, chunk.length - lineEnd.length - eventEnd.length)

export const frameForm: CompiledEventForm<Frame> = { name: 'sse', eventOf: frameOf }

/** The comment that keeps an idle connection open. */
export const comment = ':\n\n'

/** The delay of reconnection. Clients that lost a stream together reconnect at different times. */
const comeBack = (spreadMs: number) => `retry: ${1_000 + Math.floor(Math.random() * spreadMs)}\n`

/**
 * The first lines of a stream.
 * @param cursor the place where it starts, for a client that loses it before the first event
 */
export const greeting = (cursor?: string) =>
  `${comeBack(2_000)}${cursor === undefined ? '' : `id: ${cursor}\n`}${comment}`

/** Precedes the last event of a stopping process: its clients all move to the fewer remaining ones. */
export const farewell = () => `${comeBack(5_000)}${comment}`

/** @param operationId on a stream of several operations */
export const completed = (operationId?: string) =>
  `event: complete\ndata:${operationId === undefined ? '' : ` {"id":${JSON.stringify(operationId)}}`}\n\n`

/** The reason for which the service ends a stream. */
export function endingRefusal(reason: Exclude<Ending['reason'], 'GAP'>, cursor: string | undefined): Refusal {
  const ending = { reason, ...(cursor !== undefined && { cursor }) }
  return reason === 'SLOW_CONSUMER'
    ? new Refusal('SlowConsumer', 'this client read nothing for too long: continue at the cursor', { ending })
    : new Refusal('Unavailable', 'the service is stopping: continue at the cursor', { ending })
}

export const endingJson = (...ending: Parameters<typeof endingRefusal>): string =>
  JSON.stringify({ errors: [refusalError(endingRefusal(...ending))] })
