import type { z } from 'zod'
import { Refusal } from '../../domain/errors/error.ts'
import type { OrderStatus } from '../../domain/order/status.ts'
import type { OrderFilter } from '../../storage/order/ranges.ts'
import { parseInput } from '../errors/input.ts'
import { orderFilter } from './filter-input.ts'

export const OrderFilterInput = orderFilter.type

/** Reads the filter itself: what answers without the builder asks for it too. @throws Refusal InvalidParameter */
export function toOrderFilter(
  given: z.output<typeof orderFilter.schema> | null | undefined,
  status: OrderStatus | null | undefined,
): Omit<OrderFilter, 'chainIds'> {
  if (status != null && given?.statuses != null) {
    throw new Refusal('InvalidParameter', 'statuses must not be given beside status', { field: 'statuses' })
  }
  const { statuses, ...others } = parseInput(orderFilter.schema, given ?? {})
  const wanted = statuses ? [...new Set(statuses)] : status == null ? undefined : [status]
  const members = { ...others, statuses: wanted }
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value != null))
}
