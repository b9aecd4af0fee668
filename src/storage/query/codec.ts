import type { Address } from '../../domain/evm/address.ts'
import type { Bytes32, Hex } from '../../domain/evm/hex.ts'
import type { OrderUid } from '../../domain/order/uid.ts'
import { literal, sql, type Text } from './text.ts'

/** Enum members as GraphQL spells them (`PRICE_IMPROVEMENT`), or as the service and REST do (`priceImprovement`). */
export type Spelling = 'graph' | 'words'

/** One kind of value: in PostgreSQL, in JSON, in the program, and by its name in GraphQL. */
export interface Codec<Value> {
  /** GraphQL's scalar or enum. */
  type: string
  /** Of an enum: every value there is. */
  words?: readonly Value[]
  /** JSON text of an expression that is not null. */
  text(expression: string, spelling: Spelling): Text
  /** From that JSON, in the service's own words. */
  read(json: unknown): Value
  /** PostgreSQL's type of the column. */
  column: string
  /** A value that is not null as a parameter of that type, also within an array. */
  write(value: Value): unknown
}

/** An expression whose text holds nothing to escape, in quotation marks. */
const quoted = (expression: string): Text => [...literal('"'), ...sql(expression), ...literal('"')]
const same = (json: unknown) => json as never

/** An expression for hex, where it stands in a longer text. */
export const hexText = (expression: string) => `'0x' || encode(${expression}, 'hex')`

function hexCodec<Value extends Hex>(type: string): Codec<Value> {
  return {
    type,
    text: (expression) => [...literal('"0x'), ...sql(`encode(${expression}, 'hex')`), ...literal('"')],
    read: same,
    column: 'bytea',
    // As PostgreSQL spells it: in a list of bytes and nulls the client garbles bytes.
    write: (value) => `\\x${value.slice(2)}`,
  }
}

export const address = hexCodec<Address>('Address')
export const bytes32 = hexCodec<Bytes32>('Bytes32')
export const orderUid = hexCodec<OrderUid>('OrderUid')
export const bytes = hexCodec<Hex>('Hex')

/** uint256: a string of digits in JSON. */
export const amount: Codec<bigint> = {
  type: 'Uint256',
  text: (expression) => quoted(`(${expression})::text`),
  read: (json) => BigInt(json as string),
  column: 'numeric',
  write: String,
}

const number = (type: string, column: string): Codec<number> => ({
  type,
  text: (expression) => sql(`(${expression})::text`),
  read: same,
  column,
  write: (value) => (column === 'int8' ? BigInt(value) : value),
})

export const uint32 = number('Uint32', 'int8')
export const safeInt = number('SafeInt', 'int8')
export const smallInt = number('SafeInt', 'int4')
export const count = number('Int', 'int8')

/** A row key: a number in JSON and a bigint in the program. */
export const rowKey: Codec<bigint> = {
  type: 'SafeInt',
  text: (expression) => sql(`(${expression})::text`),
  read: (json) => BigInt(json as number),
  column: 'int8',
  write: (value) => value,
}

/** The same as a string, which clients take for opaque. */
export const rowKeyText: Codec<string> = {
  type: 'ID',
  text: (expression) => quoted(`(${expression})::text`),
  read: same,
  column: 'int8',
  write: (value) => BigInt(value),
}

/** A plain decimal, kept as text. */
export const decimal: Codec<string> = {
  type: 'Decimal',
  text: (expression) => quoted(expression),
  read: same,
  column: 'text',
  write: (value) => value,
}

/** What is kept as the text that clients read. */
export const asText = (type: string): Codec<string> => ({ ...decimal, type })

export const boolean: Codec<boolean> = {
  type: 'Boolean',
  text: (expression) => sql(`CASE WHEN ${expression} THEN 'true' ELSE 'false' END`),
  read: same,
  column: 'bool',
  write: (value) => value,
}

/** Any text: quotes and control characters in it are escaped. */
export const string: Codec<string> = {
  type: 'String',
  text: (expression) => sql(`to_json(${expression})::text`),
  read: same,
  column: 'text',
  write: (value) => value,
}

/** Milliseconds where there are any. */
export const time: Codec<Date> = {
  type: 'DateTime',
  text: (expression) =>
    quoted(
      `replace(to_char(${expression} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '.000Z', 'Z')`,
    ),
  read: (json) => new Date(json as string),
  column: 'timestamptz',
  write: (value) => value,
}

export const json: Codec<unknown> = {
  type: 'JSON',
  text: (expression) => sql(`(${expression})::text`),
  read: same,
  column: 'jsonb',
  write: (value) => JSON.stringify(value),
}

export const screaming = (word: string) => word.replace(/([a-z])([A-Z])/g, '$1_$2').toUpperCase()

/** One of the service's words, as a column has it. */
export function word<const Word extends string>(type: string, words: readonly Word[]): Codec<Word> {
  const isPlain = words.every((item) => screaming(item) === item.toUpperCase())
  const cases = words.map((item) => `WHEN '${item}' THEN '${screaming(item)}'`).join(' ')
  const graph = (expression: string) => (isPlain ? `upper(${expression})` : `CASE ${expression} ${cases} END`)
  return {
    type,
    words,
    text: (expression, spelling) => quoted(spelling === 'graph' ? graph(expression) : expression),
    read: same,
    column: 'text',
    write: (value) => value,
  }
}

/** The same where the expression is spelt already: see `Field.sql`. */
export function spelt<const Word extends string>(type: string, words: readonly Word[]): Codec<Word> {
  return { ...word(type, words), text: (expression) => quoted(expression) }
}
