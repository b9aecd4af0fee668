import type { Auction } from '../../domain/auction/auction.ts'
import type { LeftOutReason } from '../../domain/auction/refusal.ts'
import { moveExclusions, type OpenExclusions, openExclusions } from '../../storage/auction/exclusions.ts'
import type { Tx } from '../../storage/database/database.ts'

/** By row key of a live order: why an auction left it out. */
export type LeftOut = ReadonlyMap<bigint, LeftOutReason>

/** Stores which orders the stored auctions left out. Orders of which that did not change cost nothing. */
export interface Exclusions {
  /** Forgets what is stored, as another process may have written since. */
  reset(): void
  /** @returns what is to be called when the transaction is committed */
  record(tx: Tx, auction: Pick<Auction, 'id' | 'chainId'>, leftOut: LeftOut): Promise<{ keep(): void }>
}

export function createExclusions(): Exclusions {
  let stored: OpenExclusions | undefined
  return {
    reset() {
      stored = undefined
    },
    async record(tx, auction, leftOut) {
      const before = stored ?? (await openExclusions(tx, auction.chainId))
      stored = undefined
      const ended = [...before].filter(([id, reason]) => leftOut.get(id) !== reason).map(([id]) => id)
      const begun = new Map([...leftOut].filter(([id, reason]) => before.get(id) !== reason))
      await moveExclusions(tx, auction, ended, begun)
      return {
        keep: () => {
          stored = leftOut
        },
      }
    },
  }
}
