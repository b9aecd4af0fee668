import type { Order } from '../../src/domain/order/order.ts'
import type { Database } from '../../src/storage/database/database.ts'
import { appendEvents } from '../../src/storage/order/events.ts'
import { findOrder, insertOrder } from '../../src/storage/order/orders.ts'
import { sampleOrder } from './order.ts'
import { readStory } from './stories.ts'

/** Stores an order with its `created` event, as placing does. @returns the stored order */
export async function storeOrder(db: Database, overrides: Partial<Order> = {}): Promise<Order> {
  const order = sampleOrder(overrides)
  await db.transaction(async (tx) => {
    const orderId = await insertOrder(tx, order)
    if (orderId === undefined) throw new Error(`order ${order.uid} is stored already`)
    await appendEvents(tx, [{ orderId, label: 'created', reason: null, timestamp: order.creationDate }])
  })
  return readOrder(db, order)
}

export async function readOrder(db: Database, { uid }: Pick<Order, 'uid'>): Promise<Order> {
  const order = await findOrder(db, uid)
  if (!order) throw new Error(`order ${uid} is not stored`)
  return order
}

/** The events of an order with their reasons, without the first `created`. */
export async function readEvents(db: Database, order: Pick<Order, 'id'>): Promise<string[]> {
  const { events } = await readStory(db, order)
  return events.slice(1).map(({ label, reason }) => (reason === null ? label : `${label} ${reason}`))
}
