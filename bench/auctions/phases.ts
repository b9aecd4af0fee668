import { setTimeout as pause } from 'node:timers/promises'
import { median, quantile } from '../load/turn.ts'

export const phases = ['assemble', 'solve', 'simulate', 'record', 'settle'] as const
export type Phase = (typeof phases)[number]

export interface PhaseTimes {
  /** Milliseconds of each auction that had the phase, in order. */
  of: Record<Phase, number[]>
  /** Orders of the newest auction by standing. */
  standings: Record<string, number>
}

interface Reading extends Pick<PhaseTimes, 'standings'> {
  sums: Record<Phase, { ms: number; count: number }>
}

/** Reads the program's metrics more often than auctions run, to separate their times. */
export function watchPhases(port: number, key: string): { times: PhaseTimes; stop(): Promise<void> } {
  const times: PhaseTimes = { of: emptyTimes(), standings: {} }
  const stopping = new AbortController()
  let last: Reading | undefined
  async function watch(): Promise<void> {
    while (!stopping.signal.aborted) {
      const reading = await readMetrics(port, key)
      for (const phase of phases) {
        const [now, before] = [reading.sums[phase], last?.sums[phase] ?? { ms: 0, count: 0 }]
        // An auction with several rounds of solving reports their mean.
        const count = now.count - before.count
        if (count > 0) times.of[phase].push((now.ms - before.ms) / count)
      }
      times.standings = reading.standings
      last = reading
      await pause(50)
    }
  }
  const watching = watch()
  // The error is reported when watching stops.
  watching.catch(() => {})
  return {
    times,
    async stop() {
      stopping.abort()
      await watching
    },
  }
}

function emptyTimes(): PhaseTimes['of'] {
  return { assemble: [], solve: [], simulate: [], record: [], settle: [] }
}

async function readMetrics(port: number, key: string): Promise<Reading> {
  const url = `http://127.0.0.1:${port}/metrics`
  const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } })
  if (!response.ok) throw new Error(`/metrics answers ${response.status}`)
  const text = await response.text()
  const value = (name: string, labels: string) =>
    Number(new RegExp(`^${name}\\{[^}]*${labels}[^}]*\\} (\\S+)`, 'm').exec(text)?.[1] ?? 0)
  const series = 'tradegraph_auction_phase_duration_seconds'
  const sums = Object.fromEntries(
    phases.map((phase) => {
      const labels = `phase="${phase}"`
      return [phase, { ms: value(`${series}_sum`, labels) * 1_000, count: value(`${series}_count`, labels) }]
    }),
  ) as Reading['sums']
  const standings = [...text.matchAll(/^tradegraph_auction_orders\{[^}]*standing="(\w+)"[^}]*\} (\d+)/gm)]
  return { sums, standings: Object.fromEntries(standings.map(([, name, count]) => [name, Number(count)])) }
}

export interface PhaseFigures {
  auctions: number
  firstMs: number
  p50Ms: number
  p95Ms: number
}

/** @param from the first auction of each phase that counts as steady */
export function summarisePhases(
  { of }: PhaseTimes,
  from: Record<Phase, number>,
): Record<Phase, PhaseFigures> {
  const figures = phases.map((phase) => {
    const steady = of[phase].slice(from[phase]).toSorted((a, b) => a - b)
    const [firstMs = Number.NaN] = of[phase]
    const p50Ms = steady.length > 0 ? median(steady) : Number.NaN
    return [phase, { auctions: steady.length, firstMs, p50Ms, p95Ms: quantile(steady, 0.95) }] as const
  })
  return Object.fromEntries(figures) as Record<Phase, PhaseFigures>
}
