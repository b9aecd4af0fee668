import {
  buildSchema,
  type GraphQLArgument,
  type GraphQLEnumValue,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
  isUnionType,
} from 'graphql'
import { cell, generated, page, table } from './markdown.ts'

/** docs/reference/schema.md: every type of the SDL with its fields and their descriptions. */
export function schemaPage(sdl: string): string {
  const schema = buildSchema(sdl)
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]
  const all = Object.values(schema.getTypeMap())
    .filter((type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type))
    .filter((type) => !roots.some((root) => root === type))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const section = (title: string, types: readonly (GraphQLNamedType | null | undefined)[]) => [
    `## ${title}`,
    ...types.flatMap((type) => (type ? describe(type) : [])),
  ]
  return page(
    '# GraphQL schema',
    generated,
    'All types of the schema, with the descriptions that introspection shows. The SDL itself is `test/graphql/schema.graphql`. [GraphQL](graphql.md) explains pages, errors, costs and streams; [API compatibility](../api.md) says how the schema changes.',
    ...section('Operations', roots),
    ...section('Types', all.filter(isObjectType)),
    ...section('Interfaces and unions', [...all.filter(isInterfaceType), ...all.filter(isUnionType)]),
    ...section('Inputs', all.filter(isInputObjectType)),
    ...section('Enums', all.filter(isEnumType)),
    '## Scalars',
    table(
      ['scalar', 'meaning'],
      all.filter(isScalarType).map(({ name, description }) => [`\`${name}\``, cell(description ?? '')]),
    ),
  )
}

function describe(type: GraphQLNamedType): string[] {
  const { name, description } = type
  return [`### ${name}`, ...(description ? [description.trim()] : []), ...membersOf(type)]
}

function membersOf(type: GraphQLNamedType): string[] {
  if (isUnionType(type)) return [`One of ${type.getTypes().map(link).join(', ')}.`]
  if (isEnumType(type))
    return [
      table(
        ['value', 'meaning'],
        type.getValues().map((value) => [`\`${value.name}\``, meaning(value)]),
      ),
    ]
  if (isInputObjectType(type))
    return [
      ...(type.isOneOf ? ['Give exactly one of these.'] : []),
      table(
        ['field', 'type', 'meaning'],
        Object.values(type.getFields()).map((field) => memberRow(field)),
      ),
    ]
  if (!isObjectType(type) && !isInterfaceType(type)) return []
  const interfaces = type.getInterfaces()
  return [
    ...(interfaces.length > 0 ? [`Implements ${interfaces.map(link).join(', ')}.`] : []),
    table(['field', 'type', 'meaning'], Object.values(type.getFields()).flatMap(fieldRows)),
  ]
}

/** A field, and below it its arguments. */
function fieldRows(field: GraphQLField<unknown, unknown>): string[][] {
  return [memberRow(field), ...field.args.map((argument) => memberRow(argument, '&nbsp;&nbsp;↳ '))]
}

type Member = GraphQLField<unknown, unknown> | GraphQLArgument | GraphQLInputField

function memberRow(member: Member, prefix = ''): string[] {
  const { name, type } = member
  const standard = 'defaultValue' in member ? member.defaultValue : undefined
  const shown = standard === undefined ? '' : ` = \`${JSON.stringify(standard)}\``
  return [`${prefix}\`${name}\``, `${linkIn(String(type), getNamedType(type))}${shown}`, meaning(member)]
}

function meaning({ description, deprecationReason }: Member | GraphQLEnumValue): string {
  return cell(`${description ?? ''}${deprecationReason ? ` **Deprecated:** ${deprecationReason}` : ''}`)
}

function linkIn(text: string, type: GraphQLNamedType): string {
  return text.replace(type.name, link(type))
}

/** Scalars have no heading of their own. */
function link(type: GraphQLNamedType): string {
  if (isSpecifiedScalarType(type)) return type.name
  return `[${type.name}](#${isScalarType(type) ? 'scalars' : type.name.toLowerCase()})`
}
