import { createHash } from 'node:crypto'
import { createLruCache } from '../domain/derived.ts'
import type { OrderUid } from '../domain/order/order.ts'
import type { Db } from '../storage/database/database.ts'
import { noteUnchanged } from '../storage/order/mirror.ts'
import { type MirroredOrder, uidOf } from './read-order.ts'

/** The bodies of live orders as an order book wrote them when they were stored last. */
export interface StoredBodies {
  /**
   * Notes that the orders of unchanged bodies were compared now, and returns their UIDs. An order that ended,
   * or traded lately, is compared as a whole.
   */
  noteUnchanged(bodies: readonly unknown[]): Promise<Set<OrderUid>>
  /** Remembers the bodies of stored orders that are open, and that keys have signed. */
  remember(bodies: readonly unknown[], stored: readonly MirroredOrder[]): void
}

const maxBodies = 10_000

export function createStoredBodies(db: Db, chainId: number): StoredBodies {
  const digests = createLruCache<OrderUid, string>({ max: maxBodies })
  return {
    async noteUnchanged(bodies) {
      const unchanged = bodies.flatMap((body) => {
        const uid = uidOf(body)
        const known = uid && digests.get(uid)
        return known !== undefined && known === digestOf(body) ? [uid as OrderUid] : []
      })
      return unchanged.length > 0 ? noteUnchanged(db, chainId, unchanged) : new Set()
    },
    remember(bodies, stored) {
      const open = new Set(stored.filter(isOpen).map(({ order }) => order.uid))
      for (const body of bodies) {
        const uid = uidOf(body)
        if (uid && open.has(uid)) digests.set(uid, digestOf(body))
      }
    },
  }
}

const digestOf = (body: unknown) => createHash('sha256').update(JSON.stringify(body)).digest('base64')

/** Other signatures are checked again with each comparison. */
const isOpen = ({ order: { signingScheme }, isCancelled, isFilled }: MirroredOrder) =>
  (signingScheme === 'eip712' || signingScheme === 'ethsign') && !isCancelled && !isFilled
