import type { GraphQLSchema } from 'graphql'
import { shape } from '../database/shape.ts'
import type { Subject } from '../database/subjects.ts'
import { post } from '../load/question.ts'
import type { Options } from '../options.ts'
import type { ServerProcess } from '../servers/process.ts'
import type { DebugServers } from '../suites/debug.ts'
import type { Row, Workload } from '../suites/workload.ts'
import { accountDocuments } from './account-documents.ts'
import type { BenchDocument, Matter, ToText } from './document.ts'
import { listDocuments } from './list-documents.ts'
import { readIds } from './matters.ts'
import { fitToSchema, Unfit } from './older.ts'
import { orderDocuments } from './order-documents.ts'
import { readSchema } from './schema.ts'

export const documents: readonly BenchDocument[] = [...orderDocuments, ...accountDocuments, ...listDocuments]

const toHex: ToText = (bytes) => `0x${bytes.toString('hex')}`
const toBase64: ToText = (bytes) => bytes.toString('base64')
const { chainId } = shape.network

/** Parameters of GraphQL requests to a system. */
interface GraphqlParams {
  system: string
  server: ServerProcess
  textOf: (document: BenchDocument) => string
  toText: ToText
  matters: ReadonlyMap<number, Matter>
}

/**
 * Returns every document of every system, the program's first.
 * @throws for an unknown name of a document
 */
export async function documentWorkloads(
  servers: DebugServers,
  matters: readonly Matter[],
  { only, mirrored }: Pick<Options, 'only' | 'mirrored'>,
): Promise<Workload[]> {
  const { program, other, postgraphile } = servers
  const unknown = only?.filter((wanted) => !documents.some(({ name }) => name === wanted)) ?? []
  if (unknown.length > 0)
    throw new Error(
      `no document ${unknown.join(', ')}: there are ${documents.map(({ name }) => name).join(', ')}`,
    )
  const asked = [
    await askProgram('tradegraph', program, matters),
    ...(other ? [await askProgram(mirrored ? 'mirrored' : 'against', other, matters)] : []),
    ...(postgraphile ? [await askPostgraphile(postgraphile, matters)] : []),
  ]
  return documents
    .filter(({ name }) => only === undefined || only.includes(name))
    .map((document) => ({
      name: document.name,
      title: document.name,
      rows: asked.map((each) => rowOf(document, each)),
    }))
}

async function askProgram(
  system: string,
  server: ServerProcess,
  matters: readonly Matter[],
): Promise<GraphqlParams> {
  const schema: GraphQLSchema = await readSchema(server.port)
  const idOf = (uid: string) =>
    JSON.stringify({ query: 'query($uid: OrderUid!) { order(uid: $uid) { id } }', variables: { uid } })
  return {
    system,
    server,
    textOf: ({ text }) => fitToSchema(text, schema),
    toText: toHex,
    matters: withIds(matters, await readIds(server.port, matters, idOf, toHex)),
  }
}

async function askPostgraphile(server: ServerProcess, matters: readonly Matter[]): Promise<GraphqlParams> {
  const query = `query($chainId: Int!, $uid: Base64EncodedBinary!) {
    order: orderByChainIdAndUid(chainId: $chainId, uid: $uid) { id } }`
  const idOf = (uid: string) => JSON.stringify({ query, variables: { chainId, uid } })
  return {
    system: 'PostGraphile',
    server,
    textOf: ({ postgraphile }) => postgraphile,
    toText: toBase64,
    matters: withIds(matters, await readIds(server.port, matters, idOf, toBase64)),
  }
}

function withIds(matters: readonly Matter[], ids: ReadonlyMap<number, string>): Map<number, Matter> {
  return new Map(matters.map((matter) => [matter.number, { ...matter, id: ids.get(matter.number) ?? '' }]))
}

function rowOf(document: BenchDocument, { system, server, textOf, toText, matters }: GraphqlParams): Row {
  const peer = system === 'PostGraphile' ? ('PostGraphile' as const) : undefined
  const row = { system, server, ...(peer && { peer }) }
  let text: string
  try {
    text = textOf(document)
  } catch (error) {
    if (!(error instanceof Unfit)) throw error
    const reason = `not in its schema: ${error.message}`
    return { ...row, ask: () => ({ request: '', expect: '' }), prepare: async () => reason }
  }
  const shared = text.includes('$chainId') ? { chainId } : {}
  const ask = ({ number }: Subject) => {
    const matter = matters.get(number)
    if (!matter) throw new Error(`nothing is known of order ${number}`)
    const variables = { ...shared, ...document.variables?.(matter, toText) }
    const expect = document.expect?.(matter, toText) ?? toText(matter.uid)
    return { request: post('/graphql', JSON.stringify({ query: text, variables })), expect }
  }
  return { ...row, ask }
}
