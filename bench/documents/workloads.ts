import { createHash } from 'node:crypto'
import { type GraphQLSchema, parse, validate } from 'graphql'
import { shape } from '../database/shape.ts'
import type { Subject } from '../database/subjects.ts'
import { post } from '../load/question.ts'
import { askOnce } from '../load/turn.ts'
import type { Row, Workload } from '../measure.ts'
import type { ServerProcess } from '../servers/process.ts'
import { type BenchDocument, documents, type Matter, toHex } from './documents.ts'
import { readSchema } from './schema.ts'

/** The maximum: too many to be cached, and few enough to request their ids beforehand. */
const maxMatters = 500
const together = 10

/** Derives all subjects from an order's number; see `fill-sql.ts`. */
export function toMatters(orders: readonly Subject[]): Matter[] {
  const chosen = orders.slice(0, maxMatters)
  return chosen.map((subject, index) => {
    const auction = Math.ceil(subject.number / shape.groupSize) * shape.auctions
    const others = Array.from({ length: together }, (_, k) => chosen[(index + k) % chosen.length] ?? subject)
    const transaction = createHash('sha256').update(`tx${auction}`).digest()
    return { ...subject, auction, transaction, uids: others.map(({ uid }) => uid), id: '' }
  })
}

/** Returns every document of each system, the program's first. @throws for an unknown name of a document */
export async function documentWorkloads(
  systems: Readonly<Record<string, ServerProcess>>,
  matters: readonly Matter[],
  only: readonly string[] | undefined,
): Promise<Workload[]> {
  const unknown = only?.filter((wanted) => !documents.some(({ name }) => name === wanted)) ?? []
  if (unknown.length > 0)
    throw new Error(
      `no document ${unknown.join(', ')}: there are ${documents.map(({ name }) => name).join(', ')}`,
    )
  const asked: Asked[] = []
  for (const [system, server] of Object.entries(systems))
    asked.push({
      system,
      server,
      schema: await readSchema(server.port),
      matters: await withIds(server, matters),
    })
  return documents
    .filter(({ name }) => only === undefined || only.includes(name))
    .map((document) => ({ name: document.name, rows: asked.map((each) => rowOf(document, each)) }))
}

interface Asked {
  system: string
  server: ServerProcess
  schema: GraphQLSchema
  matters: ReadonlyMap<number, Matter>
}

/** Reads the orders' ids on a server. */
async function withIds({ port }: ServerProcess, matters: readonly Matter[]): Promise<Map<number, Matter>> {
  const query = 'query($uid: OrderUid!) { order(uid: $uid) { id } }'
  const known = new Map<number, Matter>()
  for (const matter of matters) {
    const variables = { uid: toHex(matter.uid) }
    const { body } = await askOnce(port, post('/graphql', JSON.stringify({ query, variables })))
    const { data } = JSON.parse(body.toString()) as { data?: { order?: { id: string } } }
    if (!data?.order) throw new Error(`no id of an order: ${body.toString('utf8', 0, 300)}`)
    known.set(matter.number, { ...matter, id: data.order.id })
  }
  return known
}

function rowOf(document: BenchDocument, { system, server, schema, matters }: Asked): Row {
  const { text: query, variables, expect } = document
  const [fault] = validate(schema, parse(query))
  return {
    system,
    server,
    skipped: fault && `not in its schema: ${fault.message}`,
    ask({ number }) {
      const matter = matters.get(number)
      if (!matter) throw new Error(`nothing is known of order ${number}`)
      return {
        request: post('/graphql', JSON.stringify({ query, variables: variables?.(matter) })),
        expect: expect?.(matter) ?? toHex(matter.uid),
      }
    },
  }
}
