import { median, quantile } from '../load/turn.ts'
import { toTable } from '../report.ts'
import type { CompetitionResults } from './run.ts'

export function formatCompetition(results: readonly CompetitionResults[]): string {
  const tables = [
    toTable(columns, results.map(toLine)),
    ...results.map(({ field, balances }) =>
      toTable(
        [`${field}: token`, 'fees told, atoms', 'beyond them', 'rounding'],
        balances.tokens.map(({ symbol, fees, beyond, rounding }) => [
          symbol,
          `${fees}`,
          `${beyond}`,
          `${rounding}`,
        ]),
      ),
    ),
    formatAccounting(results),
    ...results.flatMap(({ bad }) => (bad ? [formatReasons(bad.reasons)] : [])),
  ]
  return tables.join('\n\n')
}

const columns = [
  'solvers',
  'orders',
  'ended',
  'auctions',
  'solutions',
  'settlements by',
  'competing p50 ms',
  'p99 ms',
  'assemble p50',
  'record p50',
  'order to trade p50 ms',
  'p99',
  'RSS MB',
]

function toLine(results: CompetitionResults): string[] {
  const { field, placed, endings, selection, settled, competing, phases, rssMb } = results
  const pairs = (of: Record<string, number>) =>
    Object.entries(of)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ')
  return [
    field,
    String(placed),
    pairs(endings.statuses),
    String(selection.auctions),
    String(selection.solutions),
    pairs(settled),
    competing.p50Ms.toFixed(0),
    competing.p99Ms.toFixed(0),
    phases.assemble.p50Ms.toFixed(0),
    phases.record.p50Ms.toFixed(0),
    median(endings.toTradeMs).toFixed(0),
    quantile(endings.toTradeMs, 0.99).toFixed(0),
    rssMb.toFixed(0),
  ]
}

const ofAccounts = [
  'wins',
  'settlements',
  'gas_cost',
  'reverted_attempts',
  'network_fees',
  'protocol_fees',
  'partner_fees',
  'slippage',
]

function formatAccounting(results: readonly CompetitionResults[]): string {
  return toTable(
    ['accounting', 'lines', ...ofAccounts],
    results.map(({ field, accounting: { lines, sums, faults } }) => [
      `${field}: ${faults.length === 0 ? 'equal' : `${faults.length} differences`}`,
      String(lines),
      ...ofAccounts.map((column) => `${sums[column] ?? ''}`),
    ]),
  )
}

function formatReasons(reasons: Record<string, string[]>): string {
  const shortest = 110
  return toTable(
    ['bad solver', 'can read'],
    Object.entries(reasons).map(([name, words]) => [name, words.join('; ').slice(0, shortest)]),
  )
}
