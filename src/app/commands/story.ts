import { attemptsFor } from '../../domain/auction/competition.ts'
import type { EventAnswer, ExplainedOrder } from './documents.ts'

/** One thing that happened to an order. */
export interface Step {
  at: string
  what: string
  detail: string | null
  txHash: string | null
}

/** Its events and the tries to settle it, oldest first. */
export function storyOf({ events, debugReport }: ExplainedOrder): Step[] {
  const attempts = debugReport.auctions.nodes.flatMap(({ auctionId, ...auction }) =>
    attemptsFor(auction).flatMap(
      ({ solver, outcome, detail, txHash, startTimestamp, endTimestamp }): Step[] => {
        const started = {
          ...{ at: startTimestamp, what: 'SETTLEMENT_STARTED', txHash: null },
          detail: `auction ${auctionId}, solver ${solver}`,
        }
        if (endTimestamp === null) return [started]
        const what = outcome === 'SUCCESS' ? 'SETTLED' : `SETTLEMENT_${outcome}`
        return [started, { at: endTimestamp, what, detail, txHash }]
      },
    ),
  )
  return [...events.nodes.map(stepOf), ...attempts].toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at))
}

export function stepOf({ label, reason, detail, source, txHash, timestamp }: EventAnswer): Step {
  const words = [reason, source && `by ${source}`, detail].filter((word) => word)
  return { at: timestamp, what: label, detail: words.join(', ') || null, txHash }
}
