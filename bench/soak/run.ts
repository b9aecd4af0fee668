import { setMaxListeners } from 'node:events'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createLog } from '../../src/app/observing/log.ts'
import { startTraders } from '../../src/dev/market/traders.ts'
import { applyMigrations } from '../../src/storage/database/migrations.ts'
import { openEmptyDatabase } from '../database/empty.ts'
import { query } from '../database/open.ts'
import { createRandom } from '../database/subjects.ts'
import { reads } from '../documents/reads.ts'
import { runPaced } from '../load/paced.ts'
import { get, post, type Question } from '../load/question.ts'
import { number, root, suite } from '../options.ts'
import { toTable } from '../report.ts'
import { startBenchChain } from '../servers/chain.ts'
import { startProgram } from '../servers/program.ts'
import { openStream } from '../streams/crowd/stream.ts'
import { maxTables, type Sample, slopesOf, takeHeldMemory, takeSample } from './samples.ts'

/** The number of recent orders that clients request. */
const recent = 200
/** Samples from one collection to the next. */
const heldEvery = 12
/** The duration of a stream: one visit. */
const visitMs = 120_000

export const soak = suite({
  name: 'soak',
  about: `
Runs the whole program over a real EVM under a steady load: traders place orders that are quoted, settled and notified,
clients read orders, reports and lists, and streams stay open, some of which leave and come back. Prints how much memory,
handles, connections, statements, and tables with their dead rows grow in an hour, by the slope of the second half.`,
  flags: {
    minutes: number('duration', 60, 1, 1_440),
    every: number('seconds between two samples', 10, 1, 600),
    reads: number('requests a second', 100, 1, 10_000),
    orders: number('orders a minute', 60, 1, 6_000),
    streams: number('open streams', 200, 0, 10_000),
  },
  async run({ home, minutes, every: everySeconds, reads: rate, orders, streams }, undo, print) {
    const database = await openEmptyDatabase(home, 'soak')
    undo.push(database.stop)
    await applyMigrations(database.url)
    const chain = await startBenchChain(home, async () => {})
    undo.push(chain.stop)
    const { market } = chain
    const program = await startProgram({
      source: root,
      target: path.join(root, 'bench', '.cache', 'soak_program'),
      command: 'all',
      databaseUrl: database.url,
      rpcUrl: chain.rpcUrl,
      network: market.network,
      env: {
        SOLVER_PRIVATE_KEY: market.solver.privateKey,
        REFUND_PRIVATE_KEY: market.refunder.privateKey,
        CMS_ENABLED: 'true',
        CMS_API_KEY: 'bench-bench-bench',
      },
      print,
    })
    undo.push(program.stop)
    const baseUrl = `http://127.0.0.1:${program.port}`
    const log = createLog('warn')
    const random = createRandom(1)
    const traders = startTraders({ baseUrl, market, log, now: Date.now, random, pauseMs: 60_000 / orders })
    undo.push(traders.stop)
    const subjects = new Subjects(database.url)
    const visitors = visit(program.port, subjects, streams, random)
    undo.push(visitors.stop)

    const started = performance.now()
    const samples: Sample[] = []
    const held: Sample[] = []
    const turns = {
      requests: 0,
      errors: 0,
      p99Ms: [] as number[],
      firstError: undefined as string | undefined,
    }
    while (performance.now() - started < minutes * 60_000) {
      await subjects.refresh()
      const turn = await runPaced({
        port: program.port,
        rate,
        seconds: everySeconds,
        next: () => questionAbout(subjects, { network: market.network.name, random }),
      })
      turns.requests += turn.requests
      turns.errors += turn.errors
      turns.firstError ??= turn.firstError
      turns.p99Ms.push(turn.latencies[Math.floor(turn.latencies.length * 0.99)] ?? 0)
      const seconds = (performance.now() - started) / 1000
      samples.push(await takeSample(program, database.url, seconds))
      if (samples.length % heldEvery === 0) held.push(await takeHeldMemory(program, seconds))
    }
    const [{ filled = 0, placed = 0 } = {}] = await query<{ filled: number; placed: number }>(
      database.url,
      'SELECT count(*)::int AS placed, count(*) FILTER (WHERE executed_sell > 0)::int AS filled FROM orders',
    )
    const slopes = [...slopesOf(samples), ...slopesOf(held)]
    const rows = slopes.map(({ what, first, last, anHour }) => [
      what,
      ...[first, last, anHour].map((n) => n.toFixed(1)),
    ])
    print(`\n${toTable(['', 'first', 'last', 'an hour'], rows)}`)
    const tables = await maxTables(database.url)
    print(
      toTable(
        ['table', 'MiB', 'rows', 'dead'],
        tables.map(({ table, mb, rows, dead }) => [table, mb.toFixed(1), `${rows}`, `${dead}`]),
      ),
    )
    const p99 = turns.p99Ms.toSorted((a, b) => a - b)
    print(
      `${turns.requests} requests, ${turns.errors} errors${turns.firstError ? ` (${turns.firstError})` : ''}; p99 of a turn: median ${p99[p99.length >> 1]?.toFixed(1)} ms, worst ${p99.at(-1)?.toFixed(1)} ms`,
    )
    print(`${placed} orders, ${filled} filled; ${visitors.told()}`)
    return { samples, held, slopes, tables, turns, placed, filled, isRight: turns.errors === 0 }
  },
})

/** The subjects of clients, read from the database at intervals. */
class Subjects {
  orders: { uid: string; owner: string }[] = []
  readonly #url: string

  constructor(url: string) {
    this.#url = url
  }

  async refresh(): Promise<void> {
    this.orders = await query(
      this.#url,
      `SELECT '0x' || encode(uid, 'hex') AS uid, '0x' || encode(owner, 'hex') AS owner FROM orders ORDER BY id DESC LIMIT ${recent}`,
    )
  }
}

interface Asking {
  network: string
  random: () => number
}

function questionAbout({ orders }: Subjects, { network, random }: Asking): Question {
  const about = orders[Math.floor(random() * orders.length)]
  if (!about) return { request: get(`/${network}/api/v1/version`), expect: '' }
  const { uid, owner } = about
  const ask = (query: string, variables: object, expect: string) => ({
    request: post('/graphql', JSON.stringify({ query, variables })),
    expect,
  })
  const questions = [
    () => ask(reads.debug, { uid }, uid),
    () => ask(reads.order, { uid }, uid),
    () => ask(reads.account, { owner }, owner),
    () => ({ request: get(`/${network}/api/v1/orders/${uid}`), expect: uid }),
    () => ({ request: get(`/${network}/api/v1/account/${owner}/orders?limit=20`), expect: owner }),
    () => ({ request: get(`/${network}/api/v1/trades?owner=${owner}`), expect: '' }),
    () => ({ request: get(`/accounts/${owner}/notifications`), expect: '' }),
  ]
  return (questions[Math.floor(random() * questions.length)] as () => Question)()
}

/** Opens streams of orders and accounts; each leaves after a visit, and another follows. */
function visit(port: number, subjects: Subjects, count: number, random: () => number) {
  const stopping = new AbortController()
  setMaxListeners(0, stopping.signal)
  let events = 0
  let faults = 0
  let firstFault: string | undefined
  let visits = 0
  const request = () => {
    const about = subjects.orders[Math.floor(random() * subjects.orders.length)]
    const query = about
      ? `subscription { orderEvents(owner: "${about.owner}") { __typename } }`
      : 'subscription { auctions(network: "local") { __typename } }'
    const address = `/graphql/stream?query=${encodeURIComponent(query)}`
    return `GET ${address} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n`
  }

  async function stay(from: string): Promise<void> {
    while (!stopping.signal.aborted) {
      visits++
      const stream = openStream(
        { port, from, request: request() },
        {
          opened: () => {},
          hear: () => events++,
          ended: (fault) => {
            if (fault === undefined || stopping.signal.aborted) return
            faults++
            firstFault ??= fault
          },
        },
      )
      await pause(visitMs * (0.5 + random()), undefined, { signal: stopping.signal }).catch(() => {})
      stream.close()
    }
  }
  // Each client may have a hundred streams.
  const running = Promise.all(
    Array.from({ length: count }, (_, index) => stay(`127.0.0.${10 + Math.floor(index / 50)}`)),
  )
  return {
    told: () =>
      `${visits} visits of streams heard ${events} events, ${faults} ended with a fault${firstFault ? ` (${firstFault})` : ''}`,
    async stop() {
      stopping.abort()
      await running
    },
  }
}
