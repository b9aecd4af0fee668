import type { RefusalCode } from './refusal-codes.ts'

/** A refused request. The message is for the client: it names what to change, never internals. */
export class Refusal extends Error {
  readonly code: RefusalCode
  /** Path of the field at fault in the request, such as `sellAmount`. */
  readonly field: string | undefined
  readonly data: Record<string, unknown> | undefined

  constructor(
    code: RefusalCode,
    message: string,
    more: { field?: string; data?: Record<string, unknown> } = {},
  ) {
    super(message)
    this.name = 'Refusal'
    this.code = code
    this.field = more.field
    this.data = more.data
  }
}

/** An outside system (node, database) did not respond. Never means that data does not exist. */
export class Outage extends Error {
  constructor(what: string, cause?: unknown) {
    super(`${what} is unavailable`, { cause })
    this.name = 'Outage'
  }
}
