import { loadavg } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { chains } from '../../src/domain/network/chains.ts'
import { applyMigrations } from '../../src/storage/database/migrations.ts'
import { openEmptyDatabase } from '../database/empty.ts'
import { query } from '../database/open.ts'
import { canCount } from '../database/statements.ts'
import { cache, names, number, optionalNumber, profile, root, suite } from '../options.ts'
import { toTable } from '../report.ts'
import { type ServerProcess, startServer, usageOf } from '../servers/process.ts'
import { startProgram } from '../servers/program.ts'
import { openStream } from '../streams/crowd/stream.ts'
import { networks, rowOf } from './shape.ts'
import type { Upstream } from './upstream.ts'
import { phases as allPhases, type Phase } from './world.ts'

const sampleMs = 5_000
/** The time for what a phase begins with, which is not measured. */
const settleMs = 20_000
/** The time in which the program must have read the chains, and the orders. */
const patienceMs = 300_000
/** Fills of the last seconds may be under way. */
const underWayMs = 5_000

export interface PhaseFigures {
  phase: Phase
  minutes: number
  /** The part of one core. */
  cpu: number
  rssMb: number
  /** Objects and buffers after a collection. */
  heldMb: number
  blocks: number
  statements: number
  walBytes: number
  nodeRequests: number
  calls: number
  load: number
  top: { sql: string; calls: string; ms: number }[]
}

/** The milliseconds from the block of a fill to an event of it. */
interface Latency {
  chainId: number
  fills: number
  missing: number
  p50: number
  p95: number
  max: number
}

export const follow = suite({
  name: 'follow',
  about: `
Runs the program as one process that follows the order books of up to ${networks.length} networks, each with a scripted node and a
scripted order book that behave like the public ones in size and rate; these run in a process of their own. Three phases are
measured: blocks alone, fills and auctions, and a resting book. For each phase: memory and processor of the program's process,
statements and WAL for each block, and calls of order books; for fills, the time from their block to their events.`,
  flags: {
    minutes: number('duration of the load', 10, 1, 1_440),
    idle: number('minutes of each phase without fills', 3, 1, 1_440),
    networks: number('the first of the networks', networks.length, 1, networks.length),
    orders: number('live orders of the busiest network; others have a share of them', 2_200, 1, 20_000),
    fills: number('fills a minute of the busiest network; others have a share of them', 30, 1, 600),
    calls: number('calls of an order book in a minute', 100, 4, 1_000_000),
    only: names('of the phases', allPhases),
    heap: optionalNumber("limit of the program's heap in MB", 100, 100_000),
    profile,
  },
  async run(options, undo, print) {
    const database = await openEmptyDatabase(options.home, 'follow')
    undo.push(database.stop)
    await applyMigrations(database.url)
    await query(database.url, 'CREATE SCHEMA IF NOT EXISTS bench')
    if (!(await canCount(database.url))) throw new Error('the database counts no statements')
    const upstream = await startServer({
      name: 'upstream',
      args: [
        '--import',
        'tsx',
        path.join(import.meta.dirname, 'upstream.ts'),
        ...[options.networks, options.orders, options.fills].map(String),
      ],
      env: { WATCH_RESOLUTION_MS: '50' },
    })
    undo.push(() => upstream.stop())
    const baseUrl = `http://127.0.0.1:${upstream.port}`
    const followed = networks.slice(0, options.networks)
    const program = await startProgram({
      source: root,
      target: path.join(cache, 'follow_program'),
      print,
      profile: options.profile,
      heapMb: options.heap,
      command: 'all',
      databaseUrl: database.url,
      networks: followed.map((each) => rowOf(each, baseUrl, options.calls)),
      // The clock of the bench itself would take some percent of the processor.
      env: { BOOK_FEED_ACCESS: 'public', WATCH_RESOLUTION_MS: '50' },
      ...(process.env.BENCH_LOUD ? { hear: (text: string) => void process.stderr.write(text) } : {}),
    })
    undo.push(() => program.stop())

    const state = async (): Promise<Upstream[]> =>
      (await fetch(`${baseUrl}/state`)).json() as Promise<Upstream[]>
    const enter = (phase: Phase) => fetch(`${baseUrl}/phase/${phase}`)
    const read = async (): Promise<Reading> => ({
      at: Date.now(),
      usage: usageOf(program),
      upstream: await state(),
      counts: await countsOf(database.url),
    })
    const phases: PhaseFigures[] = []
    const measured = async (phase: Phase, minutes: number) => {
      if (!options.only.includes(phase)) return
      await pause(settleMs)
      await query(database.url, 'SELECT bench.pg_stat_statements_reset()')
      const before = await read()
      let rssMb = 0
      let load = 0
      const endsAt = Date.now() + minutes * 60_000
      while (Date.now() < endsAt) {
        await pause(Math.min(sampleMs, endsAt - Date.now()))
        rssMb = Math.max(rssMb, usageOf(program)?.rssMb ?? 0)
        load = Math.max(load, loadavg()[0] ?? 0)
      }
      const after = await read()
      const statements = await statementsOf(database.url)
      const { heapMb, externalMb } = await program.heldMemory()
      const heldMb = heapMb + externalMb
      const figures = { ...figuresOf(phase, before, after), rssMb, heldMb, load, top: statements }
      phases.push(figures)
      print(`${lineOf(figures)}`)
    }
    await until('the chains are read', async () => {
      const [row] = await query<{ count: string }>(database.url, 'SELECT count(*) FROM checkpoints')
      return Number(row?.count) === followed.length
    })
    await measured('blocks', options.idle)

    if (options.only.every((phase) => phase === 'blocks')) return { phases, isRight: true }
    const trades = hear(program, 'trades { trade { txHash order { uid } orderUid } }')
    const events = hear(
      program,
      'bookEvents(filter: { labels: [TRADED] }) { order { uid } trade { txHash } }',
    )
    undo.push(trades.stop, events.stop)
    const filling = performance.now()
    await enter('load')
    const live = (await state()).reduce((sum, each) => sum + each.live, 0)
    await until('the live orders are mirrored', async () => {
      const [row] = await query<{ count: string }>(database.url, 'SELECT count(*) FROM mirrored_orders')
      return Number(row?.count) >= live
    })
    const mirroredSeconds = (performance.now() - filling) / 1_000
    print(`${live} live orders were mirrored after ${mirroredSeconds.toFixed(0)} s`)
    const loadedFrom = Date.now() + settleMs
    await measured('load', options.minutes)
    const loadedTo = Date.now() - underWayMs
    await enter('rest')
    await pause(deadlineMs)
    await measured('rest', options.idle)

    const ended = await state()
    const fills = ended.flatMap((each) => each.fills).filter(({ at }) => at >= loadedFrom && at <= loadedTo)
    const latencies = { trades: latenciesOf(fills, trades.at), events: latenciesOf(fills, events.at) }
    const calls = ended.map(({ chainId, calls }) => ({ chainId, max: maxInMinute(calls) }))
    const tables = await query<{ table: string; rows: string; bytes: string }>(
      database.url,
      `SELECT relname AS table, n_live_tup AS rows, pg_total_relation_size(relid) AS bytes
     FROM pg_stat_user_tables WHERE schemaname = 'public' ORDER BY pg_total_relation_size(relid) DESC LIMIT 12`,
    )
    const faults = [...trades.faults, ...events.faults]
    const results = { phases, live, mirroredSeconds, latencies, calls, tables, faults }
    print(`\n${tablesOf(results)}`)
    for (const fault of faults) print(`a stream ended: ${fault}`)
    return {
      ...results,
      isRight:
        faults.length === 0 &&
        latencies.trades.every(({ missing }) => missing === 0) &&
        calls.every(({ max }) => max <= options.calls),
    }
  },
})

/** Competitions are shown after their deadline, and settlements come before it. */
const deadlineMs = 30_000

interface Reading {
  at: number
  usage: ReturnType<typeof usageOf>
  upstream: Upstream[]
  counts: { statements: number; wal: number }
}

/** The statements that were run most often. */
function statementsOf(url: string) {
  return query<{ sql: string; calls: string; ms: number }>(
    url,
    `SELECT left(regexp_replace(query, '\\s+', ' ', 'g'), 200) AS sql, calls, total_exec_time AS ms FROM bench.pg_stat_statements
     WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database()) ORDER BY calls DESC LIMIT 60`,
  )
}

async function countsOf(url: string) {
  const [row] = await query<{ statements: string; wal: string }>(
    url,
    `SELECT sum(calls) AS statements, pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') AS wal FROM bench.pg_stat_statements
     WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  )
  return { statements: Number(row?.statements), wal: Number(row?.wal) }
}

function figuresOf(phase: Phase, before: Reading, after: Reading) {
  const sum = ({ upstream }: Reading, of: (each: Upstream) => number) =>
    upstream.reduce((all, each) => all + of(each), 0)
  const grown = (of: (each: Upstream) => number) => sum(after, of) - sum(before, of)
  const ms = after.at - before.at
  return {
    phase,
    minutes: ms / 60_000,
    cpu: (((after.usage?.cpuSeconds ?? 0) - (before.usage?.cpuSeconds ?? 0)) * 1_000) / ms,
    blocks: grown(({ head }) => head),
    statements: after.counts.statements - before.counts.statements,
    walBytes: after.counts.wal - before.counts.wal,
    nodeRequests: grown(({ requests }) => requests),
    calls: grown(({ calls }) => calls.length),
  }
}

async function until(what: string, isDone: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + patienceMs
  while (!(await isDone())) {
    if (performance.now() > deadline) throw new Error(`${what}: not in time`)
    await pause(500)
  }
}

/** Opens a stream over all networks, and notes when a fill is in it first. */
function hear(program: ServerProcess, selection: string) {
  const at = new Map<string, number>()
  const faults: string[] = []
  let isStopped = false
  const address = `/graphql/stream?query=${encodeURIComponent(`subscription { ${selection} }`)}`
  const request = `GET ${address} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n`
  const stream = openStream(
    { port: program.port, from: '127.0.0.1', request },
    {
      opened: () => {},
      hear(text, from, to) {
        const event = text.toString('utf8', from, to)
        const hash = /"txHash":"(0x[0-9a-f]{64})"/.exec(event)?.[1]
        const uid = /"(?:orderUid|uid)":"(0x[0-9a-f]{112})"/.exec(event)?.[1]
        const key = `${hash} ${uid}`
        if (hash && uid && !at.has(key)) at.set(key, Date.now())
        if (event.includes('"errors"')) faults.push(event.slice(0, 300))
      },
      ended: (fault) => {
        if (!isStopped) faults.push(fault ?? 'without a fault')
      },
    },
  )
  return {
    at,
    faults,
    stop: () => {
      isStopped = true
      stream.close()
    },
  }
}

function latenciesOf(fills: Upstream['fills'], heard: ReadonlyMap<string, number>): Latency[] {
  const chainIds = [...new Set(fills.map(({ chainId }) => chainId))]
  return [...chainIds, 0].map((chainId) => {
    const some = fills.filter((fill) => chainId === 0 || fill.chainId === chainId)
    const times = some
      .flatMap(({ txHash, uid, at }) => {
        const time = heard.get(`${txHash} ${uid}`)
        return time === undefined ? [] : [time - at]
      })
      .toSorted((a, b) => a - b)
    const part = (of: number) =>
      times[Math.min(times.length - 1, Math.floor(times.length * of))] ?? Number.NaN
    return {
      chainId,
      fills: some.length,
      missing: some.length - times.length,
      p50: part(0.5),
      p95: part(0.95),
      max: part(1),
    }
  })
}

/** Returns the maximum of calls in any minute. */
function maxInMinute(times: readonly number[]): number {
  let [from, max] = [0, 0]
  for (const [to, time] of times.entries()) {
    while (time - (times[from] ?? time) >= 60_000) from++
    max = Math.max(max, to - from + 1)
  }
  return max
}

function cellsOf(figures: PhaseFigures): string[] {
  const { phase, minutes, cpu, rssMb, heldMb, blocks, statements, walBytes, nodeRequests, calls, load } =
    figures
  return [
    phase,
    minutes.toFixed(1),
    (cpu * 100).toFixed(1),
    rssMb.toFixed(0),
    heldMb.toFixed(0),
    String(blocks),
    (statements / blocks).toFixed(1),
    (walBytes / blocks / 1_024).toFixed(1),
    (statements / minutes / 60).toFixed(0),
    (nodeRequests / minutes / 60).toFixed(0),
    (calls / minutes).toFixed(0),
    load.toFixed(1),
  ]
}

const columns = [
  'phase',
  'minutes',
  '% of a core',
  'memory MB',
  'held MB',
  'blocks',
  'SQL a block',
  'WAL KiB a block',
  'SQL/s',
  'node requests/s',
  'calls a minute',
  'load',
]

const lineOf = (figures: PhaseFigures) =>
  cellsOf(figures)
    .map((cell, index) => `${columns[index]} ${cell}`)
    .join(', ')

const nameOf = (chainId: number) =>
  chainId === 0 ? 'all' : (chains.get(chainId)?.names[0] ?? String(chainId))

function tablesOf({
  phases,
  latencies,
  calls,
  tables,
}: {
  phases: PhaseFigures[]
  latencies: { trades: Latency[]; events: Latency[] }
  calls: { chainId: number; max: number }[]
  tables: { table: string; rows: string; bytes: string }[]
}): string {
  const ms = (value: number) => value.toFixed(0)
  const rows = latencies.trades.map(({ chainId, fills, missing, p50, p95, max }) => {
    const event = latencies.events.find((each) => each.chainId === chainId)
    return [
      nameOf(chainId),
      String(fills),
      String(missing),
      ms(p50),
      ms(p95),
      ms(max),
      String(event?.missing),
      ms(event?.p50 ?? Number.NaN),
      ms(event?.p95 ?? Number.NaN),
      ms(event?.max ?? Number.NaN),
      String(calls.find((each) => each.chainId === chainId)?.max ?? Math.max(...calls.map(({ max }) => max))),
    ]
  })
  return [
    toTable(columns, phases.map(cellsOf)),
    toTable(
      [
        'fills',
        'count',
        'missing',
        'trade p50',
        'p95',
        'max',
        'without order',
        'order p50',
        'p95',
        'max',
        'calls in a minute',
      ],
      rows,
    ),
    toTable(
      ['table', 'rows', 'MiB'],
      tables.map(({ table, rows, bytes }) => [table, rows, (Number(bytes) / 2 ** 20).toFixed(1)]),
    ),
  ].join('\n\n')
}
