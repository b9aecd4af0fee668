import type { Address } from '../../domain/evm/address.ts'
import type { Hex } from '../../domain/evm/hex.ts'
import type { Interactions, Order } from '../../domain/order/order.ts'
import { orderRow } from '../models/order/order.ts'
import { orderQuoteRow } from '../models/order/quote.ts'
import { rowSql, toRow } from '../query/row.ts'
import { sql } from '../query/text.ts'

/** Order `o` as JSON text, with its quote. */
export const orderJson = rowSql(orderRow, {
  interactions: sql(`coalesce(o.interactions::text, 'null')`),
  quote: sql(
    `coalesce((SELECT ${rowSql(orderQuoteRow)} FROM order_quotes q WHERE q.order_id = o.id), 'null')`,
  ),
})

interface InteractionsJson {
  pre: { target: Address; value: string; callData: Hex }[]
  post: { target: Address; value: string; callData: Hex }[]
}

export function toOrder(text: string): Order {
  const json = JSON.parse(text) as Record<string, unknown>
  return {
    ...toRow(orderRow, json),
    interactions: toInteractions(json.interactions as InteractionsJson | null),
    quote: json.quote === null ? null : toRow(orderQuoteRow, json.quote as Record<string, unknown>),
  }
}

function toInteractions(row: InteractionsJson | null): Interactions {
  const parse = (items: InteractionsJson['pre']) =>
    items.map((item) => ({ ...item, value: BigInt(item.value) }))
  return row === null ? { pre: [], post: [] } : { pre: parse(row.pre), post: parse(row.post) }
}

/** The column as JSON text; null without interactions. */
export function interactionColumn({ pre, post }: Interactions): string | null {
  const write = (items: Interactions['pre']) =>
    items.map((item) => ({ ...item, value: item.value.toString() }))
  return pre.length + post.length === 0 ? null : JSON.stringify({ pre: write(pre), post: write(post) })
}
