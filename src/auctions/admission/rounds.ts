import type { Clock, Log } from '../../domain/log.ts'
import { storeRound } from '../../storage/auction/rounds.ts'
import type { Database } from '../../storage/database/database.ts'

/** Says that auctions are held, for those who ask why nothing happens. */
export interface AuctionRounds {
  /** Stores that one is held now, at most once in ten seconds. Never rejects: a fault costs the readers, not the auction. */
  note(): Promise<void>
}

const everyMs = 10_000

export function createRounds({
  db,
  chainId,
  now,
  log,
}: {
  db: Database
  chainId: number
  now: Clock
  log: Log
}): AuctionRounds {
  let last = Number.NEGATIVE_INFINITY
  return {
    async note() {
      const at = now()
      if (at - last < everyMs) return
      try {
        await storeRound(db, { chainId, at: new Date(at) })
        last = at
      } catch (error) {
        log.warn('the time of an auction is not stored', { chainId, error: String(error) })
      }
    },
  }
}
