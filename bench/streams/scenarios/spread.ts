import { toTable } from '../../report.ts'
import type { StreamOptions } from '../options.ts'
import type { Print, Stand, System } from '../stand.ts'
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

const bytes = 120

/** Measures streams of one account: each event goes to all. */
export async function measureOne(
  stand: Stand,
  options: StreamOptions,
  print: Print,
): Promise<SpreadResult[]> {
  const results: SpreadResult[] = []
  for (const { streams, rate } of options.loads) {
    const title = `${streams} streams of one account, ${rate} events/s`
    const load = { streams, rate, accounts: 1, bytes, seconds: options.seconds }
    results.push(
      await measureInTurns(stand, [...stand.peers, stand.program], title, load, options.rounds, print),
    )
  }
  return results
}

/** Measures an account for each stream: each event goes to one. */
export async function measureMany(
  stand: Stand,
  options: StreamOptions,
  print: Print,
): Promise<SpreadResult[]> {
  const load = { streams: 1_000, rate: 200, accounts: 1_000, bytes, seconds: options.seconds }
  const title = '1,000 accounts that share 200 events/s'
  return [await measureInTurns(stand, [...stand.peers, stand.program], title, load, options.rounds, print)]
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
  const [least, yoga] = [of('shared-buffer'), of('yoga')]
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
      'CPU x yoga',
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
      figures.longestBlockMs.toFixed(0),
      figures.rssMb.toFixed(0),
      figures.statementsPerSecond?.toFixed(1) ?? '',
      ratio(figures.cpuUs, least?.cpuUs),
      ratio(figures.cpuUs, yoga?.cpuUs),
      ratio(figures.p99Ms, least?.p99Ms),
    ]),
  )
}
