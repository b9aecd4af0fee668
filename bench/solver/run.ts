import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { createBuiltInSolver } from '../../src/solvers/built-in/solver.ts'
import type { Solver } from '../../src/solvers/solver.ts'
import { quantile } from '../load/turn.ts'
import { toTable } from '../report.ts'
import { upperBound } from './bound.ts'
import { type Instance, largeInstance, smallInstance } from './instances.ts'
import type { SolverBenchOptions } from './options.ts'
import { scoreOf, solverOptions } from './score.ts'

interface System {
  system: string
  solver: Solver
}

export interface SolverResults {
  system: string
  /** Shares of the bound, in small auctions. */
  share: { median: number; tenth: number; worst: number; sum: number }
  /** The median time of a small auction, in milliseconds. */
  medianMs: number
  longestMs: number
  large: { orders: number; pairs: number; score: number; ms: number; cpuMs: number }[]
}

const largeSizes = [
  [500, 20],
  [10_000, 20],
  [2_000, 1],
] as const
/** The minimum bound of an auction that could be settled. */
const smallestBound = 1e-6

export async function runSolver(
  { instances, against }: SolverBenchOptions,
  print: (line: string) => void,
): Promise<SolverResults[]> {
  const systems: System[] = [{ system: 'built-in', solver: createBuiltInSolver(solverOptions) }]
  if (against !== undefined) systems.push({ system: 'against', solver: await loadSolver(against) })
  const small = await withBounds(instances)
  print(`${small.length} of ${instances} small auctions can be settled`)
  const results: SolverResults[] = []
  for (const { system, solver } of systems) {
    const large = []
    for (const [orders, pairs] of largeSizes) large.push(await timeLarge(solver, orders, pairs))
    results.push({ system, ...(await shareOf(solver, small)), large })
  }
  print(toTable(head, results.map(toLine)))
  return results
}

const head = [
  'solver',
  'median',
  'tenth',
  'worst',
  'sum',
  'p50 ms',
  'max ms',
  '500/20 ms',
  '10k/20 ms',
  '2k/1 ms',
]

function toLine({ system, share, medianMs, longestMs, large }: SolverResults): string[] {
  const shares = [share.median, share.tenth, share.worst, share.sum].map((value) => value.toFixed(3))
  const times = [medianMs, longestMs].map((value) => value.toFixed(1))
  return [system, ...shares, ...times, ...large.map(({ cpuMs }) => cpuMs.toFixed(0))]
}

async function withBounds(count: number) {
  const found: { instance: Instance; bound: number }[] = []
  for (let seed = 1; seed <= count; seed++) {
    const instance = smallInstance(seed)
    const bound = await upperBound(instance)
    if (bound > smallestBound) found.push({ instance, bound })
  }
  return found
}

async function shareOf(solver: Solver, small: readonly { instance: Instance; bound: number }[]) {
  const [shares, times]: [number[], number[]] = [[], []]
  let [score, most] = [0, 0]
  for (const { instance, bound } of small) {
    const start = performance.now()
    const reached = await scoreOf(solver, instance)
    times.push(performance.now() - start)
    shares.push(reached / bound)
    score += reached
    most += bound
  }
  shares.sort((a, b) => a - b)
  times.sort((a, b) => a - b)
  return {
    share: {
      median: quantile(shares, 0.5),
      tenth: quantile(shares, 0.1),
      worst: quantile(shares, 0),
      sum: score / most,
    },
    medianMs: quantile(times, 0.5),
    longestMs: quantile(times, 1),
  }
}

async function timeLarge(solver: Solver, orders: number, pairs: number) {
  const instance = largeInstance(orders, pairs)
  const [start, cpu] = [performance.now(), process.cpuUsage()]
  const score = await scoreOf(solver, instance)
  return {
    orders,
    pairs,
    score,
    ms: performance.now() - start,
    cpuMs: process.cpuUsage(cpu).user / 1_000,
  }
}

async function loadSolver(folder: string): Promise<Solver> {
  const file = path.resolve(folder, 'src', 'solvers', 'built-in', 'solver.ts')
  const other: { createBuiltInSolver: typeof createBuiltInSolver } = await import(pathToFileURL(file).href)
  return other.createBuiltInSolver(solverOptions)
}
