import type { Prisma } from '../generated/client.ts'
import type { Codec, Spelling } from './codec.ts'
import type { Fault } from './fault.ts'
import type { PageKey } from './page-key.ts'
import type { PageSource } from './page-source.ts'

/**
 * What is stored, said once: the fields and relations of each model. Row mapping, inserts, compiled reads, GraphQL fields that only
 * expose, and REST bodies follow from it. SQL is over the fixed alias of the model's table; a nested read of the same
 * model has the same alias, which hides the outer one.
 */
export interface Model {
  /** GraphQL's name of it. */
  name: string
  description: string
  fields: Readonly<Record<string, Field>>
  relations?: Readonly<Record<string, Relation>>
  lists?: Readonly<Record<string, ValueList>>
  /** What resolvers that ask outside have to know of a row. */
  identity?: Readonly<Record<string, Field>>
  /** Where fields that say `isLookedUp` are: one row, or none where others have to answer. */
  lookup?: string
  /** A union or an interface: which model a row is, by the word that SQL gives. An interface's fields are in each of its models. */
  variants?: { by: string; models: Readonly<Record<string, () => Model>> }
}

export interface Field<Value = unknown> {
  codec: Codec<NonNullable<Value>>
  sql: string | ((spelling: Spelling) => string)
  nullable: boolean
  description: string
  /** Where values may be kilobytes long: as much as so many objects. */
  weight?: number
  /** The column it is, where it is one. */
  column?: string
  /** Whether it is in the row of `Model.lookup`. */
  isLookedUp?: boolean
  deprecated?: string
}

/** What a row is read under, beside its arguments. */
export interface Env {
  /** Whether a competition is shown only after its deadline block. */
  hidesCompetitions: boolean
}

/** Rows in SQL: what follows FROM. A function where arguments or the environment decide. */
export type Rows = string | ((given: never, env: Env) => Prisma.Sql)

interface RelationOf {
  model: () => Model
  description: string
  nullable?: boolean
  /** How many there are by the estimate of a query's cost. */
  items?: number
  deprecated?: string
}

/** Of the same row. `unless`: SQL for when there is none. */
export interface SameRow extends RelationOf {
  kind: 'same'
  unless?: string
}

/** One other row, or none. `fault`: SQL for when the row may not be told, and why. */
export interface OneRow extends RelationOf {
  kind: 'one'
  rows: Rows
  fault?: { when: string; is: Fault }
}

/** A list that can't grow, in its order. `only`: SQL for when there is anything to look for. `unless`: for when it is null. */
export interface ManyRows extends RelationOf {
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
export interface PageRows extends RelationOf {
  kind: 'page'
  rows: string | ((given: never, env: Env) => PageSource)
  key: PageKey
  /** SQL for a place that is of another database, over the parts of `after`. */
  isForeign?: (after: readonly string[]) => string
  /** Another name of `node` in an edge. */
  edgeAlias?: string
  /** Fields of the connection itself, beside those of every connection. */
  fields?: Readonly<Record<string, PageField>>
  /** How the GraphQL type is called; `<model>Connection` without. */
  connection?: string
}

export type Relation = SameRow | OneRow | ManyRows | PageRows | RowsValue

interface PageSql {
  /** The cursor of the last row. */
  end: string
  hasNext: string
  after: readonly string[]
  /** Whether it is the last page of its list. */
  isLast: boolean
}

/** A field of a connection; the SQL is made from what the page knows of itself. */
export interface PageField extends Omit<Field, 'sql'> {
  sql: (page: PageSql) => string
}

/** Values of one column of a list that can't grow. */
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

/** What is computed from columns. */
export function derived<Value>(
  codec: Codec<Value>,
  sql: Field['sql'],
  description: string,
  more: Partial<Field> = {},
): Field<Value> {
  return { codec, sql, nullable: false, description, ...more } as Field<Value>
}

export function orNull<Value>(field: Field<Value>): Field<Value | null> {
  return { ...field, nullable: true } as Field<Value | null>
}

/** The same column under another name. */
export function again<Value>(
  field: Field<Value>,
  description: string,
  more: Partial<Field> = {},
): Field<Value> {
  return { ...field, description, ...more } as Field<Value>
}
