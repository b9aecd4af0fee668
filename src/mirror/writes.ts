import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { createFairQueue } from '../concurrency/fair-queue.ts'
import { parseUnits } from '../domain/amount.ts'
import { readAppDataDocument } from '../domain/app-data/document.ts'
import { createLruCache } from '../domain/derived.ts'
import { Outage, Refusal } from '../domain/errors/error.ts'
import { refusalCodes } from '../domain/errors/refusal-codes.ts'
import { type Address, zeroAddress } from '../domain/evm/address.ts'
import { keccakText } from '../domain/evm/keccak.ts'
import { factorScale, partnerVolumeFees } from '../domain/fee/policy.ts'
import type { Cancellation, OrderCreation } from '../domain/order/creation.ts'
import { type OrderKind, type OrderUid, toOrderUid, unpackOrderUid } from '../domain/order/order.ts'
import { beforeVolumeFee, withVolumeFees } from '../domain/quote/amounts.ts'
import type { QuoteReply, QuoteRequest } from '../domain/quote/quote.ts'
import { type NativeRate, ratioOfDouble } from '../domain/token/prices.ts'
import { invalidResponse, OutsideFault, printable } from '../outside/fault.ts'
import { JsonText, jsonIn } from '../outside/http-json.ts'
import { findAppData } from '../storage/app-data.ts'
import { watchAccounts } from '../storage/order/mirror.ts'
import type { Asker, ClientLimits } from './client-limits.ts'
import { mirrorOrders, titleOf } from './mirror.ts'
import { LostAnswer, type PassedKind, type PassedResponse } from './order-book.ts'
import { amount, decimal, wholeDown } from './read-order.ts'
import { readPlaced, type ShownPlacement } from './read-placed.ts'
import { type ClientServices, chargedTo, inTime } from './read-through.ts'

export interface WriteServices extends ClientServices {
  limits: ClientLimits
  /** Stores a document under its hash. @throws Refusal, Outage */
  storeDocument(document: string, client: string): Promise<unknown>
}

/** A request of a client that the order book answers. */
export interface PassedRequest {
  as: 'read' | 'quote' | 'order' | 'cancellation' | 'document'
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  path: string
  /** The body as it came. */
  body?: Uint8Array<ArrayBuffer>
}

/** The answer to it, as it came. */
export interface PassedAnswer {
  status: number
  headers: Record<string, string>
  body: string
}

/** Writes of clients, which the order book decides about. */
export interface OrderBookWrites {
  /**
   * Passes a request on as it is, and mirrors what it changed.
   * @throws Refusal RateLimited, UpstreamRefused; Outage
   */
  pass(request: PassedRequest, asker: Asker): Promise<PassedAnswer>
  /** @throws Refusal with the order book's own code and text; Outage */
  placeOrder(creation: OrderCreation, asker?: Asker): Promise<OrderUid>
  cancelOrders(cancellation: Cancellation, asker?: Asker): Promise<OrderUid[]>
  cancelOrder(
    cancellation: Omit<Cancellation, 'orderUids'> & { orderUid: OrderUid },
    asker?: Asker,
  ): Promise<OrderUid>
  uploadDocument(document: string, asker?: Asker): Promise<void>
  quote(request: QuoteRequest, asker?: Asker): Promise<QuoteReply>
  /** The native price of a token; undefined if it has none. @throws Refusal, Outage */
  nativeRate(token: Address, asker: Asker): Promise<NativeRate | undefined>
  /** The surplus of all trades of an account, in native atoms. @throws Refusal, Outage */
  totalSurplus(owner: Address, asker: Asker): Promise<bigint>
  /** Yields a quote, and each later one that differs, until `signal` aborts. */
  quotes(request: QuoteRequest, signal: AbortSignal, asker?: Asker): Promise<AsyncGenerator<QuoteReply, void>>
}

const kindOf = {
  read: 'read',
  quote: 'quote',
  document: 'document',
  order: 'submission',
  cancellation: 'submission',
} as const satisfies Record<PassedRequest['as'], PassedKind>

/** The wait of a client for the mirror of what it wrote: the write stands without it. */
const maxReadBackMs = 3_000
/** The time for which the accounts of orders are watched that could not be read. */
const watchedMs = 600_000
/** The difference to the clock of the order book. */
const maxSkewMs = 60_000
/** The time for one look at an order whose answer was lost. */
const maxLookMs = 4_000
/** The pause before it is looked up once more. */
const secondLookMs = 1_000

export function createWrites(services: WriteServices): OrderBookWrites {
  const { orderBook, network, log, limits } = services
  const name = titleOf(network)
  const waitForTurn = createTurns()

  async function send(
    { as, method, path, body }: PassedRequest,
    asker: Asker,
    kind: PassedKind = kindOf[as],
  ): Promise<PassedResponse> {
    const key = limits.charge(kind, asker)
    const request = { path, ...(method !== 'GET' && { method }), ...(body && { body: new JsonText(body) }) }
    // A short time of one client is no fault of the order book: the call goes on.
    const passing = orderBook.pass(request, kind, key)
    const answer = await (as === 'quote' ? inTime(passing, services, quoteMs(body)) : passing)
    if (key !== undefined && answer.status === 429) limits.pause(key, answer.retryAfterMs ?? 0)
    // A page comes from a server before the order book: it says nothing about what is read.
    if (as === 'read' && answer.status !== 429 && !isShown(answer))
      throw invalidResponse(name, `no JSON, but status ${answer.status}`)
    return answer
  }

  /** @throws Refusal for an answer other than a success */
  async function sendTyped(
    request: Omit<PassedRequest, 'body'> & { body: unknown },
    asker: Asker,
    kind?: PassedKind,
  ): Promise<unknown> {
    const answer = await send({ ...request, body: written(request.body) }, asker, kind)
    return bodyOf(answer)
  }

  function bodyOf(answer: PassedResponse): unknown {
    const { status, body } = answer
    if (status >= 500) throw new OutsideFault(name, `status ${status}`)
    if (status >= 300) throw refusalOf(answer)
    return body
  }

  /**
   * Mirrors what a write has changed, at the cost of its client. The write stands even if this fails: the
   * orders are read later, with those of watched accounts.
   */
  async function readBack(uids: readonly OrderUid[], asker: Asker): Promise<void> {
    const { client } = asker
    const charged = client === undefined ? services : { ...services, orderBook: chargedTo(client, services) }
    const reading = mirrorOrders(uids, 'client', charged).catch(async (fault: unknown) => {
      log.warn('an order that was passed on cannot be read for the moment', { fault: String(fault) })
      const accounts = uids.map((uid) => unpackOrderUid(uid).owner)
      await watchAccounts(services.db, network.chainId, { accounts }, watchedMs).catch(() => undefined)
    })
    await Promise.race([reading, pause(maxReadBackMs, undefined, { ref: false })])
  }

  /** Reports whether the order book has an order. @throws Outage */
  async function isPlaced({ uid }: ShownPlacement, since = new Date(0)): Promise<boolean> {
    const order = createdShape.safeParse(await orderBook.order(uid, 'client'))
    return order.success && order.data.creationDate.getTime() >= since.getTime() - maxSkewMs
  }

  /** The same with a second look for a lost answer, as the order may be stored a moment later. */
  async function isPlacedSoon(order: ShownPlacement): Promise<boolean> {
    const look = () =>
      Promise.race([isPlaced(order).catch(() => false), pause(maxLookMs, false, { ref: false })])
    if (await look()) return true
    await pause(secondLookMs)
    return look()
  }

  /**
   * Places an order, once. One whose answer was lost is looked up by its UID.
   * @returns the answer; that of a success for an order that the order book has
   */
  async function place(body: Uint8Array<ArrayBuffer>, asker: Asker): Promise<PassedResponse> {
    const placed = readPlaced(body, network)
    const { interruptedAt } = asker
    if (placed && interruptedAt && (await isPlaced(placed, interruptedAt))) return created(placed)
    try {
      const answer = await send({ as: 'order', method: 'POST', path: '/api/v1/orders', body }, asker)
      if (answer.status < 300 ? uidIn(answer) : answer.status < 500) {
        // An earlier attempt may have placed it meanwhile: the order book refuses a second one.
        const isOwn =
          answer.status >= 400 &&
          placed &&
          interruptedAt &&
          (await isPlaced(placed, interruptedAt).catch(() => false))
        return isOwn ? created(placed) : answer
      }
      return placed && (await isPlacedSoon(placed)) ? created(placed) : answer
    } catch (fault) {
      if (!(fault instanceof LostAnswer) || !placed) throw fault
      if (await isPlacedSoon(placed)) return created(placed)
      throw new Refusal(
        'Unavailable',
        `${name} has not answered, and does not show the order yet: look it up before you send it again`,
        { data: { uid: placed.uid } },
      )
    }
  }

  async function placeAndRead(body: Uint8Array<ArrayBuffer>, asker: Asker): Promise<PassedResponse> {
    const answer = await place(body, asker)
    const uid = answer.status < 300 ? uidIn(answer) : undefined
    if (uid) await readBack([uid], asker)
    return answer
  }

  /** Sends a cancellation. The orders are read back also if its answer was lost. */
  async function cancel(request: Omit<PassedRequest, 'as'>, uids: readonly OrderUid[], asker: Asker) {
    try {
      const answer = await send({ as: 'cancellation', ...request }, asker)
      if (answer.status < 300) await readBack(uids, asker)
      return answer
    } catch (fault) {
      if (fault instanceof LostAnswer) await readBack(uids, asker)
      throw fault
    }
  }

  /** Stores a document that the order book has accepted, under its own hash. A limit here may refuse it. */
  async function upload(request: Omit<PassedRequest, 'as'>, asker: Asker): Promise<PassedResponse> {
    const answer = await send({ as: 'document', ...request }, asker)
    const document = answer.status < 300 ? documentIn(request) : undefined
    if (document !== undefined && asker.client !== undefined) {
      await services.storeDocument(document, asker.client).catch((fault: unknown) => {
        if (!(fault instanceof Refusal || fault instanceof Outage)) throw fault
        log.debug('a document that was passed on is not stored', { fault: fault.message })
      })
    }
    return answer
  }

  /** Sends a request with what follows from it. */
  function deliver(request: PassedRequest, asker: Asker): Promise<PassedResponse> {
    const { as, ...rest } = request
    if (as === 'order') return placeAndRead(request.body ?? new Uint8Array(), asker)
    if (as === 'cancellation') return cancel(rest, cancelledIn(request), asker)
    if (as === 'document') return upload(rest, asker)
    return send(request, asker)
  }

  async function quote(request: QuoteRequest, asker: Asker, kind?: PassedKind): Promise<QuoteReply> {
    const passed = { as: 'quote', method: 'POST', path: '/api/v1/quote', body: quoteBody(request) } as const
    const reply = quoteShape.safeParse(await sendTyped(passed, asker, kind))
    if (!reply.success) throw invalidResponse(name, 'no quote')
    return toReply(reply.data, request, network.chainId)
  }

  /** Quotes again after each block, in turn with all streams, and not at all while the limits are reached. */
  async function* quotesAfter(
    first: QuoteReply,
    request: QuoteRequest,
    signal: AbortSignal,
    asker: Asker,
  ): AsyncGenerator<QuoteReply, void> {
    let last = first
    yield first
    const restMs = Math.max(minQuoteMs, network.blockTimeMs)
    for (;;) {
      await pause(restMs, undefined, { signal, ref: false }).catch(() => undefined)
      if (signal.aborted) return
      const next = await waitForTurn(asker, async () => {
        if (signal.aborted || !limits.hasRoom('quote', asker)) return undefined
        return quote(request, asker, 'requote')
      }).catch((fault: unknown) => {
        if (fault instanceof Outage || (fault instanceof Refusal && fault.code === 'RateLimited'))
          return undefined
        throw fault
      })
      if (signal.aborted) return
      if (!next || !differs(next, last)) continue
      last = next
      yield next
    }
  }

  return {
    pass: async (request, asker) => toAnswer(await deliver(request, asker), name),

    async placeOrder(creation, asker = {}) {
      const body = written(orderBody(creation, await documentOf(creation, services)))
      const answer = await placeAndRead(body, asker)
      bodyOf(answer)
      const uid = uidIn(answer)
      if (uid === undefined) throw invalidResponse(name, 'no UID')
      return uid
    },

    async cancelOrders({ orderUids, signature, signingScheme }, asker = {}) {
      const uids = [...new Set(orderUids)]
      const body = written({ orderUids, signature, signingScheme })
      bodyOf(await cancel({ method: 'DELETE', path: '/api/v1/orders', body }, uids, asker))
      return uids
    },

    async cancelOrder({ orderUid, signature, signingScheme }, asker = {}) {
      const body = written({ signature, signingScheme })
      bodyOf(await cancel({ method: 'DELETE', path: `/api/v1/orders/${orderUid}`, body }, [orderUid], asker))
      return orderUid
    },

    async uploadDocument(fullAppData, asker = {}) {
      const path = `/api/v1/app_data/${keccakText(fullAppData)}`
      await sendTyped({ as: 'document', method: 'PUT', path, body: { fullAppData } }, asker)
    },

    async nativeRate(token, asker) {
      const path = `/api/v1/token/${token}/native_price`
      const answer = await send({ as: 'read', method: 'GET', path }, asker)
      const { errorType = '' } = refusalShape.safeParse(answer.body).data ?? {}
      if (answer.status === 404 || (answer.status < 500 && absentTypes.has(errorType))) return undefined
      const { success, data } = priceShape.safeParse(bodyOf(answer))
      if (!success) throw invalidResponse(name, 'no price')
      return toRate(data.price)
    },

    async totalSurplus(owner, asker) {
      const path = `/api/v1/users/${owner}/total_surplus`
      const reading = send({ as: 'read', method: 'GET', path }, asker)
      const { success, data } = surplusShape.safeParse(bodyOf(await inTime(reading, services)))
      if (!success) throw invalidResponse(name, 'no surplus')
      return data.totalSurplus
    },

    quote: (request, asker = {}) => quote(request, asker),
    async quotes(request, signal, asker = {}) {
      return quotesAfter(await quote(request, asker), request, signal, asker)
    },
  }
}

/** The time for which an answer to a read serves all clients. */
const sharedMs = 3_000
const maxShared = 1_000

/** Passes requests on, reads for two seconds at most. Clients without a key share the answers to these. */
export function sharingReads(
  { pass }: Pick<OrderBookWrites, 'pass'>,
  { limits, now, network }: Pick<WriteServices, 'limits' | 'now' | 'network'>,
): OrderBookWrites['pass'] {
  const answers = createLruCache<string, Promise<PassedAnswer>>({
    max: maxShared,
    ttl: sharedMs,
    ttlAutopurge: true,
    ttlResolution: 0,
    perf: { now },
  })
  return (request, asker) => {
    const { as, path } = request
    if (as !== 'read') return pass(request, asker)
    if (limits.keyOf(asker) !== undefined) return inTime(pass(request, asker), { network })
    const shared = answers.get(path)
    if (shared) return inTime(shared, { network })
    const answer = pass(request, asker)
    answers.set(path, answer)
    answer.catch(() => answers.delete(path))
    return inTime(answer, { network })
  }
}

/** The pause between two quotes of a stream. */
const minQuoteMs = 1_000

/** Lets streams quote again one after the other, those of each client in turn. */
function createTurns() {
  const enqueue = createFairQueue({
    running: { max: 2, perKey: 1 },
    waiting: { max: 100_000, perKey: 1_000 },
    refusal: (why) => new Outage('another quote', new Error(why)),
  })
  return <Result>({ client = '' }: Asker, work: () => Promise<Result>) => enqueue(work)(client)
}

function differs({ quote: one }: QuoteReply, { quote: other }: QuoteReply): boolean {
  return (
    one.sellAmount !== other.sellAmount ||
    one.buyAmount !== other.buyAmount ||
    one.feeAmount !== other.feeAmount
  )
}

/** The time for a quote: what its request names, and the way there. */
function quoteMs(body = new Uint8Array()): number {
  const { timeout } = timeoutShape.safeParse(jsonIn(Buffer.from(body).toString())).data ?? {}
  return Math.min(maxQuoteMs, (timeout ?? maxQuoteMs) + onTheWayMs)
}

const timeoutShape = z.object({ timeout: z.number().min(0) })
const maxQuoteMs = 10_000
const onTheWayMs = 1_000

function written(body: unknown): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify(body))
}

const createdShape = z.object({
  creationDate: z.iso.datetime({ offset: true }).transform((text) => new Date(text)),
})

const uidIn = ({ body }: Pick<PassedResponse, 'body'>) =>
  typeof body === 'string' ? toOrderUid(body) : undefined

/** The answer to an order that the order book has. */
function created({ uid }: ShownPlacement): PassedResponse {
  return { status: 201, text: JSON.stringify(uid), body: uid, isPlain: false, retryAfterMs: undefined }
}

/** Reports whether clients may see the text of an answer: not that of a page. */
const isShown = ({ text, body, isPlain }: PassedResponse) => body !== undefined || isPlain || text === ''

/** The answer as clients get it. @throws Refusal UpstreamRefused, Outage for text that is not shown */
function toAnswer(answer: PassedResponse, name: string): PassedAnswer {
  const { status, text, body, isPlain, retryAfterMs } = answer
  if (!isShown(answer) && status < 300) throw invalidResponse(name, `no JSON, but status ${status}`)
  if (!isShown(answer)) throw refusalOf(answer)
  return {
    status,
    headers: {
      'Content-Type': body === undefined && isPlain ? 'text/plain; charset=utf-8' : 'application/json',
      'Cache-Control': 'no-store',
      ...(retryAfterMs !== undefined && { 'Retry-After': String(Math.ceil(retryAfterMs / 1_000)) }),
    },
    body: text,
  }
}

const cancellationShape = z.object({ orderUids: z.array(z.string()) })

/** The UIDs that a cancellation names, in its body or path, as far as they can be read. */
function cancelledIn({ path, body = new Uint8Array() }: PassedRequest): OrderUid[] {
  const inPath = toOrderUid(path.slice(path.lastIndexOf('/') + 1))
  if (inPath) return [inPath]
  const named = cancellationShape.safeParse(jsonIn(Buffer.from(body).toString())).data?.orderUids ?? []
  return [...new Set(named.flatMap((text) => toOrderUid(text) ?? []))]
}

const uploadShape = z.object({ fullAppData: z.string() })

function documentIn({ body = new Uint8Array() }: Omit<PassedRequest, 'as'>): string | undefined {
  return uploadShape.safeParse(jsonIn(Buffer.from(body).toString())).data?.fullAppData
}

const refusalShape = z.object({
  errorType: z.string().max(100),
  description: z.string(),
  data: z.record(z.string(), z.unknown()).optional(),
})

/** Refusals that mean that a token has no price. */
const absentTypes: ReadonlySet<string> = new Set(['NoLiquidity', 'NotFound'])

const surplusShape = z.object({ totalSurplus: amount })

const priceShape = z.object({ price: z.number().min(0) })

/** Undefined for a price of nothing. */
function toRate(price: number): NativeRate | undefined {
  const { numerator, denominator } = ratioOfDouble(price) ?? {}
  return numerator && denominator ? { nativeAmount: numerator, tokenAmount: denominator } : undefined
}

/** The order book's refusal: under our code of the same name, or as UpstreamRefused. */
function refusalOf({ status, body, retryAfterMs }: Omit<PassedResponse, 'text' | 'isPlain'>): Refusal {
  const fallback = {
    errorType: status === 429 ? 'RateLimited' : 'UpstreamRefused',
    description: `upstream refuses the request with status ${status}`,
    data: undefined,
  }
  const { errorType, description, data } = refusalShape.safeParse(body).data ?? fallback
  const code = Object.hasOwn(refusalCodes, errorType)
    ? (errorType as keyof typeof refusalCodes)
    : 'UpstreamRefused'
  const details = { ...data, ...(retryAfterMs !== undefined && { retryAfterMs }) }
  return new Refusal(code, printable(description, 2_000) ?? '', {
    ...(Object.keys(details).length > 0 && { data: details }),
    orderBook: { status, errorType },
  })
}

/** The document whose hash an order names, if it was uploaded here: the order book may not have it. */
async function documentOf({ appData }: OrderCreation, { db }: WriteServices): Promise<string | undefined> {
  if (appData.document !== null) return appData.document
  return findAppData(db, appData.hash)
}

function orderBody(
  { appData, sellAmount, buyAmount, feeAmount, quoteId, ...order }: OrderCreation,
  document: string | undefined,
) {
  return {
    ...order,
    sellAmount: String(sellAmount),
    buyAmount: String(buyAmount),
    feeAmount: String(feeAmount),
    // With a hash, `appData` is taken for a document.
    appData: document ?? appData.hash,
    ...(document !== undefined && { appDataHash: appData.hash }),
    ...(quoteId !== null && { quoteId: Number(quoteId) }),
  }
}

function quoteBody({
  size,
  expiry,
  timeoutMs,
  appDataDocument,
  appDataHash,
  verificationGasLimit,
  ...request
}: QuoteRequest) {
  return {
    ...request,
    ...(appDataDocument !== null && { appDataHash }),
    [size.form]: String(size.amount),
    ...expiry,
    timeout: timeoutMs,
    ...(request.signingScheme === 'eip1271' && { verificationGasLimit: Number(verificationGasLimit) }),
  }
}

const quoteShape = z.object({
  quote: z.object({
    sellAmount: amount,
    buyAmount: amount,
    feeAmount: amount,
    validTo: z.int().min(0),
    gasAmount: wholeDown.default(0n),
    gasPrice: wholeDown.default(0n),
    sellTokenPrice: decimal.default('0'),
  }),
  expiration: z.iso.datetime({ offset: true }).transform((text) => new Date(text)),
  id: z.int().min(0).nullish(),
  verified: z.boolean().default(false),
  protocolFeeBps: decimal.nullish().catch(null),
})

/**
 * The volume fee that an order book names in basis points, in parts per million, and the amounts before it:
 * those after it are the order book's.
 */
function volumeFeeOf({ quote, protocolFeeBps }: z.infer<typeof quoteShape>, kind: OrderKind) {
  const { sellAmount, buyAmount, feeAmount } = quote
  const quoted = { sellAmount, buyAmount, feeAmount }
  const fee = parseUnits(protocolFeeBps ?? '0', 2)
  const amounts = fee < factorScale ? beforeVolumeFee(kind, quoted, fee) : quoted
  const after = withVolumeFees(kind, amounts, [fee])
  const isExact = after.sellAmount === sellAmount && after.buyAmount === buyAmount
  return isExact && fee > 0n ? { volumeFees: [fee], amounts } : { volumeFees: [], amounts: quoted }
}

/** The amounts after volume fees are the order book's, which takes no fee of partners from a quote. */
function toReply(answer: z.infer<typeof quoteShape>, request: QuoteRequest, chainId: number): QuoteReply {
  const { expiration, id, verified } = answer
  const { gasAmount, gasPrice, sellTokenPrice, validTo } = answer.quote
  const { kind, sellToken, buyToken, from, receiver, appData, appDataHash } = request
  const { sellTokenBalance, buyTokenBalance, signingScheme } = request
  const { volumeFees, amounts } = volumeFeeOf(answer, kind)
  const { partnerFees = [] } = readAppDataDocument(request.appDataDocument) ?? {}
  return {
    quote: {
      chainId,
      id: id == null ? null : BigInt(id),
      kind,
      quoteKind: 'standard',
      sellToken,
      buyToken,
      ...amounts,
      gasAmount,
      gasPrice,
      sellTokenPrice,
      expiration,
      solver: zeroAddress,
      verified,
      calls: null,
    },
    terms: {
      from,
      receiver,
      appData,
      appDataHash,
      sellTokenBalance,
      buyTokenBalance,
      signingScheme,
      validTo,
      volumeFees,
      partnerFees: partnerVolumeFees(partnerFees),
    },
    route: null,
  }
}
