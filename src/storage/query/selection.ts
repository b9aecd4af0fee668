import type { ArgumentSlot } from './argument-slot.ts'
import type { Spelling } from './codec.ts'
import type { Field, Model, Relation, ValueList } from './model.ts'
import type { Text } from './sql-text.ts'

/** A selection as a plain tree: fragments expanded, directives applied, equal response keys merged. */
export interface Selected {
  key: string
  field: string
  /**
   * The field's definition; left out where the name is enough, such as `__typename` and the parts of a page.
   */
  is?: Field | Relation | ValueList | 'outside'
  /** Index of its slot, if it depends on arguments. */
  slot?: number
  /** Members of a field that is not stored: its resolver finds these of the object in the identity. */
  needs?: Readonly<Record<string, Field>>
  selection: readonly Selected[]
  /** Union or interface: the selection for each of its models, by name. */
  variants?: Readonly<Record<string, readonly Selected[]>>
}

/** Placeholder of a parameter in SQL under construction: its index among all values. */
export const param = (index: number) => `\uE000${index}\uE000`

/** The first values of every statement; only those in use are sent. */
export interface Ambient {
  /** Unix seconds. */
  now: number
  /** True if competitions are shown only after their deadline block. */
  hidesCompetitions: boolean
}

export const now = `${param(0)}::bigint`
export const hidesCompetitions = `${param(1)}::boolean`
export const ambientValues = (ambient: Ambient): unknown[] => [ambient.now, ambient.hidesCompetitions]

/** Index of the first value behind the ambient ones. */
export const firstOwn = 2

/** Placeholder of a statement's own value, after the ambient ones, from 0. */
export const ownParam = (index: number) => param(firstOwn + index)

/** Mark in a response for a token that is not stored: resolvers must read it from the chain. */
export const notStored = '\u0001'

/** Context of a statement under construction. */
export interface StatementContext {
  spelling: Spelling
  slots: readonly ArgumentSlot[]
  /** The index of the first value of each slot. */
  offsets: readonly number[]
  /** True if resolvers follow: then each object has its model's identity under `@`. */
  isMixed: boolean
  /** JSON text of an object of a model; passed here to avoid an import cycle between lists and objects. */
  objectText(model: Model, item: Selection, context: StatementContext): Text
}

/** The selection of an object. */
export type Selection = Pick<Selected, 'selection' | 'variants'>

/** Joins an SQL fragment with placeholders; the first has the index `from`. */
export function withParameters(strings: readonly string[], from: number): string {
  return strings.reduce((text, next, index) => `${text}${param(from + index - 1)}${next}`)
}
