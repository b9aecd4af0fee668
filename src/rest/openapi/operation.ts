import type { z } from 'zod'
import type { RefusalCode } from '../../domain/errors/refusal-codes.ts'

/** Descriptions of response headers. */
const headers = {
  'X-Request-Id': 'The id of the request in the log: send it to the operator with a report of a problem.',
  RateLimit: 'The rest of the client’s allowance, by kind, if rates are limited.',
  'RateLimit-Policy': 'The allowance itself: `q` requests in `w` seconds, by kind.',
  'Retry-After': 'Whole seconds after which the same request may succeed.',
  'Idempotent-Replayed': '`true` for the repeated answer to an earlier request with the same key.',
  'Cache-Control': 'The time for which caches may keep the answer.',
  'WWW-Authenticate': '`Bearer`: the scheme for a key or a session’s token.',
  Link: 'The URL of older entries, with `rel="next"`, relative to the request’s URL; left out if there are none.',
  'X-Is-Complete':
    'Only with the value `false`: items of the list, or trades of the order, are still being read from the order book that the network follows or from the chain, or one of them is away. A list without any item is refused with 503 then.',
  'X-Unknown-Members':
    'Members of the answer whose values the service does not know, or not all of them, separated by commas: such as `executedProtocolFees`, or `auctions.feePolicies` for those in a list. A list is empty then, or lacks items, and an amount is 0. Left out if there are none.',
  'X-Pending-Settlements':
    'Settlements that can still fill the orders after a cancellation: hashes of sent transactions, and `auction-` with the id of an auction whose winner sends its settlement itself; left out if there are none.',
  'X-Unavailable-Tokens': 'Tokens whose balances the node cannot read now; left out if there are none.',
  ETag: 'Names this answer, for `If-None-Match`.',
  Age: 'Seconds since a source returned the data, or since orders or competitions were compared with the order book that they come from.',
  Warning: '`110 - "Response is Stale"` on an older answer, while no source answers.',
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

/** Groups of operations, in display order. */
export const tags = {
  Quotes: 'Prices and fees of orders before they are placed.',
  Orders: 'Signed orders: placed, read, cancelled.',
  Trades: 'Trades on chain.',
  'App data': 'Documents that orders carry by their hash.',
  Competitions: 'Solutions that solvers proposed, and the winners.',
  Market: 'Native prices and surplus at the auctions’ prices; volatility.',
  Networks: 'Whether and in which version a network is served.',
  Accounts: 'Notifications of an account.',
  Channels: 'The receivers of an account’s notifications.',
  Sessions: 'Proof of an account, by a signed message (EIP-4361).',
  'Token data': 'USD prices, holders and metadata of tokens.',
  Pools: 'Value, volume and yield of pools.',
  Simulations: 'Results of transactions that are not sent.',
  Affiliates: 'Affiliate codes, each permanently bound to a wallet.',
  Statistics: 'Figures of affiliates and their traders.',
} as const

export type Tag = keyof typeof tags

/** Documentation of a route, beyond what follows from the route itself. */
export interface Operation {
  id: string
  tag: Tag
  summary: string
  description?: string
  /** Path parameters that differ from `pathParameters`. */
  path?: Record<string, Parameter>
  query?: Record<string, Parameter>
  /** Headers of the request that the route reads, all required. */
  headers?: Record<string, Parameter>
  /** The schema that the route parses the body with. */
  body?: z.ZodType
  /** Successes, by status. */
  answers: Record<number, Success>
  /** The route needs a session of the account, or the key of the content system. */
  needsSession?: true
  /** Codes beyond those that follow from the route. */
  codes?: readonly RefusalCode[]
  /** Examples by name. The viewer's form shows the first that succeeds. A test replays each of them. */
  examples: Record<string, Example>
}

/** A schema with a name in the document. */
export interface NamedSchema {
  schema: z.ZodType
  /** Left out if the description of the GraphQL type is used. */
  description?: string
  /** The GraphQL type whose fields describe members of the same name. */
  graphqlType?: string
}

export interface Parameter {
  description: string
  schema: z.ZodType
}

export interface Success {
  description: string
  /** The schema of JSON, one of `namedSchemas`; a string schema has no name. */
  schema: z.ZodType
  contentType?: string
  headers?: readonly HeaderName[]
}

export interface Example {
  summary: string
  path?: Record<string, string>
  query?: Record<string, string>
  headers?: Record<string, string>
  body?: unknown
  status: number
  answer: unknown
}

/** An example as written; `status` is set for a success that is not the first. */
export interface WrittenExample extends Omit<Example, 'status' | 'answer'> {
  status?: number
  answer?: unknown
  refused?: 'missing' | readonly [code: RefusalCode, message: string, data?: object]
}

/** An operation without the tag, which its file decides. */
export interface WrittenOperation extends Omit<Operation, 'tag' | 'examples'> {
  examples: Record<string, WrittenExample>
}

/** Operations by the route's `on`. */
export type Operations<Written = WrittenOperation> = Readonly<Record<string, Written>>
