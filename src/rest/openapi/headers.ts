/** Descriptions of response headers. */
export const headers = {
  'X-Request-Id': 'The id of the request in the log: send it to the operator with a report of a problem.',
  RateLimit: 'What is left of the client’s allowance, by kind, where rates are limited.',
  'RateLimit-Policy': 'The allowance itself: `q` requests in `w` seconds, by kind.',
  'Retry-After': 'Whole seconds after which the same request may succeed.',
  'Idempotent-Replayed': '`true` when this is the answer that an earlier request with the same key got.',
  'Cache-Control': 'How long caches may keep the answer.',
  'WWW-Authenticate': '`Bearer`: how a key or a session’s token is sent.',
  Link: 'Where older entries are, with `rel="next"`; left out where there are none. Relative to the request’s own address.',
  'X-Pending-Settlements':
    'After a cancellation: what can still fill the orders, as hashes of transactions that are sent, and as `auction-` with the id where the winner of an auction sends its settlement itself; left out where there is nothing.',
  'X-Unavailable-Tokens':
    'Tokens whose balances the node cannot read at the moment; left out where there are none.',
  ETag: 'Names this answer, for `If-None-Match`.',
  Age: 'Seconds since a source gave the data.',
  Warning: '`110 - "Response is Stale"` where no source answers now and an older answer is given.',
} as const

export type HeaderName = keyof typeof headers

export function headerComponents() {
  return Object.fromEntries(
    Object.entries(headers).map(([name, description]) => {
      const isNumber = name === 'Retry-After' || name === 'Age'
      return [name, { description, schema: isNumber ? { type: 'integer', minimum: 0 } : { type: 'string' } }]
    }),
  )
}

export function headerRefs(names: readonly HeaderName[]) {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}
