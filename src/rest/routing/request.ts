import type { z } from 'zod'
import { Refusal } from '../../domain/errors/error.ts'
import { type Address, toAddress } from '../../domain/evm/address.ts'
import { type Bytes32, toHex } from '../../domain/evm/hex.ts'
import { type OrderUid, toOrderUid } from '../../domain/order/order.ts'
import { parseInput } from '../../graphql/input/parse.ts'
import type { RestRequest } from './route.ts'

/** Creates a reader of path and query parameters; its Refusal InvalidParameter names the parameter. */
function createReader<Value>(parse: (text: string) => Value | undefined, expectation: string) {
  return (name: string, text = ''): Value => {
    const value = parse(text)
    if (value !== undefined) return value
    throw new Refusal('InvalidParameter', `${name} must be ${expectation}`, { field: name })
  }
}

export const readUid: (name: string, text?: string) => OrderUid = createReader(
  toOrderUid,
  'an order UID: 56 bytes of hex with 0x in front',
)
export const readAddress: (name: string, text?: string) => Address = createReader(
  toAddress,
  'an address: 20 bytes of hex with 0x in front',
)
export const readHash: (name: string, text?: string) => Bytes32 = createReader(
  (text) => toHex(text, 32),
  '32 bytes of hex with 0x in front',
)

/** Reads `offset` and `limit`. @throws Refusal InvalidParameter if one is not a whole number */
export function readPage(query: RestRequest['query']) {
  return {
    offset: wholeNumber(query, 'offset', 0, Number.MAX_SAFE_INTEGER),
    limit: wholeNumber(query, 'limit', 10, 2 ** 31 - 1),
  }
}

/** Reads a larger number as `max`, which exceeds every limit too. */
function wholeNumber(query: RestRequest['query'], name: string, defaultValue: number, max: number): number {
  const text = query.get(name)
  if (text === null) return defaultValue
  if (/^[0-9]{1,100}$/.test(text)) return Math.min(Number(text), max)
  throw new Refusal('InvalidParameter', `${name} must be a whole number`, { field: name })
}

/** Merges the raw body into the path's input once both are accepted: path first, as in a GraphQL input. */
export function inputWithin<Path extends object, Schema extends z.ZodType<unknown, object>>(
  path: Path,
  schema: Schema,
  body: unknown,
) {
  return { ...checkedInput(schema, body), ...path }
}

/**
 * Returns the raw body once its schema accepts it, so that refusals use REST names. GraphQL parses it again.
 */
export function checkedInput<Schema extends z.ZodType>(schema: Schema, body: unknown): z.input<Schema> {
  parseInput(schema, body)
  return body as z.input<Schema>
}
