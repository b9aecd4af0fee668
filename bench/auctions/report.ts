import { toTable } from '../report.ts'
import { phases } from './phases.ts'
import type { AuctionResults } from './run.ts'

/** Formats the results; simulating includes solving. */
export function formatResults(results: readonly AuctionResults[]): string {
  const ms = (value: number) => value.toFixed(1)
  const times = results.flatMap(({ orders, phases: figures }) =>
    phases.map((phase) => {
      const { auctions, firstMs, p50Ms, p95Ms } = figures[phase]
      return [`${orders} orders, ${phase}`, String(auctions), ms(firstMs), ms(p50Ms), ms(p95Ms)]
    }),
  )
  const costs = results.map(({ orders, standings, swap, auctions, cost, rssMb, standingSeconds }) => [
    String(orders),
    String(standings.in_auction ?? 0),
    standingSeconds.toFixed(0),
    swap.p50Ms.toFixed(0),
    swap.p95Ms.toFixed(0),
    String(auctions),
    (cost.rows / auctions).toFixed(1),
    (cost.bytes / auctions).toFixed(0),
    (cost.walBytes / auctions).toFixed(0),
    rssMb.toFixed(0),
  ])
  return [
    toTable(['phase', 'times', 'first ms', 'p50 ms', 'p95 ms'], times),
    toTable(
      [
        'resting orders',
        'in auction',
        'all stand s',
        'swap p50 ms',
        'swap p95 ms',
        'auctions stored',
        'rows each',
        'bytes each',
        'WAL each',
        'RSS MB',
      ],
      costs,
    ),
  ].join('\n\n')
}
