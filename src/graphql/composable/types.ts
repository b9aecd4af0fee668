import {
  GraphQLBoolean,
  GraphQLEnumType,
  type GraphQLFieldConfig,
  GraphQLFloat,
  type GraphQLInputFieldConfigMap,
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLScalarType,
  GraphQLString,
  Kind,
} from 'graphql'
import { type EnumName, enums, type List, type ListField } from '../../storage/composable/lists.ts'
import { type ListRow, operatorsOf } from '../../storage/composable/read.ts'
import type { Context } from '../context/context.ts'

/** Types of the schema that derive from the description of its lists. */

export type Field = GraphQLFieldConfig<ListRow, Context>

const digits = /^-?[0-9]{1,80}$/

function toDigits(value: unknown): string {
  const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value
  if (typeof text !== 'string' || !digits.test(text)) throw new TypeError('must be an integer as digits')
  return text
}

export const BigIntScalar = new GraphQLScalarType<string, string>({
  name: 'BigInt',
  description: 'An integer of any size, as text.',
  serialize: String,
  parseValue: toDigits,
  parseLiteral: (node) =>
    toDigits(node.kind === Kind.INT || node.kind === Kind.STRING ? node.value : undefined),
})

export const JsonScalar = new GraphQLScalarType({ name: 'JSON', description: 'A JSON value of any form.' })

const enumTypes = Object.fromEntries(
  Object.entries(enums).map(([name, values]) => [
    name,
    new GraphQLEnumType({
      name,
      values: Object.fromEntries(values.map((value) => [value, {}])),
    }),
  ]),
) as Record<EnumName, GraphQLEnumType>

const typeOf = (field: ListField) => {
  if (field.enum) return enumTypes[field.enum]
  if (field.kind === 'int') return GraphQLInt
  return field.kind === 'bigint' ? BigIntScalar : GraphQLString
}

export const required = (type: GraphQLOutputType) => new GraphQLNonNull(type as typeof GraphQLString)

/** The fields of a row that are columns. */
export function columnsOf(
  list: List,
  { without = [], nullable = [] }: Partial<Record<'without' | 'nullable', string[]>>,
) {
  return Object.fromEntries(
    Object.entries(list.fields)
      .filter(([name, { isPlain }]) => !isPlain && !without.includes(name))
      .map(([name, field]): [string, Field] => {
        // Ends reach beyond the 31 bits of an Int.
        const type = name === 'validTo' ? GraphQLFloat : typeOf(field)
        return [name, { type: field.isNullable || nullable.includes(name) ? type : required(type) }]
      }),
  )
}

export function filterOf(name: string, list: List, names = Object.keys(list.fields)): GraphQLInputObjectType {
  const type: GraphQLInputObjectType = new GraphQLInputObjectType({
    name: `${name}Filter`,
    fields: () => ({
      AND: { type: new GraphQLList(new GraphQLNonNull(type)) },
      OR: { type: new GraphQLList(new GraphQLNonNull(type)) },
      ...filtersOf(list, names),
    }),
  })
  return type
}

function filtersOf(list: List, names: readonly string[]): GraphQLInputFieldConfigMap {
  const members = names.flatMap((name) => {
    const field = list.fields[name]
    if (!field || field.isPlain) return []
    return operatorsOf(field).map(([suffix, isList]): [string, { type: GraphQLInputType }] => [
      `${name}${suffix}`,
      { type: isList ? new GraphQLList(typeOf(field)) : typeOf(field) },
    ])
  })
  return Object.fromEntries(members)
}

const PageInfo = new GraphQLObjectType({
  name: 'PageInfo',
  fields: {
    hasNextPage: { type: new GraphQLNonNull(GraphQLBoolean) },
    hasPreviousPage: { type: new GraphQLNonNull(GraphQLBoolean) },
    startCursor: { type: GraphQLString },
    endCursor: { type: GraphQLString },
  },
})

/** Views have no cursors. */
export const ViewPageInfo = new GraphQLObjectType({
  name: 'ViewPageInfo',
  fields: {
    hasNextPage: { type: new GraphQLNonNull(GraphQLBoolean) },
    hasPreviousPage: { type: new GraphQLNonNull(GraphQLBoolean) },
  },
})

export const pageType = (
  item: GraphQLObjectType,
  pageInfo = PageInfo,
  count: GraphQLScalarType = GraphQLInt,
) =>
  new GraphQLObjectType({
    name: `${item.name}Page`,
    fields: {
      items: { type: required(new GraphQLList(new GraphQLNonNull(item))) },
      pageInfo: { type: new GraphQLNonNull(pageInfo) },
      totalCount: { type: new GraphQLNonNull(count) },
    },
  })
