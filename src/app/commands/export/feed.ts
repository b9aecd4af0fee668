import { setTimeout as pause } from 'node:timers/promises'
import { OutsideFault } from '../../../outside/fault.ts'
import { exchangeText, isObject, jsonIn } from '../../../outside/http-json.ts'
import { backOffMs, CommandFault, exitCodes, type Service, shownUrl } from '../service.ts'

/** An event of the feed, as the service writes it. */
export interface ExportedEvent {
  cursor: string
  isRemoved: boolean
  eventId: string
  event: { label: string; reason: string | null; timestamp: string } | null
  order: {
    uid: string
    owner: string
    sellToken: string
    buyToken: string
    appCode: string | null
    referrer: string | null
    class: string
    kind: string
    status: string
  } | null
  trade: FeedTrade | null
}

export interface FeedTrade {
  blockNumber: number
  logIndex: number
  txHash: string | null
  sellAmount: string
  sellAmountBeforeFees: string
  buyAmount: string
  auctionId: number | null
  executedProtocolFees: readonly { amount: string; token: string }[]
}

interface ExportedPage {
  events: readonly ExportedEvent[]
  /** The place to go on from. */
  cursor: bigint
  hasMore: boolean
}

/** The answer where events behind the place are no longer kept. */
interface Gap {
  /** The place to go on from. */
  gap: bigint
}

interface FeedOptions {
  service: Service
  network: string
  /** Conditions by the name of their parameter. */
  filter: Readonly<Record<string, readonly string[]>>
  key: string | undefined
  /** Failures in a row after which it ends. */
  patience: number
  random(): number
  warn(line: string): void
}

const maxPageBytes = 64 * 2 ** 20
/** Longest pause that a service may ask for. */
const maxPauseMs = 3_600_000

/** Creates a reader of the feed's pages. It asks again while the service is away or limits requests. */
export function createExportReader({
  service,
  network,
  filter,
  key,
  patience,
  random,
  warn,
}: FeedOptions): (after: bigint, limit: number) => Promise<ExportedPage | Gap> {
  const url = new URL(service.url)
  for (const [name, values] of Object.entries(filter))
    for (const value of values) url.searchParams.append(name, value)
  const peer = {
    name: 'the service',
    url: url.href,
    now: Date.now,
    timeoutMs: service.timeoutMs,
    maxBytes: maxPageBytes,
    // Not the Authorization header, which the URL may already fill.
    ...(key !== undefined && { headers: { 'x-api-key': key } }),
  }
  const path = `/${encodeURIComponent(network)}/api/v1/feed`

  async function ask(after: bigint, limit: number): Promise<ExportedPage | Gap | Away> {
    // A folder that begins at zero begins at the first event that is kept.
    const query = { after: after === 0n ? 'earliest' : String(after), limit: String(limit) }
    try {
      const signal = AbortSignal.timeout(service.timeoutMs)
      const { status, text, retryAfterMs } = await exchangeText(peer, { path, query }, signal)
      const body = jsonIn(text)
      const { errorType, description, data } = isObject(body) ? body : {}
      if (status < 300) return pageIn(body, after) ?? { away: 'sends an answer that is no page of the feed' }
      if (errorType === 'FeedGap') {
        const place = isObject(data) ? placeIn(data.cursor) : undefined
        return place === undefined ? { away: 'reports a gap without a place' } : { gap: place }
      }
      const isAway = status === 408 || status === 429 || status >= 500
      if (isAway && errorType !== 'FeatureDisabled')
        return { away: `answers with status ${status}`, retryAfterMs }
      const reason = errorType === undefined ? `status ${status}` : `${errorType}: ${description}`
      throw new CommandFault(exitCodes.refused, `the service at ${shownUrl(service.url)} refuses: ${reason}`)
    } catch (fault) {
      if (fault instanceof OutsideFault) return { away: fault.reason }
      throw fault
    }
  }

  return async (after, limit) => {
    for (let failures = 0; ; failures++) {
      const answer = await ask(after, limit)
      if (!('away' in answer)) return answer
      const text = `the service at ${shownUrl(service.url)} ${answer.away}`
      if (failures + 1 >= patience) throw new CommandFault(exitCodes.away, text)
      const waitMs = Math.max(backOffMs(failures, random()), answer.retryAfterMs ?? 0)
      warn(`${text}; asking again`)
      await pause(Math.min(waitMs, maxPauseMs))
    }
  }
}

interface Away {
  away: string
  retryAfterMs?: number | undefined
}

/** Reads a place of at most 19 digits; undefined for another value. */
export function placeIn(text: unknown): bigint | undefined {
  return typeof text === 'string' && /^\d{1,19}$/.test(text) ? BigInt(text) : undefined
}

/** Reads a page whose events follow on `after`, each behind the one before; undefined for another answer. */
function pageIn(body: unknown, after: bigint): ExportedPage | undefined {
  const { events, cursor, hasMore } = isObject(body) ? body : {}
  if (!Array.isArray(events) || typeof hasMore !== 'boolean') return undefined
  let last = after
  for (const each of events) {
    const place = isObject(each) ? placeIn(each.cursor) : undefined
    if (place === undefined || place <= last) return undefined
    last = place
  }
  const end = placeIn(cursor)
  // A page that does not move would be asked for ever.
  if (end === undefined || end < last || (hasMore && end === after)) return undefined
  return { events, cursor: end, hasMore }
}
