import type { Model } from './model.ts'

/** How objects of a model are found by their keys. */
export interface Keyed<Key> {
  model: Model
  /** Columns of a key, and their types. */
  columns: Readonly<Record<string, 'bytea' | 'int4' | 'int8'>>
  /** A key as values of its columns. */
  values(key: Key): unknown[]
  /** SQL alias of the keys; `k` by default. */
  alias?: string
  /** The table to join to the keys; none if the key is all of the object. */
  join?: string
  /** SQL condition for whether the object exists. */
  exists: string
  /** Text for a missing object; JSON null by default. */
  missing?: string
}

/** The text after FROM: one row for each key, in their order. For a single key the planner gets a plain comparison. */
export function keyedRows(
  { columns, alias = 'k', join }: Keyed<never>,
  parameters: readonly string[],
  isOne: boolean,
): string {
  const names = Object.keys(columns)
  const types = Object.values(columns)
  const joined = join === undefined ? '' : ` LEFT JOIN ${join}`
  if (isOne) {
    const key = names.map((name, index) => `${parameters[index]}::${types[index]} AS ${name}`)
    return `(SELECT ${key.join(', ')}) ${alias}${joined}`
  }
  const lists = types.map((type, index) => `${parameters[index]}::${type}[]`)
  return `unnest(${lists.join(', ')}) WITH ORDINALITY AS ${alias}(${names.join(', ')}, place)${joined} ORDER BY ${alias}.place`
}

/** Parameter values: of one key its values, of several keys a list for each column. */
export function keyedValues<Key>(keyed: Keyed<Key>, keys: readonly Key[]): unknown[] {
  const rows = keys.map((key) => keyed.values(key))
  const [only, second] = rows
  if (only && !second) return only
  return Object.keys(keyed.columns).map((_, index) => rows.map((row) => row[index]))
}
