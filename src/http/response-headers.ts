/**
 * The headers of every response, errors included, as a flat list of names and values. Requests need no
 * cookies, so pages of any origin may send them and read the response. `Vary` is set on uncompressed
 * responses too: a shared cache must not serve one client's coding to another client.
 */
const sharedHeaders = [
  'Access-Control-Allow-Origin',
  '*',
  'X-Content-Type-Options',
  'nosniff',
  'Vary',
  'Accept-Encoding',
]

const responseHeaders = [
  ...sharedHeaders,
  'Access-Control-Allow-Headers',
  'Cache-Control',
  'Access-Control-Expose-Headers',
  'X-Request-Id, Retry-After, RateLimit, RateLimit-Policy, Idempotent-Replayed, ETag, Age, Warning, Allow, Link, X-Pending-Settlements, X-Unavailable-Tokens',
]

/**
 * The headers of a preflight, the same for each path and method: a page must be able to read the error of a
 * wrong request.
 */
const preflightHeaders = [
  ...sharedHeaders,
  'Access-Control-Allow-Headers',
  [
    'Cache-Control, Content-Type, If-None-Match, Idempotency-Key, Last-Event-ID, Accept, Origin, Authorization',
    'X-API-Key, X-Auth-Token, X-AppId, X-Client-Id, X-GraphQL-Event-Stream-Token, X-Request-Id',
  ].join(', '),
  'Access-Control-Allow-Methods',
  'GET, POST, DELETE, OPTIONS, PUT, PATCH, HEAD',
  'Access-Control-Max-Age',
  '7200',
]

export function commonHeaders(method: string | undefined, requestId: string): string[] {
  return [...(method === 'OPTIONS' ? preflightHeaders : responseHeaders), 'X-Request-Id', requestId]
}

/** The request id that a client or proxy sent; undefined if it is malformed. */
export function givenRequestId(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' && /^[\w.-]{8,128}$/.test(header) ? header : undefined
}
