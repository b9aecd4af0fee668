import type { IncomingHttpHeaders } from 'node:http'
import type { RefusalCode } from '../../domain/errors/refusal-codes.ts'
import { absentMs } from '../../domain/token/sourced.ts'
import type { AccessRules, Features } from '../../graphql/context/access.ts'
import type { Services } from '../../graphql/context/context.ts'
import type { PassedRequest } from '../../mirror/writes.ts'
import type { Documents } from '../documents.generated.ts'

/** The age of data from an outside source. */
interface Freshness {
  /** Whole seconds since the request to the source. */
  age: number
  /** Whole seconds after that request for which it may be cached. */
  maxAge: number
  /** Set for an earlier result, because the source does not answer now. */
  isStale: boolean
}

const publicFor = (seconds: number) => `public, max-age=${seconds}`

/** The Cache-Control of immutable bodies: cached for a year, without revalidation. */
export const unchanging = 'public, max-age=31536000, immutable'

/**
 * Returns headers whose `Age` counts from the request to the source. Stale data is revalidated on each
 * request, and has a `Warning`.
 */
export function freshnessHeaders({ age, maxAge, isStale }: Freshness): Record<string, string> {
  if (!isStale) return { 'Cache-Control': publicFor(maxAge), Age: String(age) }
  return { 'Cache-Control': 'no-cache', Age: String(age), Warning: '110 - "Response is Stale"' }
}

/** Returns the caching of a refusal: a 404 as long as the service caches it, others not at all. */
export function refusalCaching(status: number): string {
  return status === 404 ? publicFor(absentMs / 1_000) : 'no-store'
}

/** @typeParam Name parameters of the path that are always present */
export interface RestRequest<Name extends string = never> {
  /** The network in the path; empty on routes without one. */
  network: string
  path: Record<Name, string> & Partial<Record<string, string>>
  query: URLSearchParams
  headers: IncomingHttpHeaders
  /** Parsed JSON; undefined on GET and HEAD. */
  body: unknown
}

/** An answer from memory. */
interface MemoryAnswer {
  /** The cache key: the same object means the same answer. */
  of: object
  /** Returns the value of the row's `answer`. */
  answer(): unknown
  freshness: Freshness
}

/** A REST path as data: its document, the variables, and the conversion of the result to a body. */
interface Row<On extends string, Run extends string, Data> {
  /** The method and path; `:name` takes one segment. */
  on: On
  /**
   * The document. Each result of a subscription is an event; `statuses` are for refusals before the first.
   */
  run: Run
  /** Returns the exact body; null for a 404. Of a subscription, the data of an event. */
  answer(data: Data): unknown
  /** Returns the id of an event: the cursor behind which a client goes on. */
  idOf?(data: Data): string
  /** The same path as an event stream, for clients whose `Accept` names its type. */
  stream?: Route
  status?(data: Data): number
  /** The message of the 404. */
  missing?: string
  /** The route's own statuses for a code, or for a code at one field. */
  statuses?: Partial<Record<RefusalCode | `${RefusalCode} of ${string}`, number>>
  /**
   * Answers from memory, synchronously. Returns undefined for invalid input, and when the document must be
   * executed. A test compares it with `run` and `answer`.
   */
  fromMemory?: (
    request: Pick<RestRequest, 'network' | 'path'>,
    services: Services,
  ) => MemoryAnswer | undefined
  /** Returns the age of data from an outside source, for the caching headers of the answer and of a 404. */
  freshness?(data: Data): Freshness | null | undefined
  /** Headers of successes. */
  headers?: Record<string, string>
  /** Headers that depend on the result or the request. They replace those of `headers`. */
  headersOf?(data: Data, request: RestRequest): Record<string, string>
  contentType?: string
  /** The maximum size of the request's body in bytes, if not the default. */
  maxBytes?: number
  /** A feature that must be enabled, checked before the request is read. */
  needs?: keyof Features
  /** The route needs the key of the content system or operator, checked before anything else is read. */
  isEditors?: boolean
  /** A permission by a setting, checked before all else. `whenOff`: the code if it is off for all. */
  access?: { to: keyof AccessRules; whenOff?: RefusalCode }
  /** Only the operator can reach the path: competitions are not hidden. */
  restricted?: boolean
  /** The body is read as JSON with any media type. */
  anyContentType?: boolean
  /**
   * The order book that a network follows answers the path: always, where nothing is stored, or only on
   * networks that have no pools here.
   */
  isPassedOn?: true | 'unless stored' | 'without pools'
  /** The same for a write: its body is not read here, and passes as it came. */
  passedAs?: Exclude<PassedRequest['as'], 'read'>
  /** The route has no body: a sent one is not read. */
  hasNoBody?: boolean
  /** The answer holds a secret that is stored nowhere: it is not kept for repetitions. */
  isSecret?: boolean
  /** Answers belong to one account, or hold a secret: no cache may store them. */
  isPersonal?: boolean
}

/** The parameter names in a path: `uid` in `GET /api/v1/orders/:uid/status`. */
type NamesIn<On extends string> = On extends `${string}/:${infer Name}/${infer Rest}`
  ? Name | NamesIn<`/${Rest}`>
  : On extends `${string}/:${infer Name}`
    ? Name
    : never

type VariablesOf<On extends string, Variables> = (request: RestRequest<NamesIn<On>>) => Variables

/** Keys that are not variables of the document, and would be ignored. */
type Unused<Variables, Taken> = string extends keyof Variables ? never : Exclude<keyof Variables, keyof Taken>

/** The document's variables, with enums in REST spelling. @throws Refusal for invalid input */
type WithVariables<On extends string, Taken, Variables extends Taken> =
  Record<string, never> extends Taken
    ? { variables?: VariablesOf<On, Variables & { [Name in Unused<Variables, Taken>]: never }> }
    : { variables: VariablesOf<On, Variables & { [Name in Unused<Variables, Taken>]: never }> }

/** The members of rows with and without a document. */
export type RowTraits = Pick<
  Route,
  | 'on'
  | 'missing'
  | 'statuses'
  | 'headers'
  | 'contentType'
  | 'needs'
  | 'isEditors'
  | 'access'
  | 'restricted'
  | 'maxBytes'
  | 'anyContentType'
  | 'hasNoBody'
  | 'isSecret'
  | 'isPersonal'
  | 'isPassedOn'
  | 'stream'
  | 'passedAs'
> &
  Partial<Pick<Route, 'run' | 'freshness'>> & {
    /** Successes may have the headers of an immutable body. */
    isCached?: boolean
    /** The body is kept in memory: a request costs only its sending. */
    isKept?: boolean
  }

/** A row with any document. */
export type Route = Row<string, string, unknown> & {
  variables?: VariablesOf<string, Record<string, unknown>>
}

/** Types a row's variables and result by its document. A document without types needs `npm run codegen`. */
export function route<
  const On extends string,
  const Run extends keyof Documents,
  Variables extends Documents[Run]['variables'],
>(
  row: Row<On, Run, Documents[Run]['result']> & WithVariables<On, Documents[Run]['variables'], Variables>,
): Route {
  return row
}

/** Reports whether a request may carry an Idempotency-Key: a POST that runs a mutation. */
export function isRepeatable({ on, run, isSecret }: RowTraits): boolean {
  return !isSecret && on.startsWith('POST ') && run?.startsWith('mutation') === true
}

type Present<Fields> = { [Key in keyof Fields]?: NonNullable<Fields[Key]> }

/** Omits null and undefined members: REST bodies leave out such keys. */
export function present<Fields extends Record<string, unknown>>(fields: Fields): Present<Fields> {
  const entries = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined)
  return Object.fromEntries(entries) as Present<Fields>
}
