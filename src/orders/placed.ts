import type { OrderCreation } from '../domain/order/creation.ts'
import type { OrderUid } from '../domain/order/uid.ts'
import { findOrder } from '../storage/order/orders.ts'
import type { OrderServices } from './check.ts'
import { uidOf } from './place.ts'

/**
 * The UID of this order if it was placed at `since` or later: for a client that does not know how its attempt ended. An older order
 * was not placed by that attempt, which got DuplicatedOrder.
 */
export async function placedSince(
  creation: OrderCreation,
  since: Date,
  services: OrderServices,
): Promise<OrderUid | undefined> {
  const uid = await uidOf(creation, services)
  const order = await findOrder(services.db, uid, services.network.chainId)
  return order && order.creationDate >= since ? uid : undefined
}
