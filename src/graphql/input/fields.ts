import type { InputRef } from '@pothos/core'
import { z } from 'zod'
import { parseAmount } from '../../domain/amount.ts'
import type { RefusalCode } from '../../domain/errors/refusal-codes.ts'
import { toAddress } from '../../domain/evm/address.ts'
import { type Bytes32, toHex } from '../../domain/evm/hex.ts'
import { toOrderUid } from '../../domain/order/uid.ts'
import { graphTypes } from './graph-types.ts'

/** Readers of single fields, from raw JSON to the domain. Messages follow the field's name: `sellToken must be …`. */
function must(expectation: string) {
  return {
    error: ({ input }: { input?: unknown }) =>
      input === undefined ? 'is required' : `must be ${expectation}`,
  }
}

/** A field whose type in the graph is that scalar. */
export function scalarField<Schema extends z.ZodType>(scalar: string, schema: Schema): Schema {
  graphTypes.add(schema, { type: scalar })
  return schema
}

/** `pattern` tells readers of the interface's document what `parse` takes. */
function text<T>(
  scalar: string,
  parse: (text: string) => T | undefined,
  expectation: string,
  pattern: RegExp,
) {
  const schema = z
    .string(must(expectation))
    .transform((value, context) => {
      const parsed = parse(value)
      if (parsed !== undefined) return parsed
      context.addIssue({ code: 'custom', message: `must be ${expectation}` })
      return z.NEVER
    })
    .meta({ pattern: pattern.source })
  return scalarField(scalar, schema)
}

export const addressField = text(
  'Address',
  toAddress,
  'an address: 20 bytes of hex',
  /^(0[xX])?[0-9a-fA-F]{40}$/,
)
export const orderUidField = text(
  'OrderUid',
  toOrderUid,
  'an order UID: 56 bytes of hex',
  /^(0[xX])?[0-9a-fA-F]{112}$/,
)
export const bytes32Field = text<Bytes32>(
  'Bytes32',
  (hex) => toHex(hex, 32),
  '32 bytes of hex',
  /^(0[xX])?[0-9a-fA-F]{64}$/,
)

/** Any bytes, with 0x in front. */
export const hexField = text(
  'Hex',
  (hex) => (hex.startsWith('0x') ? toHex(hex) : undefined),
  'bytes of hex with 0x in front',
  /^0x([0-9a-fA-F]{2})*$/,
)

export const textField = scalarField('String', z.string(must('a string')))
/** A document's hash: whoever reads the document reads it too. */
export const appDataHashField = scalarField('Bytes32', z.string(must('a string')))
export const flagField = scalarField('Boolean', z.boolean(must('true or false')))
export const uint32Field = wholeNumber('Uint32', 2 ** 32 - 1, 'a whole number from 0 to 4294967295')
export const safeIntField = wholeNumber(
  'SafeInt',
  Number.MAX_SAFE_INTEGER,
  'a whole number from 0 to 2^53 − 1',
)

export const onlyNetwork = 'May be left out where there is only one.'

/** Which network a request is for, in the graph; REST has it in the path. */
export function networkField(description: string) {
  return scalarField('NetworkName', z.string(must('a network by name or chain id')))
    .nullish()
    .meta({ description: `A network by name or chain id, such as sepolia. ${description}` })
}

function wholeNumber(scalar: string, highest: number, expectation: string) {
  const schema = z
    .number(must(expectation))
    .int(must(expectation))
    .min(0, must(expectation))
    .max(highest, must(expectation))
  return scalarField(scalar, schema)
}

/** What an amount is read from is judged by `parseAmount` alone: what it takes is text. */
const amountText = z.unknown() as z.ZodType<string, string>

/** Digits over uint256 are refused with `overflow`, everything else that is no amount with InvalidParameter. */
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

/** A word of the interface, which is a member of an enum in the graph; not every member has to be good. */
export function wordField<const Word extends string>(type: InputRef<unknown>, words: readonly Word[]) {
  const schema = z.enum(words, must(`one of ${words.join(', ')}`))
  graphTypes.add(schema, { type })
  return schema
}

/** For what is no object at all. */
export const objectExpected = { error: 'a JSON object is expected' }
