import type { Child, Leaf, Noun } from './noun.ts'

/**
 * Columns as JSON text. Written with `||` and not with the JSON functions of PostgreSQL, which take longer to build a report than
 * to read it. What can hold a quote or a control character goes through `to_json`.
 */
const quoted = (text: string) => `'"' || (${text}) || '"'`

export const hex = (column: string): Leaf => ({ sql: `'"0x' || encode(${column}, 'hex') || '"'` })
export const amount = (expression: string): Leaf => ({ sql: quoted(`${expression}::text`) })
export const number = (expression: string): Leaf => ({ sql: `${expression}::text` })
export const bool = (expression: string): Leaf => ({
  sql: `CASE WHEN ${expression} THEN 'true' ELSE 'false' END`,
})
export const string = (expression: string): Leaf => ({ sql: `to_json(${expression})::text` })
/** One of the service's own words: nothing in it to escape. */
export const word = (expression: string): Leaf => ({ sql: quoted(expression) })
/** The same as the graph spells it. */
export const graphWord = (column: string): Leaf => word(`upper(${column})`)
/** As the graph writes a time: milliseconds where there are any. */
export const time = (column: string): Leaf => ({
  sql: quoted(
    `replace(to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '.000Z', 'Z')`,
  ),
})
export const nothing: Leaf = { sql: 'NULL::text', nullable: true }
export const orNull = (leaf: Leaf): Leaf => ({ ...leaf, nullable: true })

/** A list of what `from` gives, in its order. */
export function listOf(item: string, from: string): string {
  return `coalesce((SELECT '[' || string_agg(item, ',') || ']' FROM (SELECT ${item} AS item FROM ${from}) AS items), '[]')`
}

/** Of the same row, or of one that is joined to it. */
export const same = (noun: () => Noun): Child => ({ noun, sql: (item) => item })

export const many = (noun: () => Noun, from: string): Child => ({ noun, sql: (item) => listOf(item, from) })

/** What only the token store knows of a token. */
const metadata = new Set(['symbol', 'name', 'decimals'])

/** A token by its address column, with `from` for an expression over its row, which may be missing. */
export const token = (column: string, from: (expression: string) => string): Child => ({
  noun: () => ({
    name: 'Token',
    leaves: {
      address: hex(column),
      symbol: orNull(string(from('symbol'))),
      name: orNull(string(from('name'))),
      decimals: orNull(number(from('decimals'))),
    },
    children: {},
  }),
  sql: (item) => item,
  needsTokens: metadata,
})
