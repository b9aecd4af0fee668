import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { whileLeading } from '../../../src/storage/database/leadership.ts'
import { silentLog } from '../../fakes/silent-log.ts'
import { connectDirectly, createTestDatabase } from '../../setup/database.ts'
import { eventually } from '../../setup/eventually.ts'

/** A process that wants to lead; `now` is true while it does. */
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

test('one process leads; when its connection is killed it stops, and another leads within a second', async () => {
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

test('a leader that fails loses the lead and gets it again; what goes on failing is logged once', async () => {
  await using database = await createTestDatabase()
  const stop = new AbortController()
  const errors: string[] = []
  const log = { ...silentLog, error: (message: string) => errors.push(message) }
  let terms = 0
  await whileLeading(
    { url: database.url, name: 'index:1', log, signal: stop.signal, retryMs: 1 },
    async () => {
      if (++terms < 5) throw new Error('a fault')
      stop.abort()
    },
  )
  expect(terms).toBe(5)
  expect(errors).toEqual(['index:1: stopped, starting again'])
})

const sessionTimeoutMs = 4_000

/** Leads in a separate process, which prints when it gains and loses the lead. */
function spawnLeader(url: string) {
  const at = (file: string) => JSON.stringify(new URL(file, import.meta.url))
  const program = `
    import { whileLeading } from ${at('../../../src/storage/database/leadership.ts')}
    import { silentLog } from ${at('../../fakes/silent-log.ts')}
    const { signal } = new AbortController()
    const options = { url: ${JSON.stringify(url)}, name: 'auctions:1', log: silentLog, signal, sessionTimeoutMs: ${sessionTimeoutMs} }
    await whileLeading(options, async (leading) => {
      console.log('leads')
      await new Promise((resolve) => leading.addEventListener('abort', resolve, { once: true }))
      console.log('lost')
    })`
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines: string[] = []
  child.stdout.setEncoding('utf8').on('data', (text: string) => lines.push(...text.trim().split('\n')))
  const end = async () => {
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }
  return { child, lines, [Symbol.asyncDispose]: end }
}

test('a frozen leader is replaced, and notices it when it resumes', async () => {
  await using database = await createTestDatabase()
  await using leader = spawnLeader(database.url)
  const { child, lines } = leader
  await eventually('the process leads', () => lines.includes('leads'))
  const other = contend(database.url)
  await using client = await connectDirectly(database.url)
  // It renewed its lead more than once, so no other process may lead while it lives.
  const { rows } = await client.query('SELECT clock_timestamp() AS started')
  await eventually('the time is over', async () => {
    const since = await client.query('SELECT clock_timestamp() - $1 > make_interval(secs => $2) AS over', [
      rows[0].started,
      (1.2 * sessionTimeoutMs) / 1_000,
    ])
    return since.rows[0].over
  })
  expect([other.state.leads, lines]).toEqual([false, ['leads']])

  child.kill('SIGSTOP')
  await eventually('another leads', () => other.state.leads)
  child.kill('SIGCONT')
  await eventually('the first knows that it does not', () => lines.includes('lost'))
  expect(other.state.terms).toBe(1)
  await other.leave()
})
