import type { Prisma } from '../generated/client.ts'
import { boolean, type Codec, type Spelling } from './codec.ts'
import type { PageKey } from './page-key.ts'
import type { StoredRefusal } from './stored-refusals.ts'

/** The rows of a list: disjoint index ranges. */
export interface PageSource {
  /** The text after FROM of each range; its last clause is a condition. */
  ranges: readonly Prisma.Sql[]
  /** A condition that no index supports: it is checked for the first `limit` rows of the ranges. */
  scan?: { limit: number; condition: Prisma.Sql } | undefined
  /** SQL for the owner of the list, for the relation's `faults`. */
  subject?: Prisma.Sql
  /** A condition: the list lacks nothing that is read from elsewhere. Without it, none does. */
  isComplete?: Prisma.Sql
  /** True for a list that may be empty all the same; it is refused otherwise, unless the page says so. */
  mayBeEmpty?: boolean
  /** Another order than the relation's, with its refused values. */
  ordered?: Pick<PageRows, 'key' | 'faults'>
}

/**
 * The single definition of a stored model: its fields and relations. Row mapping, inserts, compiled reads,
 * GraphQL fields without a resolver, and REST bodies follow from it. SQL uses the fixed alias of the model's
 * table; a nested read of the same model has the same alias, which hides the outer one.
 */
export interface Model {
  /** GraphQL type name. */
  name: string
  description: string
  fields: Readonly<Record<string, Field>>
  /** True if lists of it have `isComplete`: what they lack is read from elsewhere. */
  isFollowed?: boolean
  relations?: Readonly<Record<string, Relation>>
  lists?: Readonly<Record<string, ValueList>>
  /** Fields that resolvers need for reads outside the database; some need more, see `Selected.needs`. */
  identity?: Readonly<Record<string, Field>>
  /**
   * Rows for fields with `isLookedUp`: one row, or none if the data is not stored and resolvers must read it.
   */
  lookup?: string
  /** Union or interface: SQL for the key of a row's model. Each of the models has an interface's fields. */
  variants?: { by: string; models: Readonly<Record<string, () => Model>> }
}

export interface Field<Value = unknown> {
  codec: Codec<NonNullable<Value>>
  sql: string | ((spelling: Spelling) => string)
  nullable: boolean
  description: string
  /** Cost of a field whose values may be kilobytes long, in objects. */
  weight?: number
  /** Column name, if the field is a column. */
  column?: string
  /** True if it reads the row of `Model.lookup`. */
  isLookedUp?: boolean
  deprecated?: string
}

/** SQL that depends on arguments. A method, so that each relation has arguments of its own type. */
type FromArguments<Part> = { make(args: unknown): Part }['make']

/** Rows in SQL: the text after FROM. A function if they depend on arguments. */
type Rows = string | FromArguments<Prisma.Sql>

interface RelationBase {
  model: () => Model
  description: string
  nullable?: boolean
  /** Estimated number of items, for the cost of a query. */
  items?: number
  deprecated?: string
}

/** An object of the same row. `unless`: SQL condition for null. */
interface SameRow extends RelationBase {
  kind: 'same'
  unless?: string
}

/** One other row, or null. `fault`: SQL condition for refusing the row, and the refusal. */
export interface OneRow extends RelationBase {
  kind: 'one'
  rows: Rows
  fault?: { when: string; is: StoredRefusal }
}

/**
 * A list of bounded size, in the order of `rows`. SQL conditions: without `only` it is empty and not read;
 * `unless`: it is null.
 */
export interface ManyRows extends RelationBase {
  kind: 'many'
  rows: Rows
  only?: string
  unless?: string
}

/** One value that is computed from rows. */
export interface RowsValue {
  kind: 'value'
  field: Field
  rows: Rows
  description: string
}

/** A list that can grow: a connection. `rows` has neither order nor limit; its last clause is a condition. */
export interface PageRows extends RelationBase {
  kind: 'page'
  rows: string | FromArguments<PageSource>
  key: PageKey
  /** SQL condition for rows without arguments, as in their source. */
  isComplete?: string
  /** The same of their source. */
  mayBeEmpty?: boolean
  /**
   * Refused values of `after`: SQL conditions over its parts and the subject of the page's source, and SQL
   * for a cursor to go on from.
   */
  faults?: (
    after: readonly string[],
    subject: string,
  ) => readonly (readonly [condition: string, StoredRefusal, cursor?: string])[]
  /** Another name of `node` in an edge. */
  edgeAlias?: string
  /** Fields of this connection in addition to those of every connection. */
  fields?: Readonly<Record<string, PageField>>
  /** GraphQL type name; `<model>Connection` by default. */
  connection?: string
}

export type Relation = SameRow | OneRow | ManyRows | PageRows | RowsValue

interface PageSql {
  /** The cursor of the last row. */
  end: string
  hasNext: string
  after: readonly string[]
  /** True for the last page of its list. */
  isLast: boolean
  /** True if it has no bound at its end: an empty page then ends at the end of the list. */
  isOpen: boolean
}

/** A field of a connection, computed from the page. */
export interface PageField extends Omit<Field, 'sql'> {
  sql: (page: PageSql) => string
}

/** A list of values of bounded size. */
export interface ValueList {
  kind: 'values'
  field: Field
  rows: string
  description: string
}

/** A column of the alias's table. */
export function column<Value>(
  codec: Codec<Value>,
  sql: `${string}.${string}`,
  description: string,
  more: Partial<Field> = {},
): Field<Value> {
  const name = sql.slice(sql.indexOf('.') + 1)
  return { codec, sql, column: name, nullable: false, description, ...more } as Field<Value>
}

/** A field that is computed from columns. */
export function derived<Value>(
  codec: Codec<Value>,
  sql: Field['sql'],
  description: string,
  more: Partial<Field> = {},
): Field<Value> {
  return { codec, sql, nullable: false, description, ...more } as Field<Value>
}

/** A field next to a list: whether the list has all that it is about. `otherwise` goes on from “False ”. */
export function hasAll(list: string, sql: string, otherwise: string): Record<string, Field<boolean>> {
  const name = `hasAll${list.charAt(0).toUpperCase()}${list.slice(1)}`
  return { [name]: derived(boolean, sql, `True if ${list} lacks nothing. False ${otherwise}`) }
}

export function orNull<Value>(field: Field<Value>): Field<Value | null> {
  return { ...field, nullable: true } as Field<Value | null>
}

/** A copy of a field, for use under another name. */
export function aliasField<Value>(
  field: Field<Value>,
  description: string,
  more: Partial<Field> = {},
): Field<Value> {
  return { ...field, description, ...more } as Field<Value>
}

/** Models that refer to each other by name, so that their files need not import each other. */
type ModelName = 'Order' | 'Auction' | 'Settlement'

const models = new Map<string, Model>()

export function defineModel(model: Model & { name: ModelName }): Model {
  models.set(model.name, model)
  return model
}

export const modelNamed = (name: ModelName) => (): Model => {
  const model = models.get(name)
  if (!model) throw new TypeError(`${name} is not defined`)
  return model
}
