import type { Spelling } from './codec.ts'
import type { Field, Model, Relation, ValueList } from './model.ts'
import type { Slot } from './slot.ts'
import type { Text } from './text.ts'

/** A selection as a plain tree: fragments are taken in, conditions decided, equal response keys merged. */
export interface Selected {
  key: string
  field: string
  /** What the field is; left out for what `field` says by itself, such as `__typename` and the parts of a page. */
  is?: Field | Relation | ValueList | 'outside'
  /** Which slot it is, where anything of it depends on arguments. */
  slot?: number
  selection: readonly Selected[]
  /** Of a union or an interface: what is selected of each of its models, by name. */
  variants?: Readonly<Record<string, readonly Selected[]>>
}

/** What stands in a statement where a parameter stands: its number among all values. */
export const param = (index: number) => `\uE000${index}\uE000`

/** Unix seconds: the first value of every statement. */
export const now = param(0)

/** Stands in an answer where a token is not stored: others have to answer. */
export const notStored = '\u0001'

/** Statements are made of these. */
export interface Building {
  spelling: Spelling
  slots: readonly Slot[]
  /** The number of the first value of each slot. */
  offsets: readonly number[]
  /** Whether resolvers follow: then each object tells what they have to know of it, below `@`. */
  isMixed: boolean
  /** JSON text of an object of a model; handed on, as lists and objects hold each other. */
  objectText(model: Model, item: Selection, building: Building): Text
}

/** What is selected of an object. */
export type Selection = Pick<Selected, 'selection' | 'variants'>

/** A fragment with its parameters, the first of which has the number `from`. */
export function numbered(strings: readonly string[], from: number): string {
  return strings.reduce((text, next, index) => `${text}${param(from + index - 1)}${next}`)
}
