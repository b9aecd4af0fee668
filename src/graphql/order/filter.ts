import type { z } from 'zod'
import { Refusal } from '../../domain/errors/error.ts'
import type { OrderStatus } from '../../domain/order/status.ts'
import type { OrderFilter } from '../../storage/order/ranges.ts'
import { parseInput } from '../input/parse.ts'
import { orderFilter } from './filter-input.ts'

export const OrderFilterInput = orderFilter.type

/**
 * Validates the filter itself, because compiled operations bypass the builder.
 * @throws Refusal InvalidParameter
 */
export function toOrderFilter(
  filterInput: z.output<typeof orderFilter.schema> | null | undefined,
  status: OrderStatus | null | undefined,
): Omit<OrderFilter, 'chainIds'> {
  if (status != null && filterInput?.statuses != null) {
    throw new Refusal('InvalidParameter', 'statuses must not be combined with status', { field: 'statuses' })
  }
  const { statuses, ...conditions } = parseInput(orderFilter.schema, filterInput ?? {})
  const uniqueStatuses = statuses ? [...new Set(statuses)] : status == null ? undefined : [status]
  const filter = { ...conditions, statuses: uniqueStatuses }
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value != null))
}
