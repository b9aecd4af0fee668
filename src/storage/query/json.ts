import { type Spelling, string } from './codec.ts'
import type { Field } from './model.ts'
import { literal, sqlExpression, type Text, toSql } from './sql-text.ts'

/** A JSON object. Keys keep their order and must need no escaping. */
export function membersText(members: readonly (readonly [string, Text])[]): Text {
  const inside = members.flatMap(([key, text], index) => [
    ...literal(`${index === 0 ? '' : ','}"${key}":`),
    ...text,
  ])
  return [...literal('{'), ...inside, ...literal('}')]
}

/** JSON text of a value; never null. */
export function fieldText(field: Field, { spelling }: { spelling: Spelling }): Text {
  const expression = typeof field.sql === 'string' ? field.sql : field.sql(spelling)
  const text = field.codec.text(expression, spelling)
  return field.nullable ? sqlExpression(`coalesce(${toSql(text)}, 'null')`) : text
}

/** A JSON list with one item for each of `rows`, in their order. */
export function listText(item: Text, rows: string): Text {
  const items = `SELECT string_agg(item, ',') FROM (SELECT ${toSql(item)} AS item FROM ${rows}) AS items`
  return [...literal('['), ...sqlExpression(`coalesce((${items}), '')`), ...literal(']')]
}

/** A JSON string, or null. */
export const textOrNull = (expression: string) =>
  sqlExpression(`coalesce(${toSql(string.text(expression, 'stored'))}, 'null')`)

/** The stored field of each member of `Row`. A missing member does not compile. */
export type RowFields<Row> = { readonly [Key in keyof Row]-?: Field<Row[Key]> }

/** SQL for a row as JSON text; see `toRow`. `more`: members that are not fields. */
export function rowSql<Row>(fields: RowFields<Row>, more: Readonly<Record<string, Text>> = {}): string {
  const members = Object.entries(fields as unknown as Record<string, Field>).map(
    ([key, field]) => [key, fieldText(field, { spelling: 'stored' })] as const,
  )
  return toSql(membersText([...members, ...Object.entries(more)]))
}

/** The row of parsed JSON that `rowSql` wrote. */
export function toRow<Row>(fields: RowFields<Row>, json: Readonly<Record<string, unknown>>): Row {
  const row: Record<string, unknown> = {}
  for (const key in fields) {
    const value = json[key]
    row[key] = value === null || value === undefined ? null : fields[key].codec.read(value)
  }
  return row as Row
}

/** A column that an insert fills: its name, its type, and its value in a row. */
export interface InsertColumn<Row> {
  name: string
  type: string
  valueIn(row: Row): unknown
}

/** The columns of the members that an insert writes. */
export function insertColumns<Row, Key extends keyof Row>(
  fields: RowFields<Row>,
  keys: readonly Key[],
): InsertColumn<Pick<Row, Key>>[] {
  return keys.map((key) => {
    const { column, codec } = fields[key] as unknown as Field
    if (column === undefined) throw new TypeError(`${String(key)} is no column`)
    return {
      name: column,
      type: codec.column,
      valueIn: (row) => (row[key] === null ? null : codec.write(row[key] as NonNullable<unknown>)),
    }
  })
}
