import type { Model } from './model.ts'

/** How objects of a model are found by their keys. */
export interface Keyed<Key> {
  model: Model
  /** Columns of a key, and their types. */
  columns: Readonly<Record<string, 'bytea' | 'int4' | 'int8'>>
  /** A key as values of its columns. */
  values(key: Key): unknown[]
  /** What the keys are called in SQL; `k` without. */
  alias?: string
  /** What is joined to the keys; nothing where a key is all that there is of an object. */
  join?: string
  /** SQL for whether the object is there. */
  exists: string
  /** What stands for one that is not; JSON's null without. */
  missing?: string
}

/** What follows FROM: one row for each key, in their order. One key alone is a plain comparison for the planner. */
export function keyedRows(
  { columns, alias = 'k', join }: Keyed<never>,
  parameters: readonly string[],
  isOne: boolean,
): string {
  const names = Object.keys(columns)
  const types = Object.values(columns)
  const found = join === undefined ? '' : ` LEFT JOIN ${join}`
  if (isOne) {
    const key = names.map((name, index) => `${parameters[index]}::${types[index]} AS ${name}`)
    return `(SELECT ${key.join(', ')}) ${alias}${found}`
  }
  const lists = types.map((type, index) => `${parameters[index]}::${type}[]`)
  return `unnest(${lists.join(', ')}) WITH ORDINALITY AS ${alias}(${names.join(', ')}, place)${found} ORDER BY ${alias}.place`
}

/** The parameters of keys: of one its values, of several a list for each column. */
export function keyedValues<Key>(keyed: Keyed<Key>, keys: readonly Key[]): unknown[] {
  const rows = keys.map((key) => keyed.values(key))
  const [only, second] = rows
  if (only && !second) return only
  return Object.keys(keyed.columns).map((_, index) => rows.map((row) => row[index]))
}
