import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { Outage } from '../domain/errors/error.ts'
import type { Address } from '../domain/evm/address.ts'
import type { Bytes32 } from '../domain/evm/hex.ts'
import type { Clock, Log } from '../domain/log.ts'
import { type OrderUid, toOrderUid } from '../domain/order/order.ts'
import { createMask, secretsOfUrl } from '../domain/text/secrets.ts'
import { invalidResponse, OutsideFault, Throttled } from '../outside/fault.ts'
import { createHealth, type HealthState } from '../outside/health.ts'
import {
  exchangeItems,
  exchangeJson,
  exchangeText,
  isObject,
  type JsonRequest,
  type JsonResponse,
  jsonIn,
  type TextResponse,
} from '../outside/http-json.ts'
import type { Database } from '../storage/database/database.ts'
import { type CallRate, pauseCalls, takeCall } from '../storage/order/mirror.ts'

/**
 * The budget of a call by the reason for it, and the part of that budget that it may use up at once. Clients
 * that wait have two fifths of all calls, however many they are. Of the rest, `new` orders come first. Those
 * of `watched` accounts, `history`, which is imported, and `live` ones, whose ends are not on chain, take
 * turns. `live` calls also take what clients leave.
 */
const budgets = {
  client: { of: 'client', use: 1 },
  new: { of: 'own', use: 1 },
  watched: { of: 'own', use: 0.5 },
  history: { of: 'own', use: 0.5 },
  live: { of: 'own', use: 0.5, spare: { of: 'client', use: 0.3 } },
} as const satisfies Record<string, Use & { spare?: Use }>
interface Use {
  of: 'client' | 'own'
  use: number
}
/**
 * The parts of all calls, and how much of each may be made at once: the rest comes evenly. The service itself
 * calls steadily, while several clients may come together.
 */
const parts = { client: { part: 0.4, atOnce: 0.25 }, own: { part: 0.6, atOnce: 0.1 } } as const
export type Priority = keyof typeof budgets

/**
 * Kinds of requests that are passed on. Order books limit quotes and submissions apart from other calls.
 * `requote`: a later quote of a stream, which leaves half of the quotes to others.
 */
export type PassedKind = 'read' | 'document' | 'quote' | 'requote' | 'submission'

/** An answer as it came. */
export interface PassedResponse extends Pick<TextResponse, 'status' | 'text' | 'retryAfterMs'> {
  /** The parsed text; undefined if it is no JSON. */
  body: unknown
  /** True for plain text, which is passed on as well. */
  isPlain: boolean
}

/** The fault of a request that was sent, and may have had its effect: its answer did not arrive. */
export class LostAnswer extends Outage {
  constructor(name: string, fault: Outage) {
    super(name, fault)
    this.name = 'LostAnswer'
  }
}

/** UIDs in one request, and orders of an account in one. */
export const maxUids = 128
export const maxOrders = 1_000

export interface OrdersPage {
  offset?: number
  limit: number
}

/** An order book that runs elsewhere, over its REST interface. */
export interface OrderBook {
  /**
   * The orders among these that it returns, as it writes them, at most 128. Those that it leaves out may
   * exist: it drops old ones from lists.
   */
  ordersByUids(uids: readonly OrderUid[], priority: Priority): Promise<unknown[]>
  /** One order; undefined if it has none with this UID. */
  order(uid: OrderUid, priority: Priority): Promise<unknown>
  /** The orders of an account, newest first, at most `limit` after so many others. */
  ordersOf(owner: Address, page: OrdersPage, priority: Priority): Promise<unknown[]>
  /** The orders that a transaction traded. */
  ordersIn(txHash: Bytes32, priority: Priority): Promise<unknown[]>
  /** The newest trades of an order or of an account's orders, as it writes them. */
  tradesOf(of: { orderUid: OrderUid } | { owner: Address }, priority: Priority): Promise<unknown[]>
  /** The newest competition that it shows, as it writes it; undefined before the first. */
  latestCompetition(priority: Priority): Promise<unknown>
  /** The competition of this auction; undefined while it shows none. */
  competition(number: bigint, priority: Priority): Promise<unknown>
  /** Returns the answer to another GET request. A status 4xx is an answer. */
  get(path: string, priority: Priority): Promise<JsonResponse>
  /**
   * Passes a request of a client on, once, and returns its answer as it came. An answer with a status 5xx
   * counts only if it is JSON.
   * @param key the client's own key, in place of this service's: the budget does not count the call then
   * @throws LostAnswer if the request was sent and not answered; another Outage if it was not sent
   */
  pass(request: JsonRequest, kind: PassedKind, key?: string): Promise<PassedResponse>
  state(): HealthState
}

interface OrderBookOptions {
  chainId: number
  /** The name in logs and metrics. */
  name: string
  /** The name for clients. */
  title: string
  /** The base URL, without `/api/v1`. */
  url: string
  apiKey?: string | undefined
  /** The budget of all processes; Infinity takes no part in it. */
  callsPerMinute: number
  quotesPerSecond: number
  submissionsPerSecond: number
  db: Database
  now: Clock
  log: Log
}

/** The time that a client waits, also for its turn in the budget. */
export const maxWaitMs = 2_000
/** The time that calls wait for their turn. */
const waitMsOf = { client: maxWaitMs, new: 0, watched: 0, history: 600_000, live: 0 }
/** The time that an order waits: several may be placed at once. */
const maxSubmissionWaitMs = 5_000
const timeoutMs = 10_000
/** The time for a competition: it is read again soon. */
const competitionMs = 4_000
/** An order with the longest document, escaped. */
const maxItemBytes = 1_048_576
/** The part of each in a list, and the limit of a list, which ends behind what was requested. */
const usualItemBytes = 131_072
const maxListBytes = 33_554_432
/** The limit of other answers: competitions have some megabytes. */
const maxBytes = 8_388_608
const healthLimits = {
  failures: 5,
  // One that is back is used within five seconds: a call in this time is no load.
  pauseMs: { min: 1_000, max: 2_500 },
  backOffMs: { min: 1_000, max: 300_000 },
  atOnce: 16,
}
/** Quotes take seconds. */
const maxWritesAtOnce = 64

/**
 * @throws by each call: OutsideFault if the order book does not answer; Throttled if it may not be called now
 */
export function createOrderBook(options: OrderBookOptions): OrderBook {
  const { chainId, name, title, url, apiKey, callsPerMinute, quotesPerSecond, submissionsPerSecond } = options
  const { db, now, log } = options
  const headers = apiKey === undefined ? {} : { 'X-API-Key': apiKey }
  const mask = createMask([...(apiKey === undefined ? [] : [apiKey]), ...secretsOfUrl(url)])
  const peer = { name: title, url, now, headers, timeoutMs, maxBytes, mask }
  const reads = createHealth({ name, limits: healthLimits, now, log })
  const health = (suffix: string) =>
    createHealth({
      name: `${name}-${suffix}`,
      limits: { ...healthLimits, atOnce: maxWritesAtOnce },
      now,
      log,
    })
  const quotes = health('quotes')
  const healthOf = {
    read: reads,
    document: reads,
    quote: quotes,
    requote: quotes,
    submission: health('writes'),
  }
  // Calls with keys of clients neither take the places of others nor open their breakers.
  const [keyedReads, keyedQuotes] = [health('keyed-reads'), health('keyed-quotes')]
  const keyedHealthOf = {
    read: keyedReads,
    document: keyedReads,
    quote: keyedQuotes,
    requote: keyedQuotes,
    submission: health('keyed-writes'),
  }

  async function takeTurn(priority: Priority): Promise<void> {
    if (callsPerMinute === Number.POSITIVE_INFINITY) return
    const { spare, ...first }: Use & { spare?: Use } = budgets[priority]
    const take = ({ of, use }: Use, waitMs: number) => {
      const { part, atOnce } = parts[of]
      return takeOf(of, callsPerMinute * part, 60_000, { use, atOnce, waitMs })
    }
    await take(first, waitMsOf[priority]).catch((fault: unknown) => {
      if (!spare || !(fault instanceof Throttled)) throw fault
      return take(spare, 0)
    })
  }

  async function takeWrite(kind: PassedKind): Promise<void> {
    if (kind === 'quote') return takeOf('quote', quotesPerSecond, 1_000)
    if (kind === 'requote') return takeOf('quote', quotesPerSecond, 1_000, { use: 0.5 })
    if (kind === 'submission')
      return takeOf('submission', submissionsPerSecond, 1_000, { waitMs: maxSubmissionWaitMs })
    return takeTurn('client')
  }

  /**
   * Takes one of `calls` within a time. A part of them comes at once, the rest evenly: no such time has more.
   * @param limits.use of the part that comes at once, how much this call may use up
   */
  async function takeOf(
    of: CallRate['of'],
    calls: number,
    withinMs: number,
    { use = 1, waitMs: maxMs = maxWaitMs, atOnce = 0.25 } = {},
  ): Promise<void> {
    const intervalMs = withinMs / (calls * (1 - atOnce))
    const rate = { of, intervalMs, burst: Math.max(1, calls * atOnce * use) }
    const endsAt = now() + maxMs
    for (;;) {
      const waitMs = await takeCall(db, chainId, rate)
      if (waitMs === 0) return
      if (now() + waitMs > endsAt) throw new Throttled(title, 'its budget of calls is used up', waitMs)
      await pause(waitMs)
    }
  }

  async function reading<Answer>(
    priority: Priority,
    exchange: (signal: AbortSignal) => Promise<Answer>,
    withinMs = timeoutMs,
  ): Promise<Answer> {
    await takeTurn(priority)
    try {
      return await reads.ask(() => exchange(AbortSignal.timeout(withinMs)))
    } catch (fault) {
      if (fault instanceof Throttled && fault.retryAfterMs !== undefined)
        await pauseCalls(db, chainId, fault.retryAfterMs)
      throw shown(fault)
    }
  }

  /** Removes a client's key too. */
  function maskOf(key: string): (text: string) => string {
    const own = createMask([key])
    return (text) => own(mask(text))
  }

  /** A fault under the name for clients: a paused source has the other name. */
  function shown(fault: unknown): unknown {
    if (fault instanceof Throttled) return new Throttled(title, fault.reason, fault.retryAfterMs)
    return fault instanceof OutsideFault ? new OutsideFault(title, fault.reason) : fault
  }

  const read = (request: JsonRequest, priority: Priority, withinMs?: number, max = maxBytes) =>
    reading(priority, (signal) => exchangeJson({ ...peer, maxBytes: max }, request, signal), withinMs)

  /** @returns undefined for an answer without a list, with its status */
  async function list(request: JsonRequest, max: number, priority: Priority) {
    const peerOfList = { ...peer, maxBytes: Math.min(maxListBytes, maxItemBytes + max * usualItemBytes) }
    return reading(priority, (signal) => exchangeItems(peerOfList, request, max, signal))
  }

  const noList = (status: number) => invalidResponse(title, `no list, but status ${status}`)

  async function ordersByUids(uids: readonly OrderUid[], priority: Priority): Promise<unknown[]> {
    const request = { path: '/api/v1/orders/by_uids', body: uids }
    const { status, items } = await list(request, uids.length, priority)
    if (status === 413 && uids.length > 1) {
      const middle = Math.ceil(uids.length / 2)
      return [
        ...(await ordersByUids(uids.slice(0, middle), priority)),
        ...(await ordersByUids(uids.slice(middle), priority)),
      ]
    }
    if (!items) throw noList(status)
    return items.map((item) => (isObject(item) && 'order' in item ? item.order : item))
  }

  async function competition(which: string, priority: Priority): Promise<unknown> {
    const path = `/api/v2/solver_competition/${which}`
    const { status, body } = await read({ path }, priority, competitionMs)
    if (status === 404) return undefined
    if (status >= 300 || body === undefined) throw invalidResponse(title, 'no competition')
    return body
  }

  return {
    ordersByUids,
    async order(uid, priority) {
      const request = { path: `/api/v1/orders/${uid}` }
      const { status, body } = await read(request, priority, undefined, maxItemBytes)
      if (status < 300) return body
      if (status === 404) return undefined
      throw invalidResponse(title, `status ${status} for an order`)
    },
    async ordersOf(owner, { offset = 0, limit }, priority) {
      const query = { offset: String(offset), limit: String(limit) }
      const request = { path: `/api/v1/account/${owner}/orders`, query }
      const { status, items } = await list(request, limit, priority)
      if (!items) throw noList(status)
      return items
    },
    async ordersIn(txHash, priority) {
      const request = { path: `/api/v1/transactions/${txHash}/orders` }
      const { status, items } = await list(request, maxOrders, priority)
      if (!items && status !== 404) throw noList(status)
      return items ?? []
    },
    async tradesOf(of, priority) {
      const { status, items } = await list({ path: '/api/v1/trades', query: { ...of } }, maxOrders, priority)
      if (!items) throw noList(status)
      return items
    },
    latestCompetition: (priority) => competition('latest', priority),
    competition: (number, priority) => competition(String(number), priority),
    get: (path, priority) => read({ path }, priority, undefined, maxItemBytes),
    async pass(request, kind, key) {
      const source = (key === undefined ? healthOf : keyedHealthOf)[kind]
      let answer = undefined as TextResponse | undefined
      let isSent = false
      const exchange = async () => {
        isSent = true
        const headers = key === undefined ? {} : { 'X-API-Key': key }
        const signal = AbortSignal.timeout(timeoutMs)
        answer = await exchangeText(
          key === undefined ? peer : { ...peer, mask: maskOf(key) },
          { ...request, headers },
          signal,
        )
        const { status, retryAfterMs } = answer
        if (status === 429 && key === undefined) throw new Throttled(title, 'status 429', retryAfterMs)
        if (status >= 500 && jsonIn(answer.text) === undefined)
          throw new OutsideFault(title, `status ${status}`)
      }
      try {
        if (key === undefined) await takeWrite(kind)
        await source.ask(exchange)
      } catch (fault) {
        if (!isSent || !(fault instanceof Outage)) throw shown(fault)
        if (!answer || !(fault instanceof Throttled)) throw new LostAnswer(title, fault)
        if (source === reads && fault.retryAfterMs !== undefined)
          await pauseCalls(db, chainId, fault.retryAfterMs)
      }
      if (!answer) throw new TypeError('an exchange has an answer')
      const { mediaType, ...rest } = answer
      // Without a pause in the answer, the order book is not called for this long.
      const retryAfterMs = rest.retryAfterMs ?? (rest.status === 429 ? healthLimits.backOffMs.min : undefined)
      return { ...rest, retryAfterMs, body: jsonIn(answer.text), isPlain: mediaType === 'text/plain' }
    },
    state: reads.state,
  }
}

/** The orders of an auction by its competition; undefined for another body. */
export function auctionedIn(body: unknown): OrderUid[] | undefined {
  const competition = competitionShape.safeParse(body)
  return competition.data?.auction.orders.flatMap((uid) => toOrderUid(uid) ?? [])
}

const competitionShape = z.object({ auction: z.object({ orders: z.array(z.string()) }) })
