/**
 * What every answer says, errors too, as names and values in turn. No credentials are ever needed, so any
 * page may ask and read. `Vary` stands where nothing is compressed too: a cache between must not give one
 * client's coding to another.
 */
const common = [
  'Access-Control-Allow-Origin',
  '*',
  'X-Content-Type-Options',
  'nosniff',
  'Vary',
  'Accept-Encoding',
]

const ordinary = [
  ...common,
  'Access-Control-Allow-Headers',
  'Cache-Control',
  'Access-Control-Expose-Headers',
  'X-Request-Id, Retry-After, RateLimit, RateLimit-Policy, Idempotent-Replayed, ETag, Age, Warning, Allow, Link',
]

/**
 * The same for each path, whatever it answers: who asks wrongly shall be able to read what is said about it.
 */
const preflight = [
  ...common,
  'Access-Control-Allow-Headers',
  [
    'Cache-Control, Content-Type, If-None-Match, Idempotency-Key, Last-Event-ID, Accept, Origin, Authorization',
    'X-API-Key, X-Auth-Token, X-AppId, X-GraphQL-Event-Stream-Token, X-Request-Id',
  ].join(', '),
  'Access-Control-Allow-Methods',
  'GET, POST, DELETE, OPTIONS, PUT, PATCH, HEAD',
  'Access-Control-Max-Age',
  '7200',
]

export function commonHeaders(method: string | undefined, requestId: string): string[] {
  return [...(method === 'OPTIONS' ? preflight : ordinary), 'X-Request-Id', requestId]
}

/** What a client or a proxy calls this request; `undefined` for what does not look like an id. */
export function givenRequestId(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' && /^[\w.-]{8,128}$/.test(header) ? header : undefined
}
