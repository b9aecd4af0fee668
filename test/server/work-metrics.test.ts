import { createHash } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createNode } from '../../src/chain/rpc/nodes.ts'
import { createMetrics } from '../../src/server/metrics.ts'
import { statementName } from '../../src/storage/database/connections/statement-name.ts'
import { silentLog } from '../fakes/silent-log.ts'
import { ask } from '../http/client.ts'
import { eventually } from '../setup/eventually.ts'
import { startWorld, type World } from '../setup/world.ts'

const key = 'metrics-key-of-the-tests'
const listed = 'query Named { networks { name } }'
const uid = `0x${'ab'.repeat(56)}`
let world: World

beforeAll(async () => {
  const documents = path.join(mkdtempSync(path.join(tmpdir(), 'documents-')), 'documents.json')
  writeFileSync(documents, JSON.stringify({ [createHash('sha256').update(listed).digest('hex')]: listed }))
  world = await startWorld({ environment: { METRICS_KEY: key, DOCUMENTS_FILE: documents } })
})
afterAll(() => world[Symbol.asyncDispose]())

async function metrics(): Promise<string> {
  const { bytes } = await ask(`${world.url}/metrics`, { headers: { authorization: `Bearer ${key}` } })
  return bytes.toString()
}

/** Samples by their labels, of one metric. */
async function samples(name: string): Promise<Record<string, number>> {
  const found = [...(await metrics()).matchAll(new RegExp(`^${name}\\{(.*)\\} (\\S+)$`, 'gm'))]
  return Object.fromEntries(found.map(([, labels = '', value]) => [labels, Number(value)]))
}

function query(text: string, more: object = {}) {
  return ask(`${world.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: text, ...more }),
  })
}

test('operations are counted by the names of the deployment and root fields of the schema', async () => {
  await query(listed)
  await query(listed)
  await query('query Mine { aliased: networks { name } }')
  await query(`{ order(uid: "${uid}") { status } networks { name } }`)
  await query('{ noSuchField }')
  await query('{ this is no document')
  await query(listed, { operationName: 'Absent' })
  expect(await samples('tradegraph_graphql_operations_total')).toEqual({
    'operation="Named",field="query networks",outcome="ok"': 2,
    'operation="other",field="query networks",outcome="ok"': 1,
    'operation="other",field="query several",outcome="ok"': 1,
    'operation="other",field="query none",outcome="failed"': 1,
    'operation="other",field="none",outcome="failed"': 1,
    'operation="Named",field="none",outcome="failed"': 1,
  })
})

test('statements are counted by what they do, with the waits for their connections', async () => {
  const before = await samples('tradegraph_statements_total')
  await query(`{ order(uid: "${uid}") { status } }`)
  await query(`{ order(uid: "${uid}") { status } }`)
  const after = await samples('tradegraph_statements_total')
  const name = 'statement="select orders",outcome="ok"'
  expect((after[name] ?? 0) - (before[name] ?? 0)).toBe(2)
  expect(Object.keys(after).filter((labels) => /"other"|failed/.test(labels))).toEqual([])
  expect(await samples('tradegraph_database_connections_most')).toEqual({
    'pool="reads"': 5,
    'pool="writes"': 5,
    'pool="streams"': 3,
    'pool="loop-reads"': 1,
    'pool="loop-writes"': 5,
    'pool="loop-streams"': 3,
  })
  expect(await samples('tradegraph_database_waiting')).toMatchObject({
    'pool="reads"': 0,
    'pool="writes"': 0,
  })
  expect(Object.keys(await samples('tradegraph_database_wait_seconds_count')).toSorted()).toContain(
    'pool="reads"',
  )
})

test('requests to the node are counted by method, and its breaker is told', async () => {
  await eventually('the node is asked', async () => {
    const requests = await samples('tradegraph_rpc_requests_total')
    return (requests['node="the node of sepolia",method="eth_getBlockByNumber",outcome="ok"'] ?? 0) > 0
  })
  expect(await samples('tradegraph_source_breaker')).toMatchObject({
    'source="the node of sepolia",state="closed"': 1,
  })
})

test('a node that is away fails its requests, and opens its breaker', async () => {
  const metrics = createMetrics(false)
  const end = metrics.work.follow()
  const node = createNode({ url: 'http://127.0.0.1:1', name: 'a dead node', now: Date.now, log: silentLog })
  node.accept()
  const rpc = node.connect({ retries: 0 })
  for (let call = 0; call < 7; call++) await expect(rpc.call('eth_chainId')).rejects.toThrow()
  end()
  await expect(rpc.call('eth_chainId')).rejects.toThrow()
  const text = await metrics.text()
  // The breaker stops the sixth.
  for (const line of [
    'rpc_requests_total{node="a dead node",method="eth_chainId",outcome="failed"} 5',
    'rpc_duration_seconds_count{node="a dead node",method="eth_chainId"} 5',
    'source_requests_total{source="a dead node",outcome="failed"} 5',
    'source_breaker{source="a dead node",state="open"} 1',
  ])
    expect(text).toContain(`tradegraph_${line}\n`)
})

test.each([
  ['SELECT 1', 'select'],
  ['BEGIN', 'begin'],
  ['INSERT INTO "public"."orders" ("uid") VALUES ($1) ON CONFLICT DO UPDATE SET a = 1', 'insert orders'],
  ['WITH gone AS (DELETE FROM feed_entries WHERE a) SELECT count(*) FROM gone', 'delete feed_entries'],
  ['SELECT a FROM orders o WHERE b IS DISTINCT FROM channels FOR UPDATE OF orders', 'select orders'],
  ['SELECT EXTRACT(EPOCH FROM now()) FROM unnest($1) JOIN trades ON true', 'select'],
  ['UPDATE\n  channels SET a = 1 FROM deliveries', 'update channels'],
])('%s is the statement %s', (text, name) => {
  expect(statementName(text)).toBe(name)
})
