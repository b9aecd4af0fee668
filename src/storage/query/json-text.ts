import { type Spelling, string } from './codec.ts'
import type { Field } from './model.ts'
import { literal, sql, type Text, toSql } from './text.ts'

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
  return field.nullable ? sql(`coalesce(${toSql(text)}, 'null')`) : text
}

/** A JSON list with one item for each of `rows`, in their order. */
export function listText(item: Text, rows: string): Text {
  const items = `SELECT string_agg(item, ',') FROM (SELECT ${toSql(item)} AS item FROM ${rows}) AS items`
  return [...literal('['), ...sql(`coalesce((${items}), '')`), ...literal(']')]
}

/** A JSON string, or null. */
export const textOrNull = (expression: string) =>
  sql(`coalesce(${toSql(string.text(expression, 'stored'))}, 'null')`)
