import { parse } from 'graphql'
import type { RefusalCode } from '../domain/refusal-codes.ts'
import type { Services } from '../graphql/context.ts'
import { isMutation } from '../graphql/door/charge.ts'
import type { Features } from '../graphql/features.ts'
import type { Freshness } from './caching.ts'

export interface RestRequest {
  /** The network's segment; empty on routes that belong to none. */
  network: string
  path: Record<string, string>
  query: URLSearchParams
  /** Parsed JSON, on methods that have a body. */
  body: unknown
}

/** An answer that is in memory. Of the same thing it is the same text. */
interface Recalled {
  of: object
  /** As `answer` gives it. */
  answer(): unknown
  freshness: Freshness
}

/** One path as data: which document it runs, with which variables, and what it makes of the result. */
export interface Row<Data> {
  /** Method and path; `:name` takes one segment. */
  on: string
  /**
   * A subscription is answered in events, each as `answer` has it; `statuses` are for what is refused before
   * the first.
   */
  run: string
  /** @throws Refusal for input that is no good */
  given?: (request: RestRequest) => Record<string, unknown>
  /** The body, exactly. null stands for what is not there. */
  answer: (data: Data) => unknown
  status?: (data: Data) => number
  /** Says what is not there when the answer is null: 404. */
  missing?: string
  /** Where this route's status for a code, or for a code at one field, is not the usual one. */
  statuses?: Partial<Record<RefusalCode | `${RefusalCode} of ${string}`, number>>
  /**
   * The same body as text that the database wrote: null for what is not there, `undefined` when the document
   * has to answer. A test holds it equal to `run` and `answer`.
   */
  text?: (request: RestRequest, services: Services, chainId: number) => Promise<string | null | undefined>
  /**
   * A look at what is in memory: `undefined` when the document has to answer, and for what is no good.
   * Nothing is waited for. A test holds it equal to `run` and `answer`.
   */
  recall?: (request: Pick<RestRequest, 'network' | 'path'>, services: Services) => Recalled | undefined
  /**
   * Where the answer is somebody else's: how old it is. How long it may be kept, and that there is none,
   * follows from it.
   */
  freshness?: (data: Data) => Freshness | null | undefined
  /** On success only. */
  headers?: Record<string, string>
  contentType?: string
  /** Most bytes of the body, where it is not the usual. */
  maxBytes?: number
  /** A part of the service that has to be on: asked before anything of the request is read. */
  needs?: keyof Features
  /** Needs the key of the content system, or the operator's: asked for before anything else is read. */
  isEditors?: boolean
  /** Only the operator reaches this path: nothing is hidden from it. */
  restricted?: boolean
  /** The body is read as JSON whatever it calls itself. */
  anyContentType?: boolean
}

/** A row whose result's form is its own affair. */
export type Route = Row<never>

export function route<Data>(row: Row<Data>): Route {
  return row
}

/** What changes something and can be sent twice: a request for it may carry an Idempotency-Key. */
export function isRepeatable({ on, run }: Route): boolean {
  return on.startsWith('POST ') && isMutation(parse(run))
}
