import { type Phase, type PhaseFigures, summarisePhases, watchPhases } from '../auctions/phases.ts'
import { median, quantile } from '../load/turn.ts'
import type { Undo } from '../setup.ts'
import { collectFailures } from './checks/failures.ts'
import type { CompetitionOptions } from './options.ts'
import { planOrders } from './orders/plan.ts'
import { formatCompetition } from './report.ts'
import { type RoundResults, runRound } from './round.ts'
import { type Field, maxWinners, metricsKey, openStand } from './stand.ts'

type Print = (line: string) => void

export interface CompetitionResults extends RoundResults {
  field: Field
  phases: Record<Phase, PhaseFigures>
  /** The time from the request to the solvers until the winners are known. */
  competing: { p50Ms: number; p99Ms: number }
  rssMb: number
}

/** The time for the last orders to be filled or to expire. */
const restMs = 30_000
/** The maximum ratio of auction times with and without bad solvers: each bad solution is simulated. */
const mostTimes = { p50: 1.5, p99: 2 }
/** Smaller differences are ignored. */
const noiseMs = 40

export async function runCompetition(
  options: CompetitionOptions,
  undo: Undo,
  print: Print,
): Promise<{ results: CompetitionResults[]; faults: string[] }> {
  const results: CompetitionResults[] = []
  const stopping = new AbortController()
  undo.push(() => stopping.abort())
  for (const field of options.fields) {
    results.push(
      await competeOnce(field, options, { undo, print, signal: stopping.signal, built: results.length > 0 }),
    )
  }
  const faults = [
    ...results.flatMap((one) => one.faults.map((fault) => `${one.field}: ${fault}`)),
    ...slower(results),
  ]
  print(`\n${formatCompetition(results)}\n`)
  for (const fault of faults) print(`does not hold: ${fault}`)
  return { results, faults }
}

interface Running {
  undo: Undo
  print: Print
  signal: AbortSignal
  built: boolean
}

async function competeOnce(
  field: Field,
  { orders, seconds, home, races }: CompetitionOptions,
  { undo, print, signal, built }: Running,
): Promise<CompetitionResults> {
  const plans = planOrders(orders)
  const own: Undo = []
  let ending: Promise<void> | undefined
  const end = () => {
    ending ??= takeBack(own)
    return ending
  }
  undo.push(end)
  try {
    const { hear, list: failures } = collectFailures()
    const { ground, crowd, program, accounts, books } = await openStand(
      { field, plans, home, built, print, hear, races },
      own,
    )
    print(`${field}: ${orders} orders in ${seconds} s`)
    const watch = watchPhases(program.port, metricsKey)
    const round = await runRound(ground, crowd, {
      ...{ plans, seconds, restMs, accounts, maxWinners, failures, books, signal },
    })
    await watch.stop()
    const { rssMb } = await program.vitals()
    const times = watch.times.of.simulate.toSorted((a, b) => a - b)
    const competing = { p50Ms: median(times), p99Ms: quantile(times, 0.99) }
    const from = { assemble: 0, solve: 0, simulate: 0, record: 0, settle: 0 }
    const faults = [...round.faults, ...idle(accounts, round.settled)]
    print(`${field}: ${faults.length === 0 ? 'all holds' : `${faults.length} faults`}`)
    return { field, ...round, faults, phases: summarisePhases(watch.times, from), competing, rssMb }
  } finally {
    await end()
  }
}

/** Returns good solvers that won nothing. */
function idle(accounts: Record<string, string>, settled: Record<string, number>): string[] {
  return ['engine', 'driver']
    .filter((name) => accounts[name] && !settled[name])
    .map((name) => `the ${name} settled nothing`)
}

async function takeBack(undo: Undo): Promise<void> {
  for (let step = undo.pop(); step; step = undo.pop()) await step()
}

/** Returns the percentiles at which auctions take longer with bad solvers than in the slower run without. */
function slower(results: readonly CompetitionResults[]): string[] {
  const all = results.find(({ field }) => field === 'all')?.competing
  const others = results.filter(({ field }) => field !== 'all').map(({ competing }) => competing)
  if (!all || others.length === 0) return []
  return (['p50', 'p99'] as const).flatMap((name) => {
    const now = all[`${name}Ms`]
    const before = Math.max(...others.map((other) => other[`${name}Ms`]))
    if (now <= before * mostTimes[name] || now - before <= noiseMs) return []
    return [
      `auctions take ${now.toFixed(0)} ms at ${name} with bad solvers, and ${before.toFixed(0)} without`,
    ]
  })
}
