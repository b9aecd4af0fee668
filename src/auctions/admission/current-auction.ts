import type { Auction } from '../../domain/auction/auction.ts'
import type { Log } from '../../domain/log.ts'
import type { Network } from '../../domain/network/network.ts'
import { removeCurrentAuction, storeCurrentAuction } from '../../storage/auction/current.ts'
import type { Database } from '../../storage/database/database.ts'

/** Stores what solvers are given, for those who may read it. */
export interface CurrentAuction {
  /** Undefined: no order can be settled at the moment. Never rejects: a fault costs the readers, not the auction. */
  show(auction: Auction | undefined): Promise<void>
}

export const hiddenAuction: CurrentAuction = { show: async () => {} }

export function createCurrentAuction({
  db,
  network,
  log,
}: {
  db: Database
  network: Pick<Network, 'chainId' | 'name'>
  log: Log
}): CurrentAuction {
  let isRemoved = false
  return {
    async show(auction) {
      if (!auction && isRemoved) return
      try {
        if (auction) await storeCurrentAuction(db, auction)
        else await removeCurrentAuction(db, network.chainId)
        isRemoved = auction === undefined
      } catch (error) {
        log.warn('the current auction is not stored', { network: network.name, error: String(error) })
      }
    },
  }
}
