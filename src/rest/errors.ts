import type { GraphQLError } from 'graphql'
import Negotiator from 'negotiator'
import type { OrderBookAnswer } from '../domain/errors/error.ts'
import { type RefusalCode, refusalCodes } from '../domain/errors/refusal-codes.ts'
import { refusalHeaders } from '../execution/http/error-response.ts'
import { maxAcceptLength } from '../execution/http/request.ts'
import type { Produced } from '../execution/idempotency.ts'
import { type RowTraits, refusalCaching } from './routing/route.ts'

/** The HTTP status of every code; each must have one to compile. A route may override it (`statuses`). */
export const statusOf: Record<RefusalCode, number> = {
  InvalidParameter: 400,
  UnsupportedMediaType: 415,
  PayloadTooLarge: 413,
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  NotFound: 404,
  OrderNotFound: 404,
  QueryTooComplex: 400,
  FeedGap: 410,
  SlowConsumer: 408,
  // GraphQL only. Its clients expect 200, and then send the text.
  PERSISTED_QUERY_NOT_FOUND: 200,
  InvalidQuery: 400,

  InvalidSignature: 400,
  InvalidEip1271Signature: 400,
  MissingFrom: 400,
  AppdataFromMismatch: 400,
  IncompatibleSigningScheme: 400,
  InvalidAppData: 400,
  AppDataInvalid: 400,
  AppDataHashMismatch: 400,
  AppDataMismatch: 400,
  ZeroAmount: 400,
  NonZeroFee: 400,
  SellAmountOverflow: 400,
  BuyAmountOverflow: 400,
  UnsupportedOrderType: 400,
  UnsupportedBuyTokenDestination: 400,
  UnsupportedSellTokenSource: 400,
  OrderExpired: 400,
  InsufficientValidTo: 400,
  ExcessiveValidTo: 400,
  InvalidValidFrom: 400,
  SameBuyAndSellToken: 400,
  InvalidNativeSellToken: 400,
  UnsupportedToken: 400,
  InsufficientBalance: 400,
  InsufficientAllowance: 400,
  TransferSimulationFailed: 400,
  TooMuchGas: 400,
  TooManyLimitOrders: 400,
  DuplicatedOrder: 400,
  BadRequest: 400,
  Forbidden: 403,
  OldOrderActivelyBidOn: 400,

  OnChainOrder: 400,
  OrderFullyExecuted: 400,
  AlreadyCancelled: 400,
  Unauthorized: 401,
  WrongOwner: 401,

  NoLiquidity: 404,
  SellAmountDoesNotCoverFee: 400,
  TradingOutsideAllowedWindow: 400,
  TokenTemporarilySuspended: 400,
  InsufficientLiquidity: 400,
  CustomSolverError: 400,
  QuoteNotVerified: 400,
  UpstreamRefused: 400,
  InvalidTradeFilter: 400,
  InvalidLimit: 400,
  LIMIT_OUT_OF_BOUNDS: 400,

  AffiliateWalletMismatch: 400,
  InvalidAffiliateSignature: 401,
  AffiliateWalletBound: 409,
  AffiliateCodeTaken: 409,
  AffiliateExists: 409,
  AffiliateCodeDisabled: 403,
  FeatureDisabled: 503,

  InvalidSignIn: 401,
  ChannelExists: 409,
  TooManyChannels: 409,
  TooManyConfirmations: 429,
  TooManySecrets: 429,
  ChannelUnreachable: 422,
  ChannelNotFound: 404,

  IdempotencyKeyReused: 422,
  IdempotencyKeyInUse: 409,
  RateLimited: 429,
  Unavailable: 503,
  InternalServerError: 500,
}

/** Two forms of error bodies: `orderBook`, and `account` for tokens, accounts and affiliates. */
export type Family = 'orderBook' | 'account'

/** Returns the family of a path, also without a route. */
export function familyOf(pathname: string): Family {
  return /^\/(about|accounts|affiliate|ref-codes|sessions|sse)(\/|$)|^\/[^/]+\/(tokens|accounts|address|sessions|markets|yield|simulation|info)(\/|$)/.test(
    pathname,
  )
    ? 'account'
    : 'orderBook'
}

export interface Fault {
  /** Ours, or that of the order book to which the request was passed on. */
  code: string
  message: string
  data?: unknown
}

export function toErrorBody(family: Family, { code, message, data }: Fault): Record<string, unknown> {
  if (family === 'account') return { message }
  return { errorType: code, description: message, ...(data !== undefined && { data }) }
}

interface ErrorContext {
  family: Family
  /** Undefined for a path or method without a route. */
  row?: RowTraits | undefined
  /** The methods of the path, for a refused method. */
  allow?: string | undefined
  /** The header `Accept`. */
  accept: string | undefined
}

/** The response to a masked error. */
export function restErrorResponse(
  error: GraphQLError,
  { family, row, allow, accept = '' }: ErrorContext,
): Produced {
  const status = statusFor(error, row)
  const isProblem = namesProblem(accept)
  const headers: Record<string, string> = {
    'Content-Type': isProblem ? problemType : 'application/json',
    Vary: 'Accept',
    ...refusalHeaders(status, error.extensions),
  }
  if (allow) headers.Allow = allow
  if (row?.freshness) headers['Cache-Control'] = refusalCaching(status)
  const body = isProblem ? problemOf(error, status) : errorBodyOf(error, family)
  return { status, headers, body: JSON.stringify(body) }
}

export const problemType = 'application/problem+json'

/** Reports whether a client accepts problem details by name: a wildcard requests the published form. */
function namesProblem(accept: string): boolean {
  if (!accept.toLowerCase().includes(problemType)) return false
  const named = accept
    .slice(0, maxAcceptLength)
    .split(',')
    .filter((range) => !range.includes('*'))
  return new Negotiator({ headers: { accept: named.join(',') } }).mediaTypes([problemType]).length > 0
}

/** The error as RFC 9457 describes it, with the members that GraphQL has in `extensions`. */
function problemOf(error: GraphQLError, status: number): Record<string, unknown> {
  const { code, message, data } = faultOf(error)
  const { field, retryable, requestId } = error.extensions
  const known = Object.hasOwn(refusalCodes, code) ? refusalCodes[code as RefusalCode] : undefined
  return {
    type: known ? `/docs/errors.md#${code}` : 'about:blank',
    title: known?.description ?? code,
    status,
    detail: message,
    code,
    field,
    data,
    retryable,
    requestId,
  }
}

/** Writes the body in the form of the family. */
export function errorBodyOf(error: GraphQLError, family: Family): Record<string, unknown> {
  return toErrorBody(family, faultOf(error))
}

/** Returns the status of a code. A route may override it, also for a single field. */
function statusFor(error: GraphQLError, row: RowTraits | undefined): number {
  const { code } = error.extensions as { code: RefusalCode }
  const { orderBook } = error.extensions as { orderBook?: OrderBookAnswer }
  if (orderBook) return orderBook.status
  return row?.statuses?.[`${code} of ${error.extensions.field}`] ?? row?.statuses?.[code] ?? statusOf[code]
}

function faultOf({ extensions, message }: GraphQLError): Fault {
  const { code, orderBook } = extensions as { code: RefusalCode; orderBook?: OrderBookAnswer }
  // The place from which a client goes on behind a gap.
  const data =
    extensions.data ?? (extensions.cursor === undefined ? undefined : { cursor: extensions.cursor })
  return { code: orderBook?.errorType ?? code, message, data: withoutItems(data) }
}

/** Drops `items`, the refusals of list items: only GraphQL has them, and REST bodies stay as published. */
function withoutItems(data: unknown): unknown {
  if (typeof data !== 'object' || data === null || !('items' in data)) return data
  const { items: _, ...rest } = data
  return Object.keys(rest).length > 0 ? rest : undefined
}
