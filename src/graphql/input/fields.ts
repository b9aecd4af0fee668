import type { InputRef } from '@pothos/core'
import { z } from 'zod'
import { parseAmount } from '../../domain/amount.ts'
import type { RefusalCode } from '../../domain/errors/refusal-codes.ts'
import { toAddress } from '../../domain/evm/address.ts'
import { type Bytes32, toHex } from '../../domain/evm/hex.ts'
import { toOrderUid } from '../../domain/order/order.ts'
import { parseTokenAddress } from '../../domain/token/token.ts'

/**
 * The GraphQL type of a zod schema: a scalar by its name, or the builder's ref of an enum or an input object.
 * Kept out of the schema's `meta`, which OpenAPI shows.
 */
export const graphqlTypes = z.registry<{ type: string | InputRef<unknown> }>()

/** Schemas of inputs by the names of their GraphQL types. */
export const inputSchemas = new Map<string, z.ZodType>()

interface GraphqlType {
  type: string | InputRef<unknown>
  isList: boolean
  required: boolean
}

/** @throws TypeError for a schema that no GraphQL type is registered for */
export function graphqlTypeOf(schema: z.core.$ZodType): GraphqlType {
  const registered = graphqlTypes.get(schema as z.ZodType)
  if (registered) return { ...registered, isList: false, required: true }
  const { def } = (schema as z.ZodType)._zod as z.ZodType['_zod'] & { def: Definition }
  if (def.type === 'array' && def.element) return { ...graphqlTypeOf(def.element), isList: true }
  if (def.type === 'pipe' && def.in) return graphqlTypeOf(def.in)
  if ((def.type === 'optional' || def.type === 'nullable') && def.innerType)
    return { ...graphqlTypeOf(def.innerType), required: false }
  throw new TypeError(`no GraphQL type is registered for a ${def.type}`)
}

interface Definition {
  type: string
  element?: z.core.$ZodType
  in?: z.core.$ZodType
  innerType?: z.core.$ZodType
}

/** Member schemas of an object, also of one that is transformed after parsing. */
export function membersOf(schema: z.core.$ZodType): Record<string, z.ZodType> {
  const { def } = schema._zod as unknown as { def: Definition & { shape?: Record<string, z.ZodType> } }
  if (def.type === 'pipe' && def.in) return membersOf(def.in)
  if (def.shape) return def.shape
  throw new TypeError(`an input is made of an object, not of a ${def.type}`)
}

/** Zod messages without the field's name, which `parse.ts` puts in front: `sellToken must be …`. */
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

/** A duration of any size, which its user limits. JSON numbers beyond a double are read as Infinity. */
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
export function networkField(description: string = onlyNetwork) {
  return scalarField('NetworkName', z.string(messages('a network by name or chain id')))
    .nullish()
    .meta({ description: `A network by name or chain id, such as sepolia. ${description}` })
}

export function wholeNumberField(scalar: string, highest: number, expectation: string) {
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

/** The member that is set, and its value. */
type ChosenMember<Members extends z.ZodRawShape> = {
  [Member in keyof Members & string]: { member: Member; value: NonNullable<z.output<Members[Member]>> }
}[keyof Members & string]

/**
 * An object with exactly one member set, like `@oneOf` in GraphQL. The schemas of `members` must be nullish.
 */
export function oneOf<Members extends Record<string, z.ZodType>>(members: Members) {
  const names = Object.keys(members)
  return z.object(members, objectExpected).transform((parsed, context) => {
    const values = parsed as Record<string, unknown>
    const [member, second] = names.filter((name) => values[name] != null)
    if (member !== undefined && second === undefined)
      return { member, value: values[member] } as ChosenMember<Members>
    context.addIssue({ code: 'custom', message: `must have exactly one of ${names.join(', ')}` })
    return z.NEVER
  })
}

/** Orders that one request may name. */
export const maxNamedOrders = 128

/** A bare list of UIDs. */
export const orderUidsInput = z
  .array(orderUidField, { error: 'a JSON list of UIDs is expected' })
  .max(maxNamedOrders, `at most ${maxNamedOrders} orders can be named`)

/** Tokens that one request for details may name. */
const maxDetailTokens = 100

/** A token as REST routes of token data name it. */
export const tokenAddressField = z
  .string({ error: ({ input }) => (input === undefined ? 'is required' : 'must be a string') })
  .transform((text, context) => {
    const parsed = parseTokenAddress(text)
    if ('address' in parsed) return parsed.address
    context.addIssue({ code: 'custom', message: parsed.fault })
    return z.NEVER
  })
  .meta({ pattern: '^(-|0x[0-9a-fA-F]{40})$' })

export const tokenDetailsInput = z.object(
  {
    tokenAddresses: z
      .array(tokenAddressField, {
        error: ({ input }) => (input === undefined ? 'is required' : 'must be a list of addresses'),
      })
      .min(1, 'must name a token')
      .max(maxDetailTokens, `must name at most ${maxDetailTokens} tokens`)
      .meta({ description: 'Their contracts; `-` is the chain’s own coin.' }),
  },
  objectExpected,
)
