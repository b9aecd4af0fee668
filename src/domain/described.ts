import type { Address } from './evm/address.ts'
import type { Bytes32, Hex } from './evm/hex.ts'
import type { Clock } from './log.ts'
import type { OrderUid } from './order/order.ts'

/**
 * A computed type, described once. Its TypeScript type is `ValueOf`, `graphql/described.ts` adds its GraphQL
 * type, and `rest/openapi/selected.ts` derives the schemas of REST from that.
 */
export interface Described<Fields extends DescribedFields = DescribedFields> {
  /** The name in GraphQL. */
  name: string
  description: string
  fields: Fields
}

export type DescribedFields = Readonly<Record<string, DescribedField>>

export interface DescribedField<Value = unknown, Key extends string = string> {
  /** A scalar or an enum of GraphQL by its name, or the type of an object. `Token` takes an address. */
  type: string | Described
  description: string
  nullable?: true
  isList?: true
  /** The usual length of a list of objects, for the cost of a query. */
  items?: number
  /** The member of the value, if its name is not that of the field. */
  key?: Key
  /** Converts the value for clients. */
  write?: (value: never) => unknown
  /** Derives the field from the whole value, which has no member for it. */
  derive?: (value: never, now: Clock) => unknown
  /** Carries the type of the value; never set. */
  readonly value?: Value
}

/** The TypeScript type of a described type. */
export type ValueOf<Type extends Described> = {
  [Name in keyof Type['fields'] as KeyOf<Type['fields'][Name], Name>]: Exclude<
    Type['fields'][Name]['value'],
    undefined
  >
}

type KeyOf<Field, Name> = Field extends { derive: unknown }
  ? never
  : Field extends { key: infer Key extends string }
    ? Key
    : Name

export function described<const Fields extends DescribedFields>(
  name: string,
  description: string,
  fields: Fields,
): Described<Fields> {
  return { name, description, fields }
}

/** Describes fields of one type: with a value, with one or null, or with a list. */
interface Kind<Value> {
  (description: string): DescribedField<Value>
  orNull(description: string): DescribedField<Value | null>
  list(description: string, items?: number): DescribedField<readonly Value[]>
  listOrNull(description: string): DescribedField<readonly Value[] | null>
}

function kind<Value>(type: DescribedField['type'], write?: (value: Value) => unknown): Kind<Value> {
  const field = (description: string) => ({ type, description, ...(write && { write }) })
  return Object.assign(field, {
    orNull: (description: string) => ({ ...field(description), nullable: true as const }),
    list: (description: string, items?: number) => ({
      ...field(description),
      isList: true as const,
      ...(items !== undefined && { items }),
    }),
    listOrNull: (description: string) => ({
      ...field(description),
      isList: true as const,
      nullable: true as const,
    }),
  })
}

export const address = kind<Address>('Address')
/** A token by its address. The value, or one that it is in, names the chain as `chainId`. */
export const token = kind<Address>('Token')
export const bytes32 = kind<Bytes32>('Bytes32')
export const hex = kind<Hex>('Hex')
export const orderUid = kind<OrderUid>('OrderUid')
export const uint256 = kind<bigint>('Uint256')
/** A whole number as text. */
export const digits = kind<bigint>('String', String)
export const decimal = kind<string>('Decimal')
export const safeInt = kind<number>('SafeInt')
/** A number that the database counts, such as that of an auction. */
export const serial = kind<bigint>('SafeInt')
export const uint32 = kind<number>('Uint32')
export const int = kind<number>('Int')
export const basisPoints = kind<number>('BasisPoints')
export const dateTime = kind<Date>('DateTime')
/** A time in milliseconds since 1970. */
export const instant = kind<number>('DateTime', (milliseconds) => new Date(milliseconds))
export const json = kind<unknown>('JSON')
export const id = kind<string>('ID')
export const text = kind<string>('String')
export const flag = kind<boolean>('Boolean')

/** A decimal for clients that is another value inside. */
export const decimalOf = <Value>(write: (value: Value) => string) => kind<Value>('Decimal', write)

/** A member of an enum. @param name the name of the enum in GraphQL */
export const oneOf = <Value extends string>(name: string) => kind<Value>(name)

/** An object of a described type, which may have more members than are described. */
export const objectOf = <Type extends Described, Value extends ValueOf<Type> = ValueOf<Type>>(type: Type) =>
  kind<Value>(type)

/** Reads a field from a member with another name. */
export function from<const Key extends string, Field extends DescribedField>(
  key: Key,
  field: Field,
): Field & { key: Key } {
  return { ...field, key }
}

/** Derives a field from the other members. */
export function derived<Value, Field extends DescribedField>(
  field: Field,
  derive: (value: Value, now: Clock) => Exclude<Field['value'], undefined>,
): Field & { derive: (value: never, now: Clock) => unknown } {
  return { ...field, derive }
}
