/** The client of a request, as known in every interface before the request is read. */
export interface Caller {
  requestId: string
  /** The key of rate limits: an IPv4 address, or an IPv6 network of 64 bits. */
  client: string
  /** From `Authorization: Bearer …` or `X-API-Key`. */
  apiKey: string | undefined
  /**
   * When the first attempt with the same idempotency key began, if no answer was stored for it: its changes may be
   * committed. Absent for a first attempt.
   */
  interruptedAt?: Date
  /** Cursor behind which a stream starts, in place of its argument: of the last event that a client has seen. */
  lastEventId?: string
  /** Marks that a part of the request failed for the moment: the answer must not be stored. */
  markIncomplete?(): void
  /** Sets a header of the response, and replaces an earlier value. */
  setHeader(name: string, value: string): void
}
