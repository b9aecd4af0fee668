import type { Reason } from './diagnosis.ts'
import type { DiagnosisFacts } from './facts.ts'
import { reasonOf } from './reason.ts'
import { formatSeconds } from './words.ts'

/** Reasons that block every order of the network. */

/** The number of blocks without news after which a chain, or its followers, count as behind. */
const silentBlocks = 10
/** The number of auctions in a row that may be missed. */
const missedAuctions = 5
const minSilenceMs = 60_000

export function serviceReasons({ now, order, service, look }: DiagnosisFacts): Reason[] {
  const { indexed, head, auctionAt } = service
  const since = (at: Date) => Math.floor((now.getTime() - at.getTime()) / 1_000)
  const reasons: Reason[] = []
  if (look === 'away') reasons.push(reasonOf('nodeAway', auctionAt, indexedBlock(service)))
  const quietMs = minSilenceMs + silentBlocks * service.blockTimeMs
  if (indexed?.at && now.getTime() - indexed.at.getTime() > quietMs) {
    const summary = `The newest block that the service has stored, ${indexed.block}, is ${formatSeconds(since(indexed.at))} old.`
    const evidence = [{ kind: 'blocks', number: indexed.block, at: indexed.at, head } as const]
    reasons.push(reasonOf('chainBehind', indexed.at, evidence, summary))
  }
  if (isHalted({ now, order, service }))
    reasons.push(
      auctionAt
        ? reasonOf(
            'auctionsHalted',
            auctionAt,
            indexedBlock(service),
            `The last auction was held ${formatSeconds(since(auctionAt))} ago.`,
          )
        : reasonOf('auctionsHalted', null, indexedBlock(service)),
    )
  return reasons
}

/** Reports whether an auction is overdue since the last one and since the order was placed. */
export function isHalted({
  now,
  order,
  service,
}: Pick<DiagnosisFacts, 'now' | 'order' | 'service'>): boolean {
  const last = Math.max(service.auctionAt?.getTime() ?? 0, order.creationDate.getTime())
  return now.getTime() - last > minSilenceMs + missedAuctions * service.auctionPauseMs
}

function indexedBlock({ indexed, head }: DiagnosisFacts['service']) {
  return indexed ? [{ kind: 'blocks', number: indexed.block, at: indexed.at, head } as const] : []
}
