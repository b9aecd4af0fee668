import type { Address } from '../domain/address.ts'
import { longestAppCode } from '../domain/app-code.ts'
import { Refusal } from '../domain/error.ts'
import type { OrderClass as Class, OrderKind as Kind } from '../domain/order.ts'
import type { OrderStatus as Status } from '../domain/order-status.ts'
import { lookLimit, type OrderFilter } from '../storage/order-ranges.ts'
import { builder } from './builder.ts'
import { OrderClass, OrderKind, OrderStatus } from './enums.ts'

const TokenPair = builder.inputType('TokenPairInput', {
  description: 'What is sold for what; orders the other way round are another pair.',
  fields: (t) => ({
    sellToken: t.field({ type: 'Address', required: true, description: 'What is sold.' }),
    buyToken: t.field({ type: 'Address', required: true, description: 'What is bought.' }),
  }),
})

export const OrderFilterInput = builder.inputType('OrderFilter', {
  description: `Orders that meet every condition given. Found by one index: each condition alone, statuses with kind, both of them with an owner, and any of these with a time of creation. For other conditions together a page looks at the newest ${lookLimit} orders of owner, pair, appCode or class, the first of these that is given, and shows those that meet the rest: it may hold fewer than first, also none, while hasNextPage says to go on.`,
  fields: (t) => ({
    statuses: t.field({
      type: [OrderStatus],
      description: 'Orders that stand at one of these now. At least one.',
    }),
    pair: t.field({ type: TokenPair, description: 'Orders that trade this pair.' }),
    kind: t.field({ type: OrderKind, description: 'Orders with this side fixed.' }),
    class: t.field({ type: OrderClass, description: 'Orders of this class.' }),
    appCode: t.string({
      description: `Orders whose appData document names this application in its root, letter for letter; at most ${longestAppCode} characters.`,
    }),
    createdFrom: t.field({ type: 'DateTime', description: 'Orders stored at this time or later.' }),
    createdUntil: t.field({ type: 'DateTime', description: 'Orders stored before this time.' }),
  }),
})

type Given<T> = T | null | undefined

interface GivenFilter {
  statuses?: Given<Status[]>
  pair?: Given<{ sellToken: Address; buyToken: Address }>
  kind?: Given<Kind>
  class?: Given<Class>
  appCode?: Given<string>
  createdFrom?: Given<Date>
  createdUntil?: Given<Date>
}

/** @throws Refusal InvalidParameter */
export function toOrderFilter(
  given: Given<GivenFilter>,
  status: Given<Status>,
): Omit<OrderFilter, 'chainIds'> {
  const { statuses, appCode, ...others } = given ?? {}
  if (status != null && statuses != null) throw malformed('statuses', 'must not be given beside status')
  if (statuses?.length === 0) throw malformed('statuses', 'must name at least one')
  if (appCode != null && (appCode.length > longestAppCode || appCode.includes('\0'))) {
    throw malformed('appCode', `must be at most ${longestAppCode} characters, none of them NUL`)
  }
  const wanted = statuses ? [...new Set(statuses)] : status == null ? undefined : [status]
  const members = { ...others, statuses: wanted, appCode }
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value != null))
}

function malformed(field: string, fault: string): Refusal {
  return new Refusal('InvalidParameter', `${field} ${fault}`, { field })
}
