import type { Figures, RowResult } from './measure.ts'
import { peers } from './suites/workload.ts'

type Columns = Record<string, (figures: Figures) => string>

const common = {
  'req/s': ({ requestsPerSecond }) => requestsPerSecond.toFixed(0),
  'p50 ms': ({ p50Ms }) => p50Ms.toFixed(2),
  'p99 ms': ({ p99Ms }) => p99Ms.toFixed(2),
  SQL: ({ statementsPerRequest }) => statementsPerRequest?.toFixed(2) ?? '?',
  'CPU ms': ({ cpuMsPerRequest }) => cpuMsPerRequest.toFixed(2),
  'block ms': ({ longestBlockMs }) => longestBlockMs.toFixed(1),
  errors: ({ errors }) => String(errors),
} satisfies Columns

const readColumns: Columns = {
  ...common,
  bytes: ({ bytes }) => String(bytes),
  alone: ({ defaultBlockAloneMs, longestBlockAloneMs }) =>
    `${defaultBlockAloneMs?.toFixed(1)} (${longestBlockAloneMs?.toFixed(1)})`,
}

export const writeColumns = {
  ...common,
  RPC: ({ rpcPerRequest }) => rpcPerRequest?.toFixed(2) ?? '?',
} satisfies Columns

const percent = (part: number | undefined): string =>
  part === undefined ? '?' : `${(part * 100).toFixed(0)} %`

export const quoteColumns: Columns = {
  'quotes/s': ({ requestsPerSecond }) => requestsPerSecond.toFixed(0),
  'p50 ms': common['p50 ms'],
  'p99 ms': common['p99 ms'],
  'max ms': ({ maxMs }) => maxMs?.toFixed(1) ?? '?',
  verified: ({ verified }) => percent(verified),
  'CPU ms': common['CPU ms'],
  'block ms': common['block ms'],
  errors: common.errors,
}

export const countColumns: Columns = {
  'p50 ms': common['p50 ms'],
  SQL: common.SQL,
  RPC: writeColumns.RPC,
  'time in RPC': ({ rpcShare }) => percent(rpcShare),
  errors: common.errors,
}

/** Columns for answers below a tenth of a millisecond. */
export const tokenColumns: Columns = {
  'req/s': common['req/s'],
  'p50 ms': ({ p50Ms }) => p50Ms.toFixed(3),
  'p99 ms': ({ p99Ms }) => p99Ms.toFixed(3),
  'CPU ms': ({ cpuMsPerRequest }) => cpuMsPerRequest.toFixed(3),
  'block ms': common['block ms'],
  errors: common.errors,
}

/** Formats one workload's table: a line for each system, with its throughput as a multiple of each peer's. */
export function formatTable(title: string, results: readonly RowResult[], columns = readColumns): string {
  const measured = peers.filter((peer) => results.some((result) => result.peer === peer && result.figures))
  const head = ['system', ...Object.keys(columns), ...measured.map((peer) => `x ${peer}`)]
  const lines = results.flatMap((result) => {
    const { system, figures } = result
    return figures
      ? [
          [
            system,
            ...Object.values(columns).map((format) => format(figures)),
            ...measured.map((peer) => ratios(result, results)[peer]?.toFixed(2) ?? ''),
          ],
        ]
      : []
  })
  const skipped = results.flatMap(({ system, skipped }) => (skipped ? [`${system}: ${skipped}`] : []))
  const faults = results.flatMap(({ system, figures }) =>
    figures?.firstError ? [`${system}, first error: ${figures.firstError}`] : [],
  )
  return [title, toTable(head, lines), ...skipped, ...faults].join('\n')
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

/** Returns throughput as a multiple of each peer's. Figures with errors have none. */
export function ratios({ figures }: RowResult, results: readonly RowResult[]): Record<string, number> {
  return Object.fromEntries(
    peers.flatMap((peer) => {
      const other = results.find((result) => result.peer === peer)?.figures
      return figures?.errors === 0 && other?.errors === 0
        ? [[peer, figures.requestsPerSecond / other.requestsPerSecond]]
        : []
    }),
  )
}
