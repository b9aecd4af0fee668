import type { Auction } from '../../domain/auction/auction.ts'
import type { LeftOutReason } from '../../domain/auction/competition.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Clock, Log } from '../../domain/log.ts'
import type { Network } from '../../domain/network/network.ts'
import { insertMarketPrices } from '../../storage/auction/competition.ts'
import {
  moveExclusions,
  type OpenExclusions,
  openExclusions,
  removeCurrentAuction,
  storeCurrentAuction,
  storeRound,
} from '../../storage/auction/current-auction.ts'
import type { Database, Tx } from '../../storage/database/database.ts'

/** Stores what solvers are given, for those who may read it. */
export interface CurrentAuction {
  /**
   * Undefined: no order can be settled at the moment. Never rejects: a fault costs the readers, not the
   * auction.
   */
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

/** Reasons why an auction left out live orders, by row key. */
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

/** Says that auctions are held, for those who ask why nothing happens. */
export interface AuctionRounds {
  /**
   * Stores that an auction is held now, at most once in ten seconds. Never rejects: a fault costs the
   * readers, not the auction.
   */
  note(): Promise<void>
}

const roundsEveryMs = 10_000

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
      if (at - last < roundsEveryMs) return
      try {
        await storeRound(db, { chainId, at: new Date(at) })
        last = at
      } catch (error) {
        log.warn('the time of an auction is not stored', { chainId, error: String(error) })
      }
    },
  }
}

/** Keeps what the market gave for live orders, for the answer to why they were not filled. */
export interface MarketPrices {
  /** Stores the prices, at most once in five minutes; `read` is called only then. */
  keep(read: () => ReadonlyMap<Address, bigint>): Promise<void>
}

const pricesEveryMs = 300_000
/** Tokens of one moment. */
const maxTokens = 5_000

export function createMarketPrices({
  db,
  chainId,
  now,
}: {
  db: Database
  chainId: number
  now: Clock
}): MarketPrices {
  let last: number | undefined
  return {
    async keep(read) {
      // Times are multiples of the interval, so that processes that lead one after the other write a moment
      // once.
      const at = now() - (now() % pricesEveryMs)
      if (at === last) return
      const nativePrices = read()
      if (nativePrices.size === 0) return
      await insertMarketPrices(db, chainId, new Map([...nativePrices].slice(0, maxTokens)), new Date(at))
      last = at
    },
  }
}
