import { query } from '../../database/open.ts'
import type { Print } from '../../options.ts'
import { toTable } from '../../report.ts'
import { accountAt, bookDocuments } from '../event.ts'
import { ordersSql } from '../source/commit.ts'
import type { Stand, System } from '../stand.ts'
import { linesOf } from '../statements.ts'
import { type Delivery, deliver, type Load, middleOf } from './deliver.ts'

interface Row {
  system: string
  figures: Delivery
  rounds: Delivery[]
}

interface SpreadResult {
  title: string
  load: Load
  rows: Row[]
}

interface SpreadOptions {
  loads: { streams: number; rate: number }[]
  /** Streams of the book. */
  book: number
  seconds: number
  rounds: number
}

const bytes = 120

/** Measures streams of one account: each event goes to all. */
export async function measureOne(
  stand: Stand,
  options: SpreadOptions,
  print: Print,
): Promise<SpreadResult[]> {
  const results: SpreadResult[] = []
  for (const { streams, rate } of options.loads) {
    const title = `${streams} streams of one account, ${rate} events/s`
    const load = { streams, rate, accounts: 1, bytes, seconds: options.seconds }
    results.push(await measureInTurns(stand, [stand.peer, stand.program], title, load, options.rounds, print))
  }
  return results
}

/** Measures an account for each stream: each event goes to one. */
export async function measureMany(
  stand: Stand,
  options: SpreadOptions,
  print: Print,
): Promise<SpreadResult[]> {
  const load = { streams: 1_000, rate: 200, accounts: 1_000, bytes, seconds: options.seconds }
  const title = '1,000 accounts that share 200 events/s'
  return [await measureInTurns(stand, [stand.peer, stand.program], title, load, options.rounds, print)]
}

/** The number of distinct filters, each of one account. */
const filters = 100

/** Measures the feed of the book: events go to the streams of one filter, then to streams without one. */
export async function measureBook(
  stand: Stand,
  options: SpreadOptions,
  print: Print,
): Promise<SpreadResult[]> {
  await query(stand.databaseUrl, ordersSql, [Array.from({ length: filters }, (_, index) => accountAt(index))])
  const { book: filtered, seconds, rounds } = options
  const whole = Math.ceil(filtered / 10)
  const loads = [
    {
      name: `${filtered} streams of ${filters} filters`,
      document: bookDocuments.filtered,
      streams: filtered,
      accounts: filters,
      rate: 100,
    },
    {
      name: `${whole} streams without a filter`,
      document: bookDocuments.whole,
      streams: whole,
      accounts: 1,
      rate: 20,
    },
  ]
  const results: SpreadResult[] = []
  for (const { name, document, ...rest } of loads) {
    const book = { ...stand.program, to: 'book', document }
    const title = `the book: ${name}, ${rest.rate} events/s`
    results.push(
      await measureInTurns(stand, [stand.peer, book], title, { ...rest, bytes, seconds }, rounds, print),
    )
  }
  return results
}

async function measureInTurns(
  stand: Stand,
  systems: readonly System[],
  title: string,
  load: Load,
  rounds: number,
  print: Print,
): Promise<SpreadResult> {
  const turns = new Map(systems.map((system) => [system, [] as Delivery[]]))
  for (let round = 1; round <= rounds; round++) {
    for (const [system, done] of turns) {
      const turn = await deliver(stand, system, load)
      done.push(turn)
      print(
        `${title} ${round}/${rounds} ${system.name}: ${turn.cpuUs.toFixed(1)} µs, p99 ${turn.p99Ms.toFixed(1)} ms`,
      )
    }
  }
  const rows = [...turns].map(([{ name }, done]) => ({ system: name, figures: middleOf(done), rounds: done }))
  print(`\n${title}\n${tableOf(rows)}`)
  for (const { system, figures } of rows) {
    if (Object.keys(figures.said).length > 0) print(`${system} said: ${JSON.stringify(figures.said)}`)
    for (const line of linesOf(figures.statements ?? [])) print(line)
  }
  return { title, load, rows }
}

function tableOf(rows: readonly Row[]): string {
  const of = (name: string) => rows.find(({ system }) => system === name)?.figures
  const buffer = of('shared-buffer')
  const ratio = (value: number, to: number | undefined) => (to === undefined ? '' : (value / to).toFixed(2))
  return toTable(
    [
      'system',
      'delivered',
      'lost',
      'repeated',
      'CPU µs',
      'p50 ms',
      'p99 ms',
      'p99+commit',
      'core',
      'block ms',
      'MiB',
      'SQL/s',
      'CPU x buffer',
      'p99 x buffer',
    ],
    rows.map(({ system, figures }) => [
      system,
      String(figures.delivered),
      String(figures.lost),
      String(figures.repeated),
      figures.cpuUs.toFixed(1),
      figures.p50Ms.toFixed(1),
      figures.p99Ms.toFixed(1),
      figures.p99WithCommitMs.toFixed(1),
      figures.core.toFixed(2),
      figures.maxBlockMs.toFixed(0),
      figures.rssMb.toFixed(0),
      figures.statementsPerSecond?.toFixed(1) ?? '',
      ratio(figures.cpuUs, buffer?.cpuUs),
      ratio(figures.p99Ms, buffer?.p99Ms),
    ]),
  )
}
