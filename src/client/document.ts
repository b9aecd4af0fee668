import type { ScalarTree } from './scalars.ts'

/**
 * A GraphQL document with the types of its result and variables. It is a `TypedDocumentNode`, so Apollo
 * Client, urql and graphql-request accept it, and it contains its text, so that nothing has to print it.
 */
export interface TypedDocument<Result, Variables> {
  // Without `any`, the document would need the types of `graphql` to be assignable to its `DocumentNode`.
  // biome-ignore lint/suspicious/noExplicitAny: as explained
  readonly kind: any
  // biome-ignore lint/suspicious/noExplicitAny: as explained
  readonly definitions: readonly any[]
  // biome-ignore lint/suspicious/noExplicitAny: as explained
  readonly loc?: any
  /** Scalars that a client with `scalars: 'native'` converts. Documents without it keep the JSON form. */
  readonly scalars?: ScalarTree
  /** Carries the types; it has no value. */
  readonly __apiType?: (variables: Variables) => Result
}

/** A document, or its text with types, such as codegen makes with `documentMode: 'string'`. */
export type AnyDocument<Result, Variables> =
  | TypedDocument<Result, Variables>
  // biome-ignore lint/complexity/noBannedTypes: codegen's text is an instance of a class that extends String
  | (String & { readonly __apiType?: (variables: Variables) => Result })

interface Fragment {
  text: string
  definition: unknown
}

/** Composes a document of its operation and fragments. */
export function documentOf<Result, Variables>(
  operation: Fragment,
  fragments: readonly Fragment[],
  scalars: ScalarTree,
): TypedDocument<Result, Variables> {
  const parts = [operation, ...fragments]
  const body = parts.map(({ text }) => text).join('')
  const source = { body, name: 'GraphQL request', locationOffset: { line: 1, column: 1 } }
  return {
    kind: 'Document',
    definitions: parts.map(({ definition }) => definition),
    loc: { start: 0, end: body.length, source },
    scalars,
  }
}

/** @throws TypeError if the document is an AST without its text */
export function textOf(document: AnyDocument<unknown, never>): string {
  if (typeof document === 'string' || document instanceof String) return String(document)
  const text = (document as TypedDocument<unknown, never>).loc?.source?.body
  if (typeof text === 'string') return text
  throw new TypeError(
    'the document has no text: make it with `gql`, or with `documentMode: "string"` of codegen',
  )
}
