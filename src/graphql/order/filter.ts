import { z } from 'zod'
import { maxAppCode } from '../../domain/app-data/document.ts'
import { Refusal } from '../../domain/errors/error.ts'
import { orderClasses, orderKinds } from '../../domain/order/order.ts'
import { orderStatuses, type OrderStatus as Status } from '../../domain/order/status.ts'
import { type OrderFilter, scanLimit } from '../../storage/order/ranges.ts'
import { OrderClass, OrderKind, OrderStatus } from '../enums.ts'
import { enumField, scalarField, textField } from '../input/fields.ts'
import { inputType } from '../input/input-type.ts'
import { orderFields } from '../input/order-fields.ts'
import { parseInput } from '../input/parse.ts'

const timeField = scalarField('DateTime', z.date())

export const tokenPair = inputType('TokenPairInput', {
  description: 'The sold and the bought token. Orders in the other direction are another pair.',
  schema: z.object({
    sellToken: orderFields.sellToken,
    buyToken: orderFields.buyToken,
  }),
})

export const appCodeField = textField.refine((code) => code.length <= maxAppCode && !code.includes('\0'), {
  error: `must be at most ${maxAppCode} characters, none of them NUL`,
})

const orderFilter = inputType('OrderFilter', {
  description: `Orders that meet every condition given. Found by one index: each condition alone, statuses with kind, both of them with an owner, and any of these with a time of creation. For other conditions together a page looks at the newest ${scanLimit} orders of owner, pair, appCode or class, the first of these that is given, and shows those that meet the rest: it may hold fewer than first, also none, while hasNextPage says to go on.`,
  schema: z.object({
    statuses: z
      .array(enumField(OrderStatus, orderStatuses))
      .min(1, 'must name at least one')
      .nullish()
      .meta({ description: 'Orders that stand at one of these now. At least one.' }),
    pair: tokenPair.schema.nullish().meta({ description: 'Orders that trade this pair.' }),
    kind: enumField(OrderKind, orderKinds).nullish().meta({ description: 'Orders with this side fixed.' }),
    class: enumField(OrderClass, orderClasses).nullish().meta({ description: 'Orders of this class.' }),
    appCode: appCodeField.nullish().meta({
      description: `Orders whose appData document names this application in its root, letter for letter; at most ${maxAppCode} characters.`,
    }),
    createdFrom: timeField.nullish().meta({ description: 'Orders stored at this time or later.' }),
    createdUntil: timeField.nullish().meta({ description: 'Orders stored before this time.' }),
  }),
})

export const OrderFilterInput = orderFilter.type

/**
 * Validates the filter itself, because compiled operations bypass the builder.
 * @throws Refusal InvalidParameter
 */
export function toOrderFilter(
  filterInput: z.output<typeof orderFilter.schema> | null | undefined,
  status: Status | null | undefined,
): Omit<OrderFilter, 'chainIds'> {
  if (status != null && filterInput?.statuses != null) {
    throw new Refusal('InvalidParameter', 'statuses must not be combined with status', { field: 'statuses' })
  }
  const { statuses, ...conditions } = parseInput(orderFilter.schema, filterInput ?? {})
  const uniqueStatuses = statuses ? [...new Set(statuses)] : status == null ? undefined : [status]
  const filter = { ...conditions, statuses: uniqueStatuses }
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value != null))
}
