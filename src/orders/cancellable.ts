import { Refusal } from '../domain/errors/error.ts'
import type { RefusalCode } from '../domain/errors/refusal-codes.ts'
import { unixSeconds } from '../domain/log.ts'
import type { Order } from '../domain/order/order.ts'
import { orderStatus } from '../domain/order/status.ts'
import type { OrderUid } from '../domain/order/uid.ts'
import { isEcdsa } from '../domain/signing/signing.ts'
import type { Db } from '../storage/database/database.ts'
import { findOrders } from '../storage/order/orders.ts'
import type { OrderServices } from './check.ts'

export interface CancellationTargets {
  uids: readonly OrderUid[]
  /** The member of the request that names them. */
  field: string
  /** Only the operator can cancel presign and eip1271 orders here; their owners cancel them on chain. */
  byOperator?: boolean
}

/**
 * Finds orders that can still be cancelled, in the order of `uids`. Each must exist, must not have ended, and must not be signed on chain.
 * @throws Refusal OrderNotFound, OrderFullyExecuted, AlreadyCancelled, OrderExpired, OnChainOrder: the first fault; its data lists all
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
export interface Prevented {
  uid: OrderUid
  code: RefusalCode
  message: string
  /** Data of the refusal, if this fault is the first. */
  data?: Record<string, unknown>
}

/** One signature covers the whole list, so one fault prevents all cancellations. The refusal has the first fault's code and lists all. */
export function refusePrevented(prevented: readonly Prevented[], field: string | undefined): void {
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
