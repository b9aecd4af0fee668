import { Refusal } from '../domain/error.ts'
import { unixSeconds } from '../domain/log.ts'
import type { Order } from '../domain/order.ts'
import { orderStatus } from '../domain/order-status.ts'
import type { OrderUid } from '../domain/order-uid.ts'
import { isEcdsa } from '../domain/signing.ts'
import type { Db } from '../storage/database.ts'
import { findOrders } from '../storage/orders.ts'
import type { OrderDesk } from './check.ts'

export interface Wanted {
  uids: readonly OrderUid[]
  /** The member of the request that names them. */
  field: string
  /** Orders whose signature stands on chain are cancelled there, but for what the operator does. */
  byOperator?: boolean
}

/**
 * Orders that can still be cancelled, as they were named: each in turn must be known, and then be neither ended nor on chain.
 * @throws Refusal OrderNotFound, OrderFullyExecuted, AlreadyCancelled, OrderExpired, OnChainOrder
 */
export async function cancellable(
  db: Db,
  { uids, field, byOperator = false }: Wanted,
  { network, now }: Pick<OrderDesk, 'network' | 'now'>,
): Promise<Order[]> {
  const known = new Map((await findOrders(db, uids)).map((order) => [order.uid, order]))
  return uids.map((uid) => {
    const order = known.get(uid)
    if (order?.chainId !== network.chainId)
      throw new Refusal('OrderNotFound', `no order ${uid} on ${network.name}`, { field })
    refuseUnlessOpen(order, unixSeconds(now()), field)
    if (!byOperator && !isEcdsa(order.signingScheme)) {
      throw new Refusal('OnChainOrder', `${order.signingScheme} orders are cancelled on chain`, {
        field,
        data: { uid },
      })
    }
    return order
  })
}

function refuseUnlessOpen(order: Order, now: number, field: string): void {
  const status = orderStatus(order, now)
  const more = { field, data: { uid: order.uid } }
  if (status === 'fulfilled') throw new Refusal('OrderFullyExecuted', 'the order is executed already', more)
  if (status === 'cancelled') throw new Refusal('AlreadyCancelled', 'the order is cancelled already', more)
  if (status === 'expired') throw new Refusal('OrderExpired', 'the order has expired', more)
}
