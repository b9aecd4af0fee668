import {
  buildClientSchema,
  type GraphQLSchema,
  getIntrospectionQuery,
  getNamedType,
  type IntrospectionQuery,
  isObjectType,
} from 'graphql'
import { post } from '../load/question.ts'
import { askOnce } from '../load/turn.ts'

/** Reads the schema of a server, by introspection. */
export async function readSchema(port: number): Promise<GraphQLSchema> {
  const query = JSON.stringify({ query: getIntrospectionQuery({ descriptions: false }) })
  const { status, body } = await askOnce(port, post('/graphql', query))
  const answer = JSON.parse(body.toString()) as { data?: IntrospectionQuery }
  if (!answer.data) throw new Error(`no schema: ${status} ${body.toString('utf8', 0, 300)}`)
  return buildClientSchema(answer.data)
}

/** Reports whether a field is a connection: an object with nodes, in place of an older schema's list. */
export function isConnection(schema: GraphQLSchema, type: string, field: string): boolean {
  const parent = schema.getType(type)
  const result = isObjectType(parent) ? parent.getFields()[field] : undefined
  const named = result && getNamedType(result.type)
  return isObjectType(named) && 'nodes' in named.getFields()
}
