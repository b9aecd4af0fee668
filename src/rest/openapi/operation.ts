import type { z } from 'zod'
import type { RefusalCode } from '../../domain/errors/refusal-codes.ts'
import type { HeaderName } from './headers.ts'
import type { Tag } from './tags.ts'

/** What the document says of a row beyond what the row says itself. */
export interface Operation {
  id: string
  tag: Tag
  summary: string
  description?: string
  /** Segments of the path that mean something else here than usual. */
  path?: Record<string, Parameter>
  query?: Record<string, Parameter>
  /** The schema that the row reads the body with. */
  body?: z.ZodType
  /** Successes, by status. */
  answers: Record<number, Success>
  /** Codes beside those that every row of its form can answer. */
  codes?: readonly RefusalCode[]
  /** By name; the first that succeeds fills in the viewer's form. A test replays each of them. */
  examples: Record<string, Example>
}

/** A schema with a name in the document. */
export interface NamedSchema {
  schema: z.ZodType
  description: string
  /** The type of the graph whose descriptions fields of the same name take. */
  graph?: string
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

/** As it is written: of a refusal its code, message and data, or that it is the row’s `missing`; of a success its status where it is not the first one. */
export interface WrittenExample extends Omit<Example, 'status' | 'answer'> {
  status?: number
  answer?: unknown
  refused?: 'missing' | readonly [code: RefusalCode, message: string, data?: object]
}

/** The tag is that of its file. */
export interface WrittenOperation extends Omit<Operation, 'tag' | 'examples'> {
  examples: Record<string, WrittenExample>
}

/** By the row's `on`. */
export type Operations<Written = WrittenOperation> = Readonly<Record<string, Written>>
