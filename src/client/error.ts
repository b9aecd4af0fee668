interface ErrorDetails {
  field?: string | undefined
  retryable?: boolean | undefined
  status?: number | undefined
  retryAfter?: number | undefined
  reason?: string | undefined
  cursor?: string | undefined
  data?: unknown
  partial?: unknown
  requestId?: string | undefined
  cause?: unknown
}

/** A refused request, or a service that does not answer. `code` is one of the codes in docs/errors.md. */
export class TradegraphError extends Error {
  override readonly name = 'TradegraphError'
  /** The stable code, such as `InsufficientAllowance`. `Unavailable` also stands for no answer at all. */
  readonly code: string
  /** Path of the input field at fault, such as `sellAmount`. */
  readonly field: string | undefined
  /** True if the same request can succeed later without a change. */
  readonly retryable: boolean
  /** The HTTP status; undefined if there was no answer. */
  readonly status: number | undefined
  /** Seconds to wait before the next attempt, where the service states them. */
  readonly retryAfter: number | undefined
  /** Why the service ended a stream, such as `GAP`. */
  readonly reason: string | undefined
  /** The cursor from which an ended stream continues; after a gap, the first one that is kept. */
  readonly cursor: string | undefined
  /** More about the error, by its code. */
  readonly data: unknown
  /** The part of the result that did not fail, in its JSON form. */
  readonly partial: unknown
  /** The `X-Request-Id` of the answer, for the operator of the service. */
  readonly requestId: string | undefined

  constructor(code: string, message: string, details: ErrorDetails = {}) {
    super(message, 'cause' in details ? { cause: details.cause } : undefined)
    this.code = code
    this.field = details.field
    this.retryable = details.retryable ?? false
    this.status = details.status
    this.retryAfter = details.retryAfter
    this.reason = details.reason
    this.cursor = details.cursor
    this.data = details.data
    this.partial = details.partial
    this.requestId = details.requestId
  }
}

/** A result of GraphQL over HTTP or SSE. */
export interface GraphqlResult {
  data?: unknown
  errors?: readonly { message: string; extensions?: Record<string, unknown> }[]
}

const maxText = 500

/** The error of a result, if it has one. */
export function errorOf({ data, errors }: GraphqlResult, response?: Response): TradegraphError | undefined {
  const [error] = errors ?? []
  if (!error) return undefined
  const {
    code,
    retryable,
    field,
    reason,
    cursor,
    data: more,
  } = (error.extensions ?? {}) as ErrorDetails & {
    code?: string
  }
  const { retryAfterMs } = (more ?? {}) as { retryAfterMs?: number }
  return new TradegraphError(code ?? 'InternalServerError', error.message, {
    field,
    retryable,
    reason,
    cursor,
    data: more,
    partial: data ?? undefined,
    status: response?.status,
    retryAfter: retryAfterMs === undefined ? retryAfterOf(response) : retryAfterMs / 1_000,
    requestId: response?.headers.get('x-request-id') ?? undefined,
  })
}

/** The result of a response. @throws TradegraphError if it holds none, such as the answer of a proxy */
export async function resultOf(response: Response): Promise<GraphqlResult> {
  const text = await response.text()
  try {
    const result = JSON.parse(text)
    if (result.data !== undefined || Array.isArray(result.errors)) return result
  } catch {}
  const { status } = response
  const isPassing = status === 429 || status >= 500
  const code = status === 429 ? 'RateLimited' : isPassing ? 'Unavailable' : 'InvalidQuery'
  throw new TradegraphError(code, `HTTP ${status}: ${text.slice(0, maxText)}`, {
    status,
    retryable: isPassing,
    retryAfter: retryAfterOf(response),
  })
}

function retryAfterOf(response: Response | undefined): number | undefined {
  const header = response?.headers.get('retry-after')
  return header && /^\d+$/.test(header) ? Number(header) : undefined
}

/** The error for a request without an answer. An abort by the caller stays what it is. */
export function toError(fault: unknown, signal?: AbortSignal): unknown {
  if (fault instanceof TradegraphError || signal?.aborted) return signal?.aborted ? signal.reason : fault
  const message = fault instanceof Error ? fault.message : String(fault)
  return new TradegraphError('Unavailable', `the service does not answer: ${message}`, {
    retryable: true,
    cause: fault,
  })
}
