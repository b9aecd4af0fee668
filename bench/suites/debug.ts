import { createHash } from 'node:crypto'
import { shape } from '../database/shape.ts'
import type { Subject } from '../database/subjects.ts'
import { fitToSchema } from '../documents/older.ts'
import { readSchema } from '../documents/schema.ts'
import { get, post, type Question } from '../load/question.ts'
import { askOnce } from '../load/turn.ts'
import type { ServerProcess } from '../servers/process.ts'
import { type Documents, documents, postgraphileDocuments } from './documents.ts'
import type { Row, Workload } from './workload.ts'

export interface DebugServers {
  program: ServerProcess
  /** Another build of the program, for comparison. */
  other?: ServerProcess | undefined
  oneStatement: ServerProcess
  postgraphile?: ServerProcess | undefined
}

const { name: network, chainId } = shape.network
const hex = (bytes: Buffer) => `0x${bytes.toString('hex')}`

/** Returns reads of an order's history, of one order and of an account, on each system that has them. */
export async function debugWorkloads(servers: DebugServers, collector: Buffer): Promise<Workload[]> {
  const { oneStatement, program, other } = servers
  const texts = new Map<ServerProcess, Documents>()
  for (const server of [program, ...(other ? [other] : [])]) texts.set(server, await readTexts(server))
  const textOf: TextOf = (server, name) => texts.get(server)?.[name] ?? ''
  const ofCollector = { number: 0, uid: collector, owner: collector }
  return [
    {
      name: 'debug',
      title: 'Everything that happened to an order, nested',
      rows: [
        ...builds(servers, 'GraphQL text', (server) => ({
          server,
          ask: asText('debug', textOf(server, 'debug')),
        })),
        ...builds(servers, 'GraphQL persisted', (server) => ({
          server,
          ask: byHash('debug', textOf(server, 'debug')),
          prepare: () => register(server, 'debug', textOf(server, 'debug')),
        })),
        ...postgraphile(servers, 'debug'),
        ...builds(servers, 'REST report', (server) => ({
          server,
          ask: byUid(`/${network}/api/v1/debug/order`),
        })),
        { system: 'one statement', peer: 'one statement', server: oneStatement, ask: byUid('/debug') },
      ],
    },
    {
      name: 'order',
      title: 'order(uid) with 13 fields',
      rows: [
        ...builds(servers, 'GraphQL text', (server) => ({
          server,
          ask: asText('order', textOf(server, 'order')),
        })),
        ...postgraphile(servers, 'order'),
      ],
    },
    {
      name: 'diagnosis',
      title: 'Why an order is not filled, or how it ended',
      rows: builds(servers, 'GraphQL text', (server) => ({
        server,
        ask: asText('diagnosis', textOf(server, 'diagnosis')),
      })),
    },
    {
      name: 'account',
      title: 'Account page: 20 orders with trades and tokens',
      rows: [
        ...builds(servers, 'GraphQL text', (server) => ({
          server,
          ask: asText('account', textOf(server, 'account')),
        })),
        ...postgraphile(servers, 'account'),
      ],
    },
    {
      name: 'account-orders',
      title: 'REST account orders, limit=1000',
      rows: [
        ...builds(servers, 'REST list', (server) => ({
          server,
          ask: () => byOwner((owner) => `/${network}/api/v1/account/${owner}/orders?limit=1000`)(ofCollector),
        })),
        {
          system: 'one statement',
          peer: 'one statement',
          server: oneStatement,
          ask: () => byOwner((owner) => `/orders/${owner}/1000`)(ofCollector),
        },
      ],
    },
  ]
}

type TextOf = (server: ServerProcess, name: keyof Documents) => string

/** Returns the documents for a server's schema. */
async function readTexts({ port }: ServerProcess): Promise<Documents> {
  const schema = await readSchema(port)
  return {
    debug: fitToSchema(documents.debug, schema),
    order: fitToSchema(documents.order, schema),
    diagnosis: fitToSchema(documents.diagnosis, schema),
    account: fitToSchema(documents.account, schema),
  }
}

/** Returns the program's row, and that of the build to compare with. */
function builds(
  { program, other }: DebugServers,
  what: string,
  row: (server: ServerProcess) => Omit<Row, 'system'>,
): Row[] {
  return [
    { ...row(program), system: `tradegraph ${what}` },
    ...(other ? [{ ...row(other), system: `against ${what}` }] : []),
  ]
}

function postgraphile(
  { postgraphile: server }: DebugServers,
  name: keyof typeof postgraphileDocuments,
): Row[] {
  const query = JSON.stringify(postgraphileDocuments[name])
  const base64 = (bytes: Buffer) => bytes.toString('base64')
  const ask = ({ uid, owner }: Subject): Question => {
    const subject = base64(name === 'account' ? owner : uid)
    const variables = `{"chainId":${chainId},"${name === 'account' ? 'owner' : 'uid'}":"${subject}"}`
    return { request: post('/graphql', `{"query":${query},"variables":${variables}}`), expect: subject }
  }
  return server ? [{ system: 'PostGraphile', peer: 'PostGraphile', server, ask }] : []
}

/** Sends the whole text of the document in every request. */
function asText(name: keyof Documents, text: string): Row['ask'] {
  const query = JSON.stringify(text)
  return (subject) => graphql(name, subject, `"query":${query}`)
}

/** Sends only the document's hash, like a client that sent the text before. */
function byHash(name: keyof Documents, text: string): Row['ask'] {
  return (subject) => graphql(name, subject, persisted(text))
}

function persisted(text: string): string {
  const sha256Hash = createHash('sha256').update(text).digest('hex')
  return `"extensions":{"persistedQuery":{"version":1,"sha256Hash":"${sha256Hash}"}}`
}

function graphql(name: keyof Documents, { uid, owner }: Subject, document: string): Question {
  const subject = hex(name === 'account' ? owner : uid)
  const variables = `"variables":{"${name === 'account' ? 'owner' : 'uid'}":"${subject}"}`
  return { request: post('/graphql', `{${document},${variables}}`), expect: subject }
}

/** Sends text and hash once, then only the hash, for an order that does not exist. */
async function register(
  server: ServerProcess,
  name: keyof Documents,
  text: string,
): Promise<string | undefined> {
  const nobody = { number: 0, uid: Buffer.alloc(56), owner: Buffer.alloc(20) }
  const both = `"query":${JSON.stringify(text)},${persisted(text)}`
  await askOnce(server.port, graphql(name, nobody, both).request)
  const { body } = await askOnce(server.port, graphql(name, nobody, persisted(text)).request)
  return body.includes('"data"') ? undefined : 'not supported yet'
}

function byUid(path: string): Row['ask'] {
  return ({ uid }) => ({ request: get(`${path}/${hex(uid)}`), expect: hex(uid) })
}

function byOwner(path: (owner: string) => string): Row['ask'] {
  return ({ owner }) => ({ request: get(path(hex(owner))), expect: hex(owner) })
}
