import type { RefusalCode } from './refusal-codes.ts'

/** Why the service ends a stream, and the cursor from which another one continues. */
export interface Ending {
  reason: 'GAP' | 'SLOW_CONSUMER' | 'SHUTTING_DOWN'
  /** Left out where nothing was sent that has one. */
  cursor?: string
}

/** A refused request. The message is for the client: it names what to change, never internals. */
export class Refusal extends Error {
  readonly code: RefusalCode
  /** Path of the field at fault in the request, such as `sellAmount`. */
  readonly field: string | undefined
  readonly data: Record<string, unknown> | undefined
  /** Of a stream that it ends. */
  readonly ending: Ending | undefined

  constructor(
    code: RefusalCode,
    message: string,
    more: { field?: string; data?: Record<string, unknown>; ending?: Ending } = {},
  ) {
    super(message)
    this.name = 'Refusal'
    this.code = code
    this.field = more.field
    this.data = more.data
    this.ending = more.ending
  }
}

/** An outside system (node, database) did not respond. Never means that data does not exist. */
export class Outage extends Error {
  constructor(what: string, cause?: unknown) {
    super(`${what} is unavailable`, { cause })
    this.name = 'Outage'
  }
}
