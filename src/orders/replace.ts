import { Refusal } from '../domain/errors/error.ts'
import type { Order } from '../domain/order/order.ts'
import type { OrderUid } from '../domain/order/uid.ts'
import { isEcdsa } from '../domain/signing/signing.ts'
import { recordCancelled } from '../notifications/record.ts'
import { wasBidOn } from '../storage/auction/competition.ts'
import type { Tx } from '../storage/database/database.ts'
import { cancelOrders } from '../storage/order/orders.ts'
import { cancellable } from './cancellable.ts'
import type { Candidate, Check, OrderServices } from './check.ts'

/** An order is not replaced while a bid on it from one of this many last auctions may still be settled. */
const recentAuctions = 5

/** The order to be replaced is one that could be cancelled now. */
export const replaced: Check = async ({ parsedAppData: { replacedOrder } }, services) => {
  if (replacedOrder) await cancellable(services.db, wanted(replacedOrder), services)
}

export interface Replacement {
  replacedOrder: OrderUid
  order: Candidate
  at: Date
}

/**
 * Cancels the order that a new one replaces, in the transaction that stored the new one and holds the locks of both.
 * The old order's story gets no event of its own, as clients know it; its owner is told.
 * @throws Refusal OrderNotFound, OrderFullyExecuted, AlreadyCancelled, OrderExpired, OnChainOrder, InvalidSignature, WrongOwner, OldOrderActivelyBidOn
 */
export async function replace(
  tx: Tx,
  { replacedOrder, order, at }: Replacement,
  services: OrderServices,
): Promise<void> {
  const orders = await cancellable(tx, wanted(replacedOrder), services)
  for (const old of orders) await refuseUnlessReplaceable(tx, old, order)
  await cancelOrders(
    tx,
    orders.map(({ id }) => id),
    at,
  )
  await recordCancelled(tx, orders, { by: 'replacement', uid: order.uid }, at)
}

async function refuseUnlessReplaceable(tx: Tx, old: Order, { creation, owner }: Candidate): Promise<void> {
  const more = { field: 'appData', data: { uid: old.uid } }
  if (!isEcdsa(creation.signingScheme)) {
    throw new Refusal('InvalidSignature', 'only an eip712 or ethsign order replaces another', more)
  }
  if (old.owner !== owner) {
    throw new Refusal('WrongOwner', `the order to be replaced belongs to ${old.owner}`, more)
  }
  if (await wasBidOn(tx, old, recentAuctions)) {
    throw new Refusal(
      'OldOrderActivelyBidOn',
      `solvers bid on the order to be replaced in the last ${recentAuctions} auctions`,
      more,
    )
  }
}

function wanted(uid: OrderUid) {
  return { uids: [uid], field: 'appData' }
}
