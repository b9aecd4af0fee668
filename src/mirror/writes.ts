import { z } from 'zod'
import { Outage, Refusal } from '../domain/errors/error.ts'
import { refusalCodes } from '../domain/errors/refusal-codes.ts'
import { zeroAddress } from '../domain/evm/address.ts'
import type { Log } from '../domain/log.ts'
import type { Cancellation, OrderCreation } from '../domain/order/creation.ts'
import { type OrderUid, toOrderUid } from '../domain/order/order.ts'
import type { QuoteReply, QuoteRequest } from '../domain/quote/quote.ts'
import { invalidResponse, printable } from '../outside/fault.ts'
import type { JsonRequest } from '../outside/http-json.ts'
import { findAppData } from '../storage/app-data.ts'
import { type MirrorServices, mirrorOrders } from './mirror.ts'

export interface WriteServices extends MirrorServices {
  /** The UID of an order by its signature. @throws Refusal if it is not valid */
  uidOf(creation: OrderCreation): Promise<OrderUid>
}

/** Writes of clients, which the order book decides about. */
export interface OrderBookWrites {
  /** @throws Refusal with the order book's own code and text; Outage */
  placeOrder(creation: OrderCreation): Promise<OrderUid>
  cancelOrders(cancellation: Cancellation): Promise<OrderUid[]>
  cancelOrder(cancellation: Omit<Cancellation, 'orderUids'> & { orderUid: OrderUid }): Promise<OrderUid>
  quote(request: QuoteRequest): Promise<QuoteReply>
}

export function createWrites(services: WriteServices): OrderBookWrites {
  const { orderBook, network, log } = services

  async function send(request: JsonRequest): Promise<unknown> {
    const { status, body } = await orderBook.send(request)
    if (status < 300) return body
    throw refusalOf(status, body)
  }

  /** Mirrors what a write has changed. The write stands even if this fails: the order is read later. */
  async function readBack(uids: readonly OrderUid[]): Promise<void> {
    await mirrorOrders(uids, 'client', services).catch((fault: unknown) => noteUnread(fault, log))
  }

  return {
    async placeOrder(creation) {
      const body = orderBody(creation, await documentOf(creation, services))
      const uid = await send({ path: '/api/v1/orders', body }).then(
        (body) => (typeof body === 'string' ? toOrderUid(body) : undefined),
        (fault: unknown) => placedDespite(fault, creation, services),
      )
      if (uid === undefined) throw invalidResponse(`the order book of ${network.name}`, 'no UID')
      await readBack([uid])
      return uid
    },

    async cancelOrders({ orderUids, signature, signingScheme }) {
      const uids = [...new Set(orderUids)]
      await send({ path: '/api/v1/orders', method: 'DELETE', body: { orderUids, signature, signingScheme } })
      await readBack(uids)
      return uids
    },

    async cancelOrder({ orderUid, signature, signingScheme }) {
      await send({ path: `/api/v1/orders/${orderUid}`, method: 'DELETE', body: { signature, signingScheme } })
      await readBack([orderUid])
      return orderUid
    },

    async quote(request) {
      const body = await send({ path: '/api/v1/quote', body: quoteBody(request) })
      const reply = quoteShape.safeParse(body)
      if (!reply.success) throw invalidResponse(`the order book of ${network.name}`, 'no quote')
      return toReply(reply.data, request, network.chainId)
    },
  }
}

/**
 * Looks up an order whose answer was lost: it is never sent twice.
 * @returns its UID if the order book has it @throws the fault if it has not, or does not answer
 */
async function placedDespite(
  fault: unknown,
  creation: OrderCreation,
  { orderBook, uidOf }: WriteServices,
): Promise<OrderUid> {
  if (!(fault instanceof Outage)) throw fault
  const uid = await uidOf(creation)
  const body = await orderBook.order(uid, 'client').catch(() => undefined)
  if (body === undefined) throw fault
  return uid
}

function noteUnread(fault: unknown, log: Log): void {
  if (!(fault instanceof Outage)) throw fault
  log.warn('an order that was passed on cannot be read for the moment', { fault: fault.message })
}

const refusalShape = z.object({
  errorType: z.string().max(100),
  description: z.string(),
  data: z.record(z.string(), z.unknown()).optional(),
})

/** The order book's refusal: under our code of the same name, or as UpstreamRefused. */
function refusalOf(status: number, body: unknown): Refusal {
  const read = refusalShape.safeParse(body)
  const { errorType, description, data } = read.success
    ? read.data
    : {
        errorType: 'UpstreamRefused',
        description: `upstream refuses the request with status ${status}`,
      }
  const code = Object.hasOwn(refusalCodes, errorType)
    ? (errorType as keyof typeof refusalCodes)
    : 'UpstreamRefused'
  return new Refusal(code, printable(description, 2_000) ?? '', {
    ...(data && { data }),
    orderBook: { status, errorType },
  })
}

/**
 * The document of an order that names it by its hash, if it was uploaded here: the order book may not have
 * it.
 */
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
    appData: document ?? appData.hash,
    appDataHash: appData.hash,
    ...(quoteId !== null && { quoteId: Number(quoteId) }),
  }
}

function quoteBody({
  size,
  expiry,
  timeoutMs,
  appDataDocument,
  verificationGasLimit,
  ...request
}: QuoteRequest) {
  return {
    ...request,
    [size.form]: String(size.amount),
    ...expiry,
    timeout: timeoutMs,
    ...(request.signingScheme === 'eip1271' && { verificationGasLimit: Number(verificationGasLimit) }),
  }
}

const digits = z
  .string()
  .regex(/^[0-9]{1,78}$/)
  .transform(BigInt)
const plainDecimal = z.string().regex(/^[0-9]{1,78}(\.[0-9]{1,78})?$/)

const quoteShape = z.object({
  quote: z.object({
    sellAmount: digits,
    buyAmount: digits,
    feeAmount: digits,
    validTo: z.int().min(0),
    gasAmount: plainDecimal.default('0'),
    gasPrice: plainDecimal.default('0'),
    sellTokenPrice: plainDecimal.default('0'),
  }),
  expiration: z.iso.datetime().transform((text) => new Date(text)),
  id: z.int().min(0).nullish(),
  verified: z.boolean().default(false),
})

/** The order book's amounts include every fee that it takes: none is added here. */
function toReply(
  { quote, expiration, id, verified }: z.infer<typeof quoteShape>,
  request: QuoteRequest,
  chainId: number,
): QuoteReply {
  const wholeDown = (decimal: string) => BigInt(decimal.split('.', 1)[0] ?? '0')
  return {
    quote: {
      chainId,
      id: id == null ? null : BigInt(id),
      kind: request.kind,
      quoteKind: 'standard',
      sellToken: request.sellToken,
      buyToken: request.buyToken,
      sellAmount: quote.sellAmount,
      buyAmount: quote.buyAmount,
      feeAmount: quote.feeAmount,
      gasAmount: wholeDown(quote.gasAmount),
      gasPrice: wholeDown(quote.gasPrice),
      sellTokenPrice: quote.sellTokenPrice,
      expiration,
      solver: zeroAddress,
      verified,
      calls: null,
    },
    terms: {
      from: request.from,
      receiver: request.receiver,
      appData: request.appData,
      appDataHash: request.appDataHash,
      sellTokenBalance: request.sellTokenBalance,
      buyTokenBalance: request.buyTokenBalance,
      signingScheme: request.signingScheme,
      validTo: quote.validTo,
      volumeFees: [],
      partnerFees: [],
    },
    route: null,
  }
}
