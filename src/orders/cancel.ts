import { Refusal } from '../domain/errors/error.ts'
import type { RefusalCode } from '../domain/errors/refusal-codes.ts'
import type { Bytes32 } from '../domain/evm/hex.ts'
import { unixSeconds } from '../domain/log.ts'
import type { Cancellation } from '../domain/order/creation.ts'
import type { Cancellation as CancellationCause } from '../domain/order/event.ts'
import type { Order, OrderUid } from '../domain/order/order.ts'
import { orderStatus } from '../domain/order/status.ts'
import { cancellationDigest, cancellationsDigest, isEcdsa } from '../domain/signing/signing.ts'
import { recordCancelled } from '../notifications/record.ts'
import type { Db, Tx } from '../storage/database/database.ts'
import { findOrders, storeCancellations as markCancelled } from '../storage/order/orders.ts'
import { lockOrders } from '../storage/order/progress.ts'
import type { OrderServices } from './check.ts'
import { recoverOrRefuse } from './owner.ts'

interface CancellationTargets {
  uids: readonly OrderUid[]
  /** The member of the request that names them. */
  field: string
  /** Only the operator can cancel presign and eip1271 orders here; their owners cancel them on chain. */
  byOperator?: boolean
}

/**
 * Finds orders that can still be cancelled, in the order of `uids`. Each must exist, must not have ended, and
 * must not be signed on chain.
 * @throws Refusal OrderNotFound, OrderFullyExecuted, AlreadyCancelled, OrderExpired, OnChainOrder: the first
 *   fault; its data lists all
 */
export async function cancellable(
  db: Db,
  { uids, field, byOperator = false }: CancellationTargets,
  services: Pick<OrderServices, 'network' | 'now'>,
): Promise<Order[]> {
  const stored = new Map((await findOrders(db, uids)).map((order) => [order.uid, order]))
  const now = unixSeconds(services.now())
  const orders: Order[] = []
  const prevented: Prevented[] = []
  for (const uid of uids) {
    const order = stored.get(uid)
    const fault =
      order?.chainId === services.network.chainId
        ? faultOf(order, now, byOperator)
        : notFound(uid, services.network.name)
    if (fault) prevented.push({ uid, ...fault })
    else if (order) orders.push(order)
  }
  refusePrevented(prevented, field)
  return orders
}

/** Why an order can't be cancelled. */
interface Prevented {
  uid: OrderUid
  code: RefusalCode
  message: string
  /** Data of the refusal, if this fault is the first. */
  data?: Record<string, unknown>
}

/**
 * One signature covers the whole list, so one fault prevents all cancellations. The refusal has the first
 * fault's code and lists all.
 */
function refusePrevented(prevented: readonly Prevented[], field: string | undefined): void {
  const [first] = prevented
  if (!first) return
  const items = prevented.map(({ uid, code, message }) => ({ uid, code, message }))
  throw new Refusal(first.code, first.message, { ...(field && { field }), data: { ...first.data, items } })
}

type Fault = Omit<Prevented, 'uid'>

const ended = {
  fulfilled: { code: 'OrderFullyExecuted', message: 'the order is executed already' },
  cancelled: { code: 'AlreadyCancelled', message: 'the order is cancelled already' },
  expired: { code: 'OrderExpired', message: 'the order has expired' },
} as const

function faultOf(order: Order, now: number, byOperator: boolean): Fault | undefined {
  const status = orderStatus(order, now)
  const data = { uid: order.uid }
  if (status === 'fulfilled' || status === 'cancelled' || status === 'expired')
    return { ...ended[status], data }
  if (byOperator || isEcdsa(order.signingScheme)) return undefined
  return { code: 'OnChainOrder', message: `${order.signingScheme} orders are cancelled on chain`, data }
}

function notFound(uid: OrderUid, network: string): Fault {
  return { code: 'OrderNotFound', message: `no order ${uid} on ${network}` }
}

/**
 * Cancels all the orders, or none. A settlement that was sent already can still fill a cancelled order: the
 * auctions withdraw one whose orders are all cancelled. The interface fixes the order of checks: for each
 * order that it exists and its status, then the signature, then the owners.
 * @throws Refusal OrderNotFound, OnChainOrder, OrderFullyExecuted, AlreadyCancelled, OrderExpired,
 *   InvalidSignature, WrongOwner
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
 * Cancels orders for the operator, of any owner and signing scheme. The caller checks that the request comes
 * from the operator.
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

/**
 * @param digests what the client may have signed; `field` is the member of the request that names the orders
 */
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
