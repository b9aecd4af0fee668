import type { InputRef } from '@pothos/core'
import { z } from 'zod'
import { parseAmount } from '../../domain/amount.ts'
import type { RefusalCode } from '../../domain/errors/refusal-codes.ts'
import { toAddress } from '../../domain/evm/address.ts'
import { type Bytes32, toHex } from '../../domain/evm/hex.ts'
import { toOrderUid } from '../../domain/order/uid.ts'
import { graphqlTypes } from './graph-types.ts'

/** Zod messages without the field's name, which `errors/input.ts` puts in front: `sellToken must be …`. */
function messages(expectation: string) {
  return {
    error: ({ input }: { input?: unknown }) =>
      input === undefined ? 'is required' : `must be ${expectation}`,
  }
}

/** Registers the GraphQL scalar of a field's schema. */
export function scalarField<Schema extends z.ZodType>(scalar: string, schema: Schema): Schema {
  graphqlTypes.add(schema, { type: scalar })
  return schema
}

/** @param pattern of the texts that `parse` accepts, for the OpenAPI document */
function parsedTextField<T>(
  scalar: string,
  parse: (text: string) => T | undefined,
  expectation: string,
  pattern: RegExp,
) {
  const schema = z
    .string(messages(expectation))
    .transform((value, context) => {
      const parsed = parse(value)
      if (parsed !== undefined) return parsed
      context.addIssue({ code: 'custom', message: `must be ${expectation}` })
      return z.NEVER
    })
    .meta({ pattern: pattern.source })
  return scalarField(scalar, schema)
}

export const addressField = parsedTextField(
  'Address',
  toAddress,
  'an address: 20 bytes of hex with 0x in front',
  /^0x[0-9a-fA-F]{40}$/,
)
export const orderUidField = parsedTextField(
  'OrderUid',
  toOrderUid,
  'an order UID: 56 bytes of hex with 0x in front',
  /^0x[0-9a-fA-F]{112}$/,
)
export const bytes32Field = parsedTextField<Bytes32>(
  'Bytes32',
  (hex) => toHex(hex, 32),
  '32 bytes of hex with 0x in front',
  /^0x[0-9a-fA-F]{64}$/,
)

/** Any bytes, with 0x in front. */
export const hexField = parsedTextField(
  'Hex',
  (hex) => toHex(hex),
  'bytes of hex with 0x in front',
  /^0x([0-9a-fA-F]{2})*$/,
)

export const textField = scalarField('String', z.string(messages('a string')))
/** A document's hash as text: `toAppDataInput` parses it together with the document. */
export const appDataHashField = scalarField('Bytes32', z.string(messages('a string')))
export const flagField = scalarField('Boolean', z.boolean(messages('true or false')))
export const uint32Field = wholeNumberField('Uint32', 2 ** 32 - 1, 'a whole number from 0 to 4294967295')
export const safeIntField = wholeNumberField(
  'SafeInt',
  Number.MAX_SAFE_INTEGER,
  'a whole number from 0 to 2^53 − 1',
)

/** A duration of any size, which its user limits. JSON has no largest number: one that no double holds is read as Infinity. */
export const millisecondsField = scalarField(
  'Milliseconds',
  z.unknown().transform((value, context): number => {
    if (isDuration(value)) return value
    context.addIssue({ code: 'custom', message: 'must be a whole number of milliseconds' })
    return z.NEVER
  }) as z.ZodType<number, number>,
).meta({ type: 'integer', minimum: 0 })

export function isDuration(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && (Number.isInteger(value) || value === Infinity)
}

export const onlyNetwork = 'May be left out where there is only one.'

/** The network of a GraphQL request; REST has it in the path. */
export function networkField(description: string) {
  return scalarField('NetworkName', z.string(messages('a network by name or chain id')))
    .nullish()
    .meta({ description: `A network by name or chain id, such as sepolia. ${description}` })
}

function wholeNumberField(scalar: string, highest: number, expectation: string) {
  const schema = z
    .number(messages(expectation))
    .int(messages(expectation))
    .min(0, messages(expectation))
    .max(highest, messages(expectation))
  return scalarField(scalar, schema)
}

/** Any value, because `parseAmount` alone checks it; typed as what it accepts. */
const amountText = z.unknown() as z.ZodType<string, string>

/** Refuses digits above uint256 with the code `overflow`, and all other non-amounts with InvalidParameter. */
export function amountField(overflow: RefusalCode = 'InvalidParameter') {
  const schema = amountText
    .transform((value, context) => {
      const parsed = parseAmount(value)
      if ('amount' in parsed) return parsed.amount
      context.addIssue(
        parsed.fault === 'overflow'
          ? { code: 'custom', message: 'exceeds uint256', params: { code: overflow } }
          : {
              code: 'custom',
              message: value === undefined ? 'is required' : 'must be a string of at most 100 decimal digits',
            },
      )
      return z.NEVER
    })
    .meta({ type: 'string', pattern: '^[0-9]{1,100}$' })
  return scalarField('Uint256', schema)
}

/** @param values of the GraphQL enum that the field accepts; may be a part of them */
export function enumField<const Value extends string>(type: InputRef<unknown>, values: readonly Value[]) {
  const schema = z.enum(values, messages(`one of ${values.join(', ')}`))
  graphqlTypes.add(schema, { type })
  return schema
}

/** The message for a value that is not an object. */
export const objectExpected = { error: 'a JSON object is expected' }
