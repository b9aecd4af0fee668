import {
  buildASTSchema,
  type DocumentNode,
  type GraphQLSchema,
  Kind,
  lexicographicSortSchema,
  type NameNode,
  parse,
  print,
  printSchema,
  visit,
} from 'graphql'
import { derivedOnce } from '../domain/derived.ts'

/** The fields that gateways may name an entity by, one key of a type each. */
export const entityKeys = {
  Account: ['address', 'id'],
  Auction: ['id'],
  Order: ['uid', 'id'],
  Token: ['address chainId', 'id'],
} as const

/** Types that other subgraphs may define too. */
const sharedTypes = ['PageInfo']

/** Names with one underscore in front are for gateways. */
export const isForGateways = (name: string): boolean => /^_[^_]/.test(name)

/** The SDL for clients, sorted, so that versions can be compared. */
export const clientSdl = derivedOnce((schema: GraphQLSchema): string => {
  const dropped = ({ name }: { name: NameNode }) => (isForGateways(name.value) ? null : undefined)
  const document: DocumentNode = visit(parse(printSchema(lexicographicSortSchema(schema))), {
    ObjectTypeDefinition: dropped,
    UnionTypeDefinition: dropped,
    ScalarTypeDefinition: dropped,
    FieldDefinition: dropped,
  })
  return printSchema(buildASTSchema(document))
})

const link =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable"])'

/** The SDL of the subgraph: that for clients, with the keys of entities. */
export const subgraphSdl = derivedOnce((schema: GraphQLSchema): string => {
  const document: DocumentNode = visit(parse(clientSdl(schema), { noLocation: true }), {
    ObjectTypeDefinition(node) {
      const added = directivesOf(node.name.value)
      return added === ''
        ? undefined
        : { ...node, directives: [...(node.directives ?? []), ...directives(added)] }
    },
  })
  return `${link}\n\n${print(document)}\n`
})

function directivesOf(type: string): string {
  const keys: readonly string[] = Object.hasOwn(entityKeys, type)
    ? entityKeys[type as keyof typeof entityKeys]
    : []
  const named = keys.map((fields) => `@key(fields: "${fields}")`)
  return [...named, ...(sharedTypes.includes(type) ? ['@shareable'] : [])].join(' ')
}

function directives(text: string) {
  const [definition] = parse(`scalar Any ${text}`, { noLocation: true }).definitions
  return definition?.kind === Kind.SCALAR_TYPE_DEFINITION ? (definition.directives ?? []) : []
}
