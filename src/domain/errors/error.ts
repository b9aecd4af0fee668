import type { RefusalCode } from './refusal-codes.ts'

/** The reason why the service ends a stream, and the cursor for the continuation. */
export interface Ending {
  reason: 'GAP' | 'SLOW_CONSUMER' | 'SHUTTING_DOWN'
  /** The last cursor sent; left out if none was sent. */
  cursor?: string
}

/** How an order book refused a request: its HTTP status and its own code. */
export interface OrderBookAnswer {
  status: number
  errorType: string
}

/** A refused request. The message is for the client: it names what to change, never internals. */
export class Refusal extends Error {
  readonly code: RefusalCode
  /** Path of the field at fault in the request, such as `sellAmount`. */
  readonly field: string | undefined
  readonly data: Record<string, unknown> | undefined
  /** The ending, for a refusal that ends a stream. */
  readonly ending: Ending | undefined
  /** The answer of the order book that refused the request, if this service only passed it on. */
  readonly orderBook: OrderBookAnswer | undefined

  constructor(
    code: RefusalCode,
    message: string,
    more: {
      field?: string
      data?: Record<string, unknown>
      ending?: Ending
      orderBook?: OrderBookAnswer
    } = {},
  ) {
    super(message)
    this.name = 'Refusal'
    this.code = code
    this.field = more.field
    this.data = more.data
    this.ending = more.ending
    this.orderBook = more.orderBook
  }
}

/** A failure of an outside system (node, database) to respond. It never means that data does not exist. */
export class Outage extends Error {
  /** The time after which it may respond again, if it is known. */
  readonly retryAfterMs: number | undefined

  constructor(what: string, cause?: unknown, retryAfterMs?: number) {
    super(`${what} is unavailable`, { cause })
    this.name = 'Outage'
    this.retryAfterMs = retryAfterMs
  }
}
