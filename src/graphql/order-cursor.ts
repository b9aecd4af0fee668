import type { OrderPosition } from '../storage/order-ranges.ts'
import { formatCursor, parseCursor } from './cursor.ts'

/** Creation in milliseconds and row key. */
export function formatOrderCursor({ createdAt, id }: OrderPosition): string {
  return formatCursor('o', createdAt.getTime(), id)
}

/** @throws Refusal InvalidParameter */
export function parseOrderCursor(cursor: string): OrderPosition {
  const [time, id] = parseCursor('o', cursor)
  return { createdAt: new Date(time), id }
}
