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

export interface Wanted {
  uids: readonly OrderUid[]
  /** The member of the request that names them. */
  field: string
  /** Orders whose signature stands on chain are cancelled there, but for what the operator does. */
  byOperator?: boolean
}

/**
 * Orders that can still be cancelled, as they were named: each in turn must be known, and then be neither ended nor on chain.
 * @throws Refusal OrderNotFound, OrderFullyExecuted, AlreadyCancelled, OrderExpired, OnChainOrder: the first, which names them all
 */
export async function cancellable(
  db: Db,
  { uids, field, byOperator = false }: Wanted,
  { network, now }: Pick<OrderServices, 'network' | 'now'>,
): Promise<Order[]> {
  const known = new Map((await findOrders(db, uids)).map((order) => [order.uid, order]))
  const at = unixSeconds(now())
  const orders: Order[] = []
  const prevented: Prevented[] = []
  for (const uid of uids) {
    const order = known.get(uid)
    const isHere = order?.chainId === network.chainId
    const fault = isHere ? faultOf(order, at, byOperator) : notFound(uid, network.name)
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
  /** What the refusal says besides, if it is the first. */
  data?: Record<string, unknown>
}

/** One signature covers the whole list, so that one order keeps all from being cancelled: the refusal is the first one's and names every one. */
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
