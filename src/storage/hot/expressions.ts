import type { Child, Leaf, Noun } from './noun.ts'
import { literal, sql, type Text, toSql } from './text.ts'

/**
 * Columns as JSON text. Written with `||` and not with the JSON functions of PostgreSQL, which take longer to build a report than
 * to read it. What can hold a quote or a control character goes through `to_json`.
 */
export const quoted = (expression: string): Leaf => ({
  text: [...literal('"'), ...sql(expression), ...literal('"')],
})
const bare = (expression: string): Leaf => ({ text: sql(expression) })

/** An expression for hex, where it stands in a longer text. */
export const hexText = (column: string) => `'0x' || encode(${column}, 'hex')`

export const hex = (column: string): Leaf => ({
  text: [...literal('"0x'), ...sql(`encode(${column}, 'hex')`), ...literal('"')],
})
export const amount = (expression: string): Leaf => quoted(`${expression}::text`)
export const number = (expression: string): Leaf => bare(`${expression}::text`)
export const bool = (expression: string): Leaf => bare(`CASE WHEN ${expression} THEN 'true' ELSE 'false' END`)
export const string = (expression: string): Leaf => bare(`to_json(${expression})::text`)
/** One of the service's own words: nothing in it to escape. */
export const word = (expression: string): Leaf => quoted(expression)
/** The same as the graph spells it. */
export const graphWord = (column: string): Leaf => word(`upper(${column})`)
/** As the graph writes a time: milliseconds where there are any. */
export const time = (column: string): Leaf =>
  quoted(`replace(to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '.000Z', 'Z')`)
export const nothing: Leaf = { text: sql('NULL::text'), nullable: true }
export const orNull = (leaf: Leaf): Leaf => ({ ...leaf, nullable: true })

/** A list of what `from` gives, in its order. */
export function listOf(item: Text, from: string): Text {
  const items = `SELECT string_agg(item, ',') FROM (SELECT ${toSql(item)} AS item FROM ${from}) AS items`
  return [...literal('['), ...sql(`coalesce((${items}), '')`), ...literal(']')]
}

/** Of the same row, or of one that is joined to it. */
export const same = (noun: () => Noun): Child => ({ noun, wrap: (item) => item })

export const many = (noun: () => Noun, from: string): Child => ({
  noun,
  wrap: (item) => listOf(item, from),
})

/** What only the token store knows of a token. */
const metadata = new Set(['symbol', 'name', 'decimals'])

/** The global id of a row: its type, then what `parts` say of it. Their texts hold nothing to escape. */
export const nodeId = (type: string, ...parts: string[]): Leaf => ({
  text: [
    ...literal(`"${type}`),
    ...parts.flatMap((part) => [...literal(':'), ...sql(`${part}::text`)]),
    ...literal('"'),
  ],
})

/** A token by its columns, with `from` for an expression over its row, which may be missing. */
export const token = (chainId: string, column: string, from: (expression: string) => string): Child => ({
  noun: () => ({
    name: 'Token',
    leaves: {
      id: nodeId('Token', chainId, hexText(column)),
      address: hex(column),
      symbol: orNull(string(from('symbol'))),
      name: orNull(string(from('name'))),
      decimals: orNull(number(from('decimals'))),
    },
    children: {},
  }),
  wrap: (item) => item,
  needsTokens: metadata,
})
