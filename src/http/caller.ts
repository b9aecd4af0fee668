import type { IncomingMessage } from 'node:http'
import type { GasMeter } from '../domain/evm/gas-meter.ts'

/** Limits of a partner; null for the limit of other clients. */
export interface PartnerLimits {
  /** Cost units of reads per second. */
  costUnitsPerSecond: number | null
  /** Open streams. */
  streams: number | null
}

/** A client that a key of its own names. */
export interface Partner {
  id: string
  name: string
  limits: PartnerLimits
}

const partnerPrefix = 'partner:'

/** The key of rate limits of a partner. It has no form of an address. */
export function partnerClient({ id }: Pick<Partner, 'id'>): string {
  return `${partnerPrefix}${id}`
}

/** The id of the partner that has this key of rate limits. */
export function partnerOf(client: string): string | undefined {
  return client.startsWith(partnerPrefix) ? client.slice(partnerPrefix.length) : undefined
}

/** The client of a request, as known in every interface before the request is read. */
export interface Caller extends GasMeter {
  requestId: string
  /** The key of rate limits: an IPv4 address, an IPv6 network of 64 bits, or that of a partner. */
  client: string
  /** The partner whose key the request has. */
  partner?: Partner
  /** The key from `Authorization: Bearer …` or `X-API-Key`. */
  apiKey: string | undefined
  /** The key from `X-API-Key` alone, which may be one of the order book that a network follows. */
  headerKey?: string | undefined
  /** The origin of the page that sent the request; programs send none. */
  origin?: string | undefined
  /**
   * The time when the first attempt with the same idempotency key began, if no answer was stored for it: its
   * changes may be committed. Absent for a first attempt.
   */
  interruptedAt?: Date
  /**
   * The cursor after which a stream starts, instead of its argument: that of the last event that a client has
   * seen.
   */
  lastEventId?: string
  /** Marks that a part of the request failed temporarily, so that the answer must not be stored. */
  markIncomplete?(): void
  /**
   * Marks that the answer represents no stored data. No copy is kept for repetitions, which get an answer of
   * their own.
   */
  markFleeting?(): void
  /**
   * Marks that the answer depends on the credential, so that a repetition with an invalid one must not get
   * it.
   */
  markPersonal?(): void
  /** Counts cost units that the operation needs in addition to its answer; absent if nothing is counted. */
  addUnits?(units: number): void
  /** The cost units charged to the request so far; absent before the first. */
  units?: number
  /** Sets a header of the response, and replaces an earlier value. */
  setHeader(name: string, value: string): void
}

/**
 * Adds the id of the last event. Browsers send it when they reconnect; other clients may put it into the URL.
 */
export function withLastEventId(
  caller: Caller,
  { headers }: IncomingMessage,
  query: URLSearchParams,
): Caller {
  const lastEventId = headers['last-event-id'] || query.get('lastEventId')
  return typeof lastEventId === 'string' && lastEventId !== ''
    ? Object.assign(caller, { lastEventId })
    : caller
}
