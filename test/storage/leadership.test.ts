import { expect, test } from 'vitest'
import { whileLeading } from '../../src/storage/leadership.ts'
import { connectDirectly } from '../fakes/direct-client.ts'
import { silentLog } from '../fakes/silent-log.ts'
import { createTestDatabase, eventually } from '../world.ts'

/** A process that wants to lead; `now` tells whether it does. */
function contend(url: string, name = 'auctions:1') {
  const stop = new AbortController()
  const state = { leads: false, terms: 0 }
  const ended = whileLeading({ url, name, log: silentLog, signal: stop.signal }, async (signal) => {
    state.leads = true
    state.terms++
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
    state.leads = false
  })
  return {
    state,
    async leave() {
      stop.abort()
      await ended
    },
  }
}

test('one leads; when its connection is killed it stops and another leads within a second', async () => {
  await using database = await createTestDatabase()
  const first = contend(database.url)
  await eventually('the first leads', () => first.state.leads)
  const second = contend(database.url)
  const other = contend(database.url, 'auctions:2')
  await eventually('another name has a leader of its own', () => other.state.leads)
  expect(second.state.leads).toBe(false)

  await using client = await connectDirectly(database.url)
  const holders = `FROM pg_locks l JOIN pg_stat_activity a USING (pid) WHERE locktype = 'advisory' AND granted
    AND a.datname = current_database()`
  const { rows } = await client.query(`SELECT pid ${holders} ORDER BY backend_start LIMIT 1`)
  await client.query('SELECT pg_terminate_backend($1)', [rows[0].pid])
  await eventually('the second leads', () => second.state.leads, 1_000)
  await eventually('the first knows that it does not', () => !first.state.leads, 1_000)
  expect(second.state.terms).toBe(1)

  await second.leave()
  await eventually('the first leads again', () => first.state.leads)
  await Promise.all([first.leave(), other.leave()])
  expect((await client.query(`SELECT 1 ${holders}`)).rows).toEqual([])
})

test('a leader that fails gives the lead up and gets it again', async () => {
  await using database = await createTestDatabase()
  const stop = new AbortController()
  const errors: string[] = []
  const log = { ...silentLog, error: (message: string) => errors.push(message) }
  let terms = 0
  await whileLeading(
    { url: database.url, name: 'index:1', log, signal: stop.signal, retryMs: 1 },
    async () => {
      if (++terms === 1) throw new Error('a fault')
      stop.abort()
    },
  )
  expect(terms).toBe(2)
  expect(errors).toEqual(['index:1: stopped, starting again'])
})
