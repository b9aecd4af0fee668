import { Refusal } from '../domain/error.ts'
import { unixSeconds } from '../domain/log.ts'
import type { Order } from '../domain/order.ts'
import type { Cancellation } from '../domain/order-creation.ts'
import { orderStatus } from '../domain/order-status.ts'
import type { OrderUid } from '../domain/order-uid.ts'
import { cancellationsDigest, isEcdsa } from '../domain/signing.ts'
import { tellCancelled } from '../notifications/record.ts'
import type { Tx } from '../storage/database.ts'
import { appendEvents } from '../storage/events.ts'
import { lockOrders } from '../storage/order-progress.ts'
import { findOrders, cancelOrders as markCancelled } from '../storage/orders.ts'
import type { OrderDesk } from './check.ts'
import { recoverOrRefuse } from './owner.ts'

/**
 * Cancels every order named, or none. A settlement that is on its way can still fill a cancelled order.
 * Checks in the contract's order: each order in turn (known, then its status), then the signature, then the owners.
 * @throws Refusal OrderNotFound, OnChainOrder, OrderFullyExecuted, AlreadyCancelled, OrderExpired, InvalidSignature, WrongOwner
 */
export async function cancelOrders(cancellation: Cancellation, desk: OrderDesk): Promise<OrderUid[]> {
  const uids = [...new Set(cancellation.orderUids)]
  await desk.db.transaction(async (tx) => {
    await lockOrders(tx, uids)
    const orders = await cancellable(tx, uids, desk)
    checkSigner(cancellation, orders, desk)
    await cancel(tx, orders, new Date(desk.now()))
  })
  return uids
}

async function cancellable(tx: Tx, uids: readonly OrderUid[], { network, now }: OrderDesk): Promise<Order[]> {
  const known = new Map((await findOrders(tx, uids)).map((order) => [order.uid, order]))
  return uids.map((uid) => {
    const order = known.get(uid)
    if (order?.chainId !== network.chainId)
      throw new Refusal('OrderNotFound', `no order ${uid} on ${network.name}`, { field: 'orderUids' })
    refuseUnlessOpen(order, unixSeconds(now()))
    return order
  })
}

function refuseUnlessOpen(order: Order, now: number): void {
  const status = orderStatus(order, now)
  const more = { field: 'orderUids', data: { uid: order.uid } }
  if (status === 'fulfilled') throw new Refusal('OrderFullyExecuted', 'the order is executed already', more)
  if (status === 'cancelled') throw new Refusal('AlreadyCancelled', 'the order is cancelled already', more)
  if (status === 'expired') throw new Refusal('OrderExpired', 'the order has expired', more)
  if (!isEcdsa(order.signingScheme)) {
    throw new Refusal('OnChainOrder', `${order.signingScheme} orders are cancelled on chain`, more)
  }
}

function checkSigner(
  { orderUids, signingScheme, signature }: Cancellation,
  orders: readonly Order[],
  { network }: OrderDesk,
): void {
  const { signer } = recoverOrRefuse(signingScheme, cancellationsDigest(network, orderUids), signature)
  for (const { owner, uid } of orders) {
    if (owner !== signer) {
      throw new Refusal('WrongOwner', `signature recovers to ${signer}, the order belongs to ${owner}`, {
        data: { uid, signer },
      })
    }
  }
}

async function cancel(tx: Tx, orders: readonly Order[], at: Date): Promise<void> {
  await markCancelled(
    tx,
    orders.map(({ id }) => id),
    at,
  )
  await appendEvents(
    tx,
    orders.map(({ id }) => ({ orderId: id, label: 'cancelled' as const, reason: null, timestamp: at })),
  )
  await tellCancelled(tx, orders, { by: 'api' }, at)
}
