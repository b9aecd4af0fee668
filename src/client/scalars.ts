import type { ScalarName } from './documents.generated.ts'

/** A string of decimal digits: an amount in atoms. A client with `scalars: 'native'` has it as a bigint. */
export type Uint256 = string & { readonly __scalar?: 'Uint256' }

/** An RFC 3339 time in UTC. A client with `scalars: 'native'` has it as a Date. */
export type DateTime = string & { readonly __scalar?: 'DateTime' }

/** Conversions from JSON. Each scalar of the schema has a row; undefined keeps the JSON form. */
export const conversions = {
  Address: undefined,
  AppDataDocument: undefined,
  BasisPoints: undefined,
  Bytes32: undefined,
  DateTime: (time: string) => new Date(time),
  // A decimal has more digits than a number.
  Decimal: undefined,
  Hex: undefined,
  JSON: undefined,
  Milliseconds: undefined,
  NetworkName: undefined,
  OrderUid: undefined,
  SafeInt: undefined,
  TokenAddress: undefined,
  Uint256: (digits: string) => BigInt(digits),
  Uint32: undefined,
} satisfies Record<ScalarName, ((json: string) => unknown) | undefined>

/** A scalar whose native form is not its JSON form. */
type ConvertedScalar = {
  [Name in ScalarName]: (typeof conversions)[Name] extends undefined ? never : Name
}[ScalarName]

/** The converted scalars of a result, by response key. */
export interface ScalarTree {
  readonly [key: string]: ConvertedScalar | ScalarTree
}

/** The form of scalars in results: as in JSON, or as bigint and Date. */
export type ScalarForm = 'wire' | 'native'

type NativeOf<Name extends ConvertedScalar> = ReturnType<(typeof conversions)[Name]>
type NameOf<Value> = Value extends { readonly __scalar?: infer Name } ? NonNullable<Name> : never

/** A result with native scalars. */
export type Native<Value> = Value extends string
  ? '__scalar' extends keyof Value
    ? NativeOf<Extract<NameOf<Value>, ConvertedScalar>>
    : Value
  : Value extends object
    ? NativeMembers<Value>
    : Value

/** The members of an object with native scalars. It has a name of its own, so that errors name the object. */
type NativeMembers<Value> = { [Key in keyof Value]: Native<Value[Key]> }

/** A result in the form of its client. */
export type InForm<Form extends ScalarForm, Value> = Form extends 'native' ? Native<Value> : Value

/** Variables: they may be bigint and Date for the scalars that have them, in each form of results. */
export type Input<Value> = Value extends string
  ? '__scalar' extends keyof Value
    ? Value | NativeOf<Extract<NameOf<Value>, ConvertedScalar>>
    : Value
  : Value extends object
    ? { [Key in keyof Value]: Input<Value[Key]> }
    : Value

/** Converts the scalars of a result. Lists have the tree of their items. */
export function toNative(value: unknown, tree: ConvertedScalar | ScalarTree): unknown {
  if (value === null || value === undefined) return value
  if (Array.isArray(value)) return value.map((item) => toNative(item, tree))
  if (typeof tree === 'string') return conversions[tree](value as string)
  const object = { ...(value as Record<string, unknown>) }
  for (const [key, below] of Object.entries(tree))
    if (key in object) object[key] = toNative(object[key], below)
  return object
}

/** JSON of variables, with bigints as digits. Dates write themselves. */
export const toJson = (value: unknown): string =>
  JSON.stringify(value, (_, item) => (typeof item === 'bigint' ? item.toString() : item))
