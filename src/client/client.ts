import { attempt } from './back-off.ts'
import { type AnyDocument, type TypedDocument, textOf } from './document.ts'
import { errorOf, resultOf, toError } from './error.ts'
import { type InForm, type Input, type ScalarForm, toJson, toNative } from './scalars.ts'

/** Headers of each request, or a function that returns them, such as for a token that changes. */
export type HeaderSource =
  | Record<string, string>
  | (() => Record<string, string> | Promise<Record<string, string>>)

export interface ClientOptions<Form extends ScalarForm = 'wire'> {
  /** The root of the service, such as `https://trade.example`. GraphQL is at `/graphql` below it. */
  url: string | URL
  /** Replaces the global `fetch`. */
  fetch?: typeof globalThis.fetch
  headers?: HeaderSource
  /** `native`: amounts are bigint and times are Date in results of documents of this package. */
  scalars?: Form
  /** Milliseconds for one attempt of a request; 15,000 if it is left out. */
  timeout?: number
}

export interface RequestOptions {
  signal?: AbortSignal
}

/** Variables may be left out if the document has none that it needs. */
type VariablesArguments<Variables, Options> =
  Record<string, never> extends Variables
    ? [variables?: Input<Variables>, options?: Options]
    : [variables: Input<Variables>, options?: Options]

/** A client of one service. */
export interface Client<Form extends ScalarForm = ScalarForm> {
  /**
   * Runs a query. It is repeated while its error is retryable: up to four attempts, with `Retry-After`.
   * @throws TradegraphError
   */
  query<Result, Variables>(
    document: AnyDocument<Result, Variables>,
    ...rest: VariablesArguments<Variables, RequestOptions>
  ): Promise<InForm<Form, Result>>
  /**
   * Runs a mutation, once.
   * @throws TradegraphError
   */
  mutate<Result, Variables>(
    document: AnyDocument<Result, Variables>,
    ...rest: VariablesArguments<Variables, RequestOptions>
  ): Promise<InForm<Form, Result>>
  /** The options with what was left out. */
  readonly connection: Connection
}

/** The parts of a client that the functions of this package need. */
export interface Connection {
  readonly graphqlUrl: string
  readonly streamUrl: string
  readonly fetch: typeof globalThis.fetch
  readonly timeout: number
  headers(): Promise<Record<string, string>>
  /** Puts a result in the form of the client. */
  read(data: unknown, document: AnyDocument<unknown, never>): unknown
}

const defaultTimeout = 15_000

/**
 * Creates a client. Streams, orders and cancellations have functions of their own, which take the client
 * first: what is not imported is not part of a bundle.
 */
export function createClient<const Form extends ScalarForm = 'wire'>(
  options: ClientOptions<Form>,
): Client<Form> {
  const root = String(options.url).replace(/(?<!\/)\/+$/, '')
  const { headers = {}, timeout = defaultTimeout } = options
  const connection: Connection = {
    graphqlUrl: `${root}/graphql`,
    streamUrl: `${root}/graphql/stream`,
    timeout,
    // Browsers refuse to call `fetch` as a method of another object.
    fetch: options.fetch ?? ((...request) => globalThis.fetch(...request)),
    headers: async () => (typeof headers === 'function' ? await headers() : headers),
    read(data, document) {
      const { scalars } = document as TypedDocument<unknown, never>
      return options.scalars === 'native' && scalars ? toNative(data, scalars) : data
    },
  }

  async function send(
    document: AnyDocument<unknown, never>,
    variables: unknown,
    signal: AbortSignal | undefined,
  ): Promise<unknown> {
    signal?.throwIfAborted()
    // Faults of the caller's function and document are its own, and not repeated.
    const own = await connection.headers()
    const body = toJson({ query: textOf(document), variables })
    const end = AbortSignal.timeout(timeout)
    try {
      const response = await connection.fetch(connection.graphqlUrl, {
        method: 'POST',
        headers: { ...own, 'content-type': 'application/json' },
        body,
        signal: signal ? AbortSignal.any([signal, end]) : end,
      })
      const result = await resultOf(response)
      const error = errorOf(result, response)
      if (error) throw error
      return connection.read(result.data, document)
    } catch (fault) {
      throw toError(fault, signal)
    }
  }

  return {
    connection,
    query: (document, ...[variables, { signal } = {}]) =>
      attempt(() => send(document, variables, signal), signal) as Promise<never>,
    mutate: (document, ...[variables, { signal } = {}]) =>
      send(document, variables, signal) as Promise<never>,
  }
}
