import type { z } from 'zod'
import type { RefusalCode } from '../../domain/refusal-codes.ts'
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

export interface Parameter {
  description: string
  schema: z.ZodType
}

export interface Success {
  description: string
  /** Of JSON: one of `nouns`. A string without one. */
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

/** By the row's `on`. */
export type Operations = Readonly<Record<string, Operation>>
