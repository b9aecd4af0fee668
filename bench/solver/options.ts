import path from 'node:path'
import { parseArgs } from 'node:util'
import { whole } from '../options.ts'

export interface SolverBenchOptions {
  instances: number
  against: string | undefined
  json: string
}

export const solverUsage = `usage: npm run bench -- solver [flags]

Solves small random auctions with the built-in solver and compares what its winners score with an upper bound, computed by HiGHS: the
share of it, median and worst. Then the time of large auctions: 500 orders on 20 pairs, 10,000 on 20, 2,000 on one.

  --instances N     small auctions (default 300)
  --against DIR     another checkout of the program, whose solver gets the same auctions
  --json FILE       where the figures go (default bench/results/solver.json)`

/** @throws with the fault */
export function readSolverOptions(argv: readonly string[]): SolverBenchOptions {
  const { values } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      instances: { type: 'string', default: '300' },
      against: { type: 'string' },
      json: { type: 'string', default: path.join(import.meta.dirname, '..', 'results', 'solver.json') },
    },
  })
  return {
    instances: whole('instances', values.instances, 1, 100_000),
    against: values.against,
    json: values.json,
  }
}
