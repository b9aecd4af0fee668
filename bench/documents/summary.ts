import type { RowResult } from '../measure.ts'
import { toTable } from '../report.ts'

export interface DocumentResult {
  name: string
  rows: RowResult[]
}

const figures = ({ figures, skipped }: RowResult): string[] =>
  figures
    ? [
        figures.requestsPerSecond.toFixed(0),
        figures.p50Ms.toFixed(2),
        figures.p99Ms.toFixed(2),
        String(figures.bytes),
        figures.statementsPerRequest?.toFixed(2) ?? '?',
        figures.cpuMsPerRequest.toFixed(2),
        String(figures.errors),
      ]
    : ['', '', '', '', '', '', skipped ? 'skipped' : '']

/** Formats a line for each document and system; below, the minimum and median of the ratios. */
export function formatSummary(results: readonly DocumentResult[]): string {
  const lines = results.flatMap(({ name, rows }) =>
    rows.map((row, index) => [
      index === 0 ? name : '',
      row.system,
      ...figures(row),
      ratioOf(row, rows)?.toFixed(2) ?? '',
    ]),
  )
  const head = [
    'document',
    'system',
    'req/s',
    'p50 ms',
    'p99 ms',
    'bytes',
    'SQL',
    'CPU ms',
    'errors',
    'x PostGraphile',
  ]
  const faults = results.flatMap(({ name, rows }) =>
    rows.flatMap(({ system, skipped, figures }) => {
      const fault = skipped ?? figures?.firstError
      return fault === undefined ? [] : [`${name}, ${system}: ${fault}`]
    }),
  )
  return [toTable(head, lines), ...faults, ...totals(results)].join('\n')
}

/** Sums the documents that a system and PostGraphile both answered, and those of two programs. */
export function totals(results: readonly DocumentResult[]): string[] {
  return [...totalsBy(results, 'PostGraphile'), ...totalsBy(results, 'tradegraph')]
}

function totalsBy(results: readonly DocumentResult[], base: string): string[] {
  const systems = new Set(
    results.flatMap(({ rows }) =>
      rows.filter((row) => !row.peer && row.system !== base).map((row) => row.system),
    ),
  )
  return [...systems].flatMap((system) => {
    const measured = results.flatMap(({ name, rows }) => {
      const row = rows.find((each) => each.system === system)
      const ratio = row && ratioOf(row, rows, base)
      return ratio === undefined ? [] : [{ name, ratio }]
    })
    const least = measured.toSorted((a, b) => a.ratio - b.ratio)[0]
    if (!least) return []
    const middle = middleOf(measured.map(({ ratio }) => ratio)).toFixed(2)
    return [
      `${system} x ${base} over ${measured.length} documents: least ${least.ratio.toFixed(2)} (${least.name}), median ${middle}`,
    ]
  })
}

/** Returns the median; of an even number, the mean of the middle two. */
function middleOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]]
  return ((low ?? Number.NaN) + (high ?? Number.NaN)) / 2
}

/**
 * Returns the median of the rounds' ratios: other load in a round affects both systems. Figures with errors
 * have none.
 */
export function ratioOf(
  row: RowResult,
  rows: readonly RowResult[],
  base = 'PostGraphile',
): number | undefined {
  const peer = rows.find((each) => each.system === base)
  if (row.peer || !peer || row.figures?.errors || peer.figures?.errors) return undefined
  const each = row.rounds.flatMap(({ requestsPerSecond }, round) => {
    const other = peer.rounds[round]
    return other ? [requestsPerSecond / other.requestsPerSecond] : []
  })
  return each.length > 0 ? middleOf(each) : undefined
}
