import type { Bytes32 } from '../domain/evm/hex.ts'
import type { Cancellation } from '../domain/order/creation.ts'
import type { Cancellation as CancellationCause } from '../domain/order/event.ts'
import type { Order } from '../domain/order/order.ts'
import type { OrderUid } from '../domain/order/uid.ts'
import { cancellationDigest, cancellationsDigest } from '../domain/signing/signing.ts'
import { recordCancelled } from '../notifications/record.ts'
import type { Tx } from '../storage/database/database.ts'
import { cancelOrders as markCancelled } from '../storage/order/orders.ts'
import { lockOrders } from '../storage/order/progress.ts'
import { cancellable, refusePrevented } from './cancellable.ts'
import type { OrderServices } from './check.ts'
import { recoverOrRefuse } from './owner.ts'

/**
 * Cancels all the orders, or none. A settlement that was sent already can still fill a cancelled order: the auctions withdraw one whose
 * orders are all cancelled.
 * The interface fixes the order of checks: for each order that it exists and its status, then the signature, then the owners.
 * @throws Refusal OrderNotFound, OnChainOrder, OrderFullyExecuted, AlreadyCancelled, OrderExpired, InvalidSignature, WrongOwner
 */
export async function cancelOrders(cancellation: Cancellation, services: OrderServices): Promise<OrderUid[]> {
  const digests = [cancellationsDigest(services.network, cancellation.orderUids)]
  return cancelSigned(cancellation, { digests, field: 'orderUids' }, services)
}

/** The same for one order, signed on its own or as a list of one. */
export async function cancelOrder(
  { orderUid, ...signed }: Omit<Cancellation, 'orderUids'> & { orderUid: OrderUid },
  services: OrderServices,
): Promise<OrderUid> {
  const digests = [
    cancellationDigest(services.network, orderUid),
    cancellationsDigest(services.network, [orderUid]),
  ]
  await cancelSigned({ ...signed, orderUids: [orderUid] }, { digests, field: 'orderUid' }, services)
  return orderUid
}

/**
 * Cancels orders for the operator, of any owner and signing scheme. The caller checks that the request comes from the operator.
 * @throws Refusal OrderNotFound, OrderFullyExecuted, AlreadyCancelled, OrderExpired
 */
export async function cancelByPolicy(
  { orderUids, reason }: { orderUids: readonly OrderUid[]; reason: string | null },
  services: OrderServices,
): Promise<OrderUid[]> {
  const uids = [...new Set(orderUids)]
  await services.db.transaction(async (tx) => {
    await lockOrders(tx, uids)
    const orders = await cancellable(tx, { uids, field: 'orderUids', byOperator: true }, services)
    await cancel(tx, orders, { by: 'policy', reason }, new Date(services.now()))
  })
  return uids
}

/** @param digests what the client may have signed; `field` is the member of the request that names the orders */
async function cancelSigned(
  cancellation: Cancellation,
  { digests, field }: { digests: readonly Bytes32[]; field: string },
  services: OrderServices,
): Promise<OrderUid[]> {
  const uids = [...new Set(cancellation.orderUids)]
  await services.db.transaction(async (tx) => {
    await lockOrders(tx, uids)
    const orders = await cancellable(tx, { uids, field }, services)
    checkSigner(cancellation, digests, orders)
    await cancel(tx, orders, { by: 'api' }, new Date(services.now()))
  })
  return uids
}

function checkSigner(
  { signingScheme, signature }: Cancellation,
  digests: readonly Bytes32[],
  orders: readonly Order[],
): void {
  const signers = digests.map((digest) => recoverOrRefuse(signingScheme, digest, signature).signer)
  const otherOwners = orders.filter(({ owner }) => !signers.includes(owner))
  refusePrevented(
    otherOwners.map(({ uid, owner }) => ({
      uid,
      code: 'WrongOwner' as const,
      message: `signature recovers to ${signers[0]}, the order belongs to ${owner}`,
      data: { uid, signer: signers[0] },
    })),
    undefined,
  )
}

async function cancel(tx: Tx, orders: readonly Order[], cause: CancellationCause, at: Date): Promise<void> {
  const ids = orders.map(({ id }) => id)
  await markCancelled(tx, ids, at)
  await recordCancelled(tx, orders, cause, at)
}
