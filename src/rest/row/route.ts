import { parse } from 'graphql'
import type { RefusalCode } from '../../domain/errors/refusal-codes.ts'
import { isMutation } from '../../execution/admission/charge.ts'
import type { Services } from '../../graphql/context/context.ts'
import type { Features } from '../../graphql/context/features.ts'
import type { Documents } from '../documents.generated.ts'
import type { Freshness } from './caching.ts'

/** @typeParam Name what the pattern names: it is there. Other names may be. */
export interface RestRequest<Name extends string = never> {
  /** The network's segment; empty on routes that belong to none. */
  network: string
  path: Record<Name, string> & Partial<Record<string, string>>
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
interface Row<On extends string, Run extends string, Data> {
  /** Method and path; `:name` takes one segment. */
  on: On
  /**
   * A subscription is answered in events, each as `answer` has it; `statuses` are for what is refused before
   * the first.
   */
  run: Run
  /** The body, exactly. null stands for what is not there. */
  answer: (data: Data) => unknown
  status?: (data: Data) => number
  /** Says what is not there when the answer is null: 404. */
  missing?: string
  /** Where this route's status for a code, or for a code at one field, is not the usual one. */
  statuses?: Partial<Record<RefusalCode | `${RefusalCode} of ${string}`, number>>
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

/** `uid`, of `GET /api/v1/orders/:uid/status`. */
type NamesIn<On extends string> = On extends `${string}/:${infer Name}/${infer Rest}`
  ? Name | NamesIn<`/${Rest}`>
  : On extends `${string}/:${infer Name}`
    ? Name
    : never

type VariablesOf<On extends string, Variables> = (request: RestRequest<NamesIn<On>>) => Variables

/** Keys that the document does not take: the graph would never see them. */
type Stray<Variables, Taken> = string extends keyof Variables ? never : Exclude<keyof Variables, keyof Taken>

/** The document's variables, enums as the interface's words. @throws Refusal for input that is no good */
type WithVariables<On extends string, Taken, Variables extends Taken> =
  Record<string, never> extends Taken
    ? { variables?: VariablesOf<On, Variables & { [Name in Stray<Variables, Taken>]: never }> }
    : { variables: VariablesOf<On, Variables & { [Name in Stray<Variables, Taken>]: never }> }

/** What is said of a row whatever answers it. */
export type RowTraits = Pick<
  Route,
  | 'on'
  | 'missing'
  | 'statuses'
  | 'headers'
  | 'contentType'
  | 'needs'
  | 'isEditors'
  | 'restricted'
  | 'maxBytes'
  | 'anyContentType'
> &
  Partial<Pick<Route, 'run' | 'freshness'>> & {
    /** Whether a success may say that it never changes. */
    isCached?: boolean
  }

/** A row whose result's form is its own affair. */
export type Route = Row<string, string, never> & { variables?: VariablesOf<string, Record<string, unknown>> }

/** The document says what its row has to give and gets. A text that does not compile here needs `npm run codegen`. */
export function route<
  const On extends string,
  const Run extends keyof Documents,
  Variables extends Documents[Run]['variables'],
>(
  row: Row<On, Run, Documents[Run]['result']> & WithVariables<On, Documents[Run]['variables'], Variables>,
): Route {
  return row
}

/** What changes something and can be sent twice: a request for it may carry an Idempotency-Key. */
export function isRepeatable({ on, run }: RowTraits): boolean {
  return on.startsWith('POST ') && run !== undefined && isMutation(parse(run))
}
