import type { IncomingMessage } from 'node:http'

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
  /** Marks that the answer stands for nothing that is stored: no copy is kept for repetitions, which get one of their own. */
  markFleeting?(): void
  /** Marks that the answer is given for the credential: a repetition with a dead one must not get it. */
  markPersonal?(): void
  /** Counts cost units that the operation needs beside its answer; absent where nothing is counted. */
  addUnits?(units: number): void
  /** Counts gas before the node is asked to run so much; absent where nothing is counted. @throws Refusal RateLimited */
  takeGas?(gas: bigint): void
  /** Counts gas that the node has run; absent where nothing is counted. */
  addGas?(gas: bigint): void
  /** Cost units that the request was charged so far; absent before the first. */
  units?: number
  /** Sets a header of the response, and replaces an earlier value. */
  setHeader(name: string, value: string): void
}

/** Browsers send the id of the last event when they connect again; others may put it into the address. */
export function withLastEventId(
  caller: Caller,
  { headers }: IncomingMessage,
  query: URLSearchParams,
): Caller {
  const lastEventId = headers['last-event-id'] || query.get('lastEventId')
  return typeof lastEventId === 'string' && lastEventId !== '' ? { ...caller, lastEventId } : caller
}
