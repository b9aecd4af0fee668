import {
  buildClientSchema,
  type GraphQLSchema,
  getIntrospectionQuery,
  type IntrospectionQuery,
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
