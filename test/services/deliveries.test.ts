import { randomBytes } from 'node:crypto'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { applyMigrations } from '../../src/storage/database/migrations.ts'
import { runKills } from './kills/kills.ts'

/** Processes that send, over an external PostgreSQL. */
const serverUrl = process.env.TEST_POSTGRES_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres'
const database = `tradegraph_${randomBytes(6).toString('hex')}`
const url = new URL(serverUrl)
url.pathname = `/${database}`

beforeAll(async () => {
  await onServer(`CREATE DATABASE ${database}`)
  await applyMigrations(url.href)
})
afterAll(() => onServer(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`))

async function onServer(statement: string): Promise<void> {
  const client = new Client({ connectionString: serverUrl })
  await client.connect()
  await client.query(statement).finally(() => client.end())
}

test('what processes that are killed were sending arrives, in order, under one id', async () => {
  const accounts = 40
  const messages = 10
  const options = { url: url.href, accounts, messages, kills: 4, random: Math.random, seconds: 200 }
  const result = await runKills(options)
  expect(result.faults).toEqual([])
  expect(result.states).toEqual({ delivered: 380, dead: 20 })
  expect(result.repeated).toBeGreaterThan(30)
  expect(result.kills).toBe(4)
}, 240_000)
