import { Refusal } from '../domain/errors/error.ts'
import type { NewOrder, Order } from '../domain/order/order.ts'
import type { OrderUid } from '../domain/order/uid.ts'
import { isEcdsa } from '../domain/signing/signing.ts'
import { recordCancelled } from '../notifications/record.ts'
import { wasBidOn } from '../storage/auction/competition.ts'
import { isBeingSettled } from '../storage/auction/transactions.ts'
import type { Db, Tx } from '../storage/database/database.ts'
import { cancelOrders } from '../storage/order/orders.ts'
import { cancellable } from './cancellable.ts'
import type { Check, OrderServices } from './check.ts'
import { unique } from './checks/unique.ts'

/** A bid from one of this many last auctions may still be settled: an order with such a bid is not replaced. */
const recentAuctions = 5

/** The order to be replaced can be cancelled now. */
export const replaced: Check = async (candidate, services) => {
  const { replacedOrder } = candidate.parsedAppData
  if (!replacedOrder) return
  try {
    await findReplaced(services.db, replacedOrder, services)
  } catch (fault) {
    // A copy of this order may have been stored since `unique` ran, and have cancelled the old order.
    await unique(candidate, services)
    throw fault
  }
}

/**
 * Cancels the order that `order` replaces, in the transaction that stored `order` and holds the locks of both.
 * @throws Refusal OrderNotFound, OrderFullyExecuted, AlreadyCancelled, OrderExpired, OnChainOrder, InvalidSignature, WrongOwner, OldOrderActivelyBidOn
 */
export async function replace(
  tx: Tx,
  replacedOrder: OrderUid,
  order: NewOrder,
  services: OrderServices,
): Promise<void> {
  const orders = await findReplaced(tx, replacedOrder, services)
  for (const old of orders) await refuseUnlessReplaceable(tx, old, order)
  await cancelOrders(
    tx,
    orders.map(({ id }) => id),
    order.creationDate,
  )
  await recordCancelled(tx, orders, { by: 'replacement', uid: order.uid }, order.creationDate)
}

async function refuseUnlessReplaceable(
  tx: Tx,
  old: Order,
  { signingScheme, owner }: NewOrder,
): Promise<void> {
  const more = { field: 'appData', data: { uid: old.uid } }
  if (!isEcdsa(signingScheme)) {
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
  if (await isBeingSettled(tx, old)) {
    throw new Refusal('OldOrderActivelyBidOn', 'a settlement of the order to be replaced is on its way', more)
  }
}

function findReplaced(db: Db, replacedOrder: OrderUid, services: OrderServices): Promise<Order[]> {
  return cancellable(db, { uids: [replacedOrder], field: 'appData' }, services)
}
