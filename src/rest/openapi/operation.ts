import type { z } from 'zod'
import type { RefusalCode } from '../../domain/errors/refusal-codes.ts'
import type { HeaderName } from './headers.ts'
import type { Tag } from './tags.ts'

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
  /** Needs a session of the account, or the key of the content system. */
  needsSession?: true
  /** Codes beyond those that follow from the route. */
  codes?: readonly RefusalCode[]
  /** By name. The viewer's form shows the first that succeeds. A test replays each of them. */
  examples: Record<string, Example>
}

/** A schema with a name in the document. */
export interface NamedSchema {
  schema: z.ZodType
  description: string
  /** The GraphQL type whose fields describe members of the same name. */
  graphqlType?: string
}

export interface Parameter {
  description: string
  schema: z.ZodType
}

export interface Success {
  description: string
  /** Of JSON: one of `namedSchemas`. A string without one. */
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

/** An example as it is written: `status` is given for a success that is not the first. */
export interface WrittenExample extends Omit<Example, 'status' | 'answer'> {
  status?: number
  answer?: unknown
  refused?: 'missing' | readonly [code: RefusalCode, message: string, data?: object]
}

/** Without the tag, which its file decides. */
export interface WrittenOperation extends Omit<Operation, 'tag' | 'examples'> {
  examples: Record<string, WrittenExample>
}

/** By `on` of the route. */
export type Operations<Written = WrittenOperation> = Readonly<Record<string, Written>>
