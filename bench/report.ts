import type { Figures, RowResult, WorkloadResult } from './measure.ts'

type Columns = Readonly<Record<string, (figures: Figures) => string>>

const percent = (part: number | undefined): string =>
  part === undefined ? '?' : `${(part * 100).toFixed(0)} %`

const column = {
  'req/s': ({ requestsPerSecond }) => requestsPerSecond.toFixed(0),
  'p50 ms': ({ p50Ms }) => p50Ms.toFixed(2),
  'p99 ms': ({ p99Ms }) => p99Ms.toFixed(2),
  'max ms': ({ maxMs }) => maxMs?.toFixed(1) ?? '?',
  bytes: ({ bytes }) => String(bytes),
  SQL: ({ statementsPerRequest }) => statementsPerRequest?.toFixed(2) ?? '?',
  RPC: ({ rpcPerRequest }) => rpcPerRequest?.toFixed(2) ?? '?',
  'time in RPC': ({ rpcShare }) => percent(rpcShare),
  verified: ({ verified }) => percent(verified),
  'CPU ms': ({ cpuMsPerRequest }) => cpuMsPerRequest.toFixed(2),
  'block ms': ({ maxBlockMs }) => maxBlockMs.toFixed(1),
  alone: ({ defaultBlockAloneMs, maxBlockAloneMs }) =>
    `${defaultBlockAloneMs?.toFixed(1)} (${maxBlockAloneMs?.toFixed(1)})`,
  errors: ({ errors }) => String(errors),
} satisfies Columns

const choose = (...names: (keyof typeof column)[]): Columns =>
  Object.fromEntries(names.map((name) => [name, column[name]]))

export const readColumns = choose('req/s', 'p50 ms', 'p99 ms', 'bytes', 'SQL', 'CPU ms', 'alone', 'errors')
export const writeColumns = choose('req/s', 'p50 ms', 'p99 ms', 'SQL', 'RPC', 'CPU ms', 'block ms', 'errors')
export const quoteColumns = choose(
  'req/s',
  'p50 ms',
  'p99 ms',
  'max ms',
  'verified',
  'CPU ms',
  'block ms',
  'errors',
)
export const countColumns = choose('p50 ms', 'SQL', 'RPC', 'time in RPC', 'errors')

/** Formats a line for each workload and system; for the first system, its requests over those of the other. */
export function formatTable(title: string, results: readonly WorkloadResult[], columns: Columns): string {
  const lines = results.flatMap(({ name, rows }) =>
    rows.map((row, index) => [
      index === 0 ? name : '',
      row.system,
      ...Object.values(columns).map((format) => (row.figures ? format(row.figures) : '')),
      ratioOf(row, rows)?.toFixed(2) ?? '',
    ]),
  )
  const faults = results.flatMap(({ name, rows }) =>
    rows.flatMap(({ system, skipped, figures }) => {
      const fault = skipped ?? figures?.firstError
      return fault === undefined ? [] : [`${name}, ${system}: ${fault}`]
    }),
  )
  return [toTable([title, 'system', ...Object.keys(columns), 'ratio'], lines), ...faults].join('\n')
}

/** Formats a table, names left-aligned, figures right-aligned. */
export function toTable(head: readonly string[], lines: readonly (readonly string[])[]): string {
  const widths = head.map((_, index) => Math.max(...[head, ...lines].map((line) => line[index]?.length ?? 0)))
  const format = (line: readonly string[]) =>
    line
      .map((cell, index) => (index === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[index] ?? 0)))
      .join('  ')
  return [head, ...lines].map(format).join('\n')
}

/** Returns the minimum and the median of the ratios of the first system's requests to the other's. */
export function totals(results: readonly WorkloadResult[]): string[] {
  const measured = results.flatMap(({ name, rows }) => {
    const [row, other] = rows
    const ratio = row && ratioOf(row, rows)
    return ratio === undefined ? [] : [{ name, ratio, systems: `${row?.system} ÷ ${other?.system}` }]
  })
  const [min] = measured.toSorted((a, b) => a.ratio - b.ratio)
  if (!min) return []
  const middle = middleOf(measured.map(({ ratio }) => ratio)).toFixed(2)
  return [
    `${min.systems} over ${measured.length} documents: min ${min.ratio.toFixed(2)} (${min.name}), median ${middle}`,
  ]
}

/** Returns the median; of an even number, the mean of the middle two. */
function middleOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]]
  return ((low ?? Number.NaN) + (high ?? Number.NaN)) / 2
}

/**
 * Returns the median of the rounds' ratios of the first row to the second: other load in a round affects both.
 * Figures with errors have none.
 */
export function ratioOf(row: RowResult, rows: readonly RowResult[]): number | undefined {
  const [first, other] = rows
  if (row !== first || !other || row.figures?.errors || other.figures?.errors) return undefined
  const each = row.rounds.flatMap(({ requestsPerSecond }, round) => {
    const beside = other.rounds[round]
    return beside ? [requestsPerSecond / beside.requestsPerSecond] : []
  })
  return each.length > 0 ? middleOf(each) : undefined
}
