import { Refusal } from '../domain/error.ts'
import type { OrderPosition } from '../storage/orders.ts'

/** Opaque to clients: creation in milliseconds and row key. */
export function formatOrderCursor({ createdAt, id }: OrderPosition): string {
  return Buffer.from(`${createdAt.getTime()}.${id}`).toString('base64url')
}

/** @throws Refusal InvalidParameter */
export function parseOrderCursor(cursor: string): OrderPosition {
  const match = /^([0-9]{1,15})\.([0-9]{1,18})$/.exec(Buffer.from(cursor, 'base64url').toString())
  const [, time, id] = match ?? []
  if (!time || !id) {
    throw new Refusal('InvalidParameter', 'after must be a cursor of this list', { field: 'after' })
  }
  return { createdAt: new Date(Number(time)), id: BigInt(id) }
}
