import type { Address } from '../../domain/evm/address.ts'
import type { Bytes32, Hex } from '../../domain/evm/hex.ts'
import type { OrderUid } from '../../domain/order/order.ts'
import { screaming } from '../../domain/text/spelling.ts'
import { literal, sqlExpression, type Text } from './sql-text.ts'

/**
 * Enum values as GraphQL spells them (`PRICE_IMPROVEMENT`), or as columns and REST do (`priceImprovement`).
 */
export type Spelling = 'graphql' | 'stored'

/** A type of value: in PostgreSQL, in JSON, in the program, and its name in GraphQL. */
export interface Codec<Value> {
  /** GraphQL's scalar or enum. */
  type: string
  /** All values of an enum. */
  values?: readonly Value[]
  /** JSON text of a non-null expression. */
  text(expression: string, spelling: Spelling): Text
  /** The value of that JSON, enums spelled as stored. */
  read(json: unknown): Value
  /** PostgreSQL's type of the column. */
  column: string
  /** A non-null value as a parameter of that type, also within an array. */
  write(value: Value): unknown
}

/** An expression whose text needs no escaping, in quotation marks. */
const quoted = (expression: string): Text => [...literal('"'), ...sqlExpression(expression), ...literal('"')]
const unchanged = <Value>(json: unknown) => json as Value

/** An SQL expression for hex, for use in a longer text. */
export const hexText = (expression: string) => `'0x' || encode(${expression}, 'hex')`

function hexCodec<Value extends Hex>(type: string): Codec<Value> {
  return {
    type,
    text: (expression) => [
      ...literal('"0x'),
      ...sqlExpression(`encode(${expression}, 'hex')`),
      ...literal('"'),
    ],
    read: unchanged,
    column: 'bytea',
    // PostgreSQL's hex format: node-postgres garbles bytes in a list of bytes and nulls.
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

/** A whole number that can be negative: a string of digits in JSON. */
export const signedAmount: Codec<bigint> = { ...amount, type: 'Decimal' }

const number = (type: string, column: string): Codec<number> => ({
  type,
  text: (expression) => sqlExpression(`(${expression})::text`),
  read: unchanged,
  column,
  write: (value) => (column === 'int8' ? BigInt(value) : value),
})

export const uint32 = number('Uint32', 'int8')
export const safeInt = number('SafeInt', 'int8')
export const smallInt = number('SafeInt', 'int4')

/** A row key: a number in JSON and a bigint in the program. */
export const rowKey: Codec<bigint> = {
  type: 'SafeInt',
  text: (expression) => sqlExpression(`(${expression})::text`),
  read: (json) => BigInt(json as number),
  column: 'int8',
  write: (value) => value,
}

/** A row key that may be beyond the safe integers, in rows that the program reads. */
export const wideKey: Codec<bigint> = {
  ...rowKey,
  text: (expression) => quoted(`(${expression})::text`),
  read: (json) => BigInt(json as string),
}

/** A row key as a string, opaque to clients. */
export const rowKeyText: Codec<string> = {
  type: 'ID',
  text: (expression) => quoted(`(${expression})::text`),
  read: unchanged,
  column: 'int8',
  write: (value) => BigInt(value),
}

/** A plain decimal, stored as text. */
export const decimal: Codec<string> = {
  type: 'Decimal',
  text: (expression) => quoted(expression),
  read: unchanged,
  column: 'text',
  write: (value) => value,
}

/** A scalar that is stored as the text that clients read. */
export const asText = (type: string): Codec<string> => ({ ...decimal, type })

export const boolean: Codec<boolean> = {
  type: 'Boolean',
  text: (expression) => sqlExpression(`CASE WHEN ${expression} THEN 'true' ELSE 'false' END`),
  read: unchanged,
  column: 'bool',
  write: (value) => value,
}

/** Any text: quotes and control characters in it are escaped. */
export const string: Codec<string> = {
  type: 'String',
  text: (expression) => sqlExpression(`to_json(${expression})::text`),
  read: unchanged,
  column: 'text',
  write: (value) => value,
}

/** RFC 3339 in UTC; milliseconds only if there are any. */
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
  text: (expression) => sqlExpression(`(${expression})::text`),
  read: unchanged,
  column: 'jsonb',
  write: (value) => JSON.stringify(value),
}

/** An enum whose column has the value as stored, which may be one of a later version. */
export function enumOf<const Value extends string>(type: string, values: readonly Value[]): Codec<Value> {
  const isPlain = values.every((value) => screaming(value) === value.toUpperCase())
  const cases = values.map((value) => `WHEN '${value}' THEN '${screaming(value)}'`).join(' ')
  const graphql = (expression: string) =>
    isPlain ? `upper(${expression})` : `CASE ${expression} ${cases} ELSE upper(${expression}) END`
  return {
    type,
    values,
    text: (expression, spelling) => quoted(spelling === 'graphql' ? graphql(expression) : expression),
    read: unchanged,
    column: 'text',
    write: (value) => value,
  }
}

/** An enum whose expression already has the requested spelling: see `Field.sql`. */
export function spelledEnumOf<const Value extends string>(
  type: string,
  values: readonly Value[],
): Codec<Value> {
  return { ...enumOf(type, values), text: (expression) => quoted(expression) }
}
