import type { Address } from '../domain/address.ts'
import type { Hex } from '../domain/hex.ts'
import type { Interactions, Order, OrderQuote } from '../domain/order.ts'
import { dateOrNull, json } from './columns.ts'

const { hex, amount, time } = json

/** The quote of order `o` as JSON, or null. */
const quoteJson = `(SELECT json_build_object(
  'gasAmount', ${amount('q.gas_amount')}, 'gasPrice', ${amount('q.gas_price')}, 'sellTokenPrice', q.sell_token_price,
  'sellAmount', ${amount('q.sell_amount')}, 'buyAmount', ${amount('q.buy_amount')}, 'feeAmount', ${amount('q.fee_amount')},
  'solver', ${hex('q.solver')}, 'verified', q.verified
) FROM order_quotes q WHERE q.order_id = o.id)`

/** Order `o` as JSON. Every read of an order selects this, so that two reads can't disagree. */
export const orderJson = `json_build_object(
  'id', o.id::text, 'chainId', o.chain_id, 'uid', ${hex('o.uid')}, 'owner', ${hex('o.owner')},
  'sellToken', ${hex('o.sell_token')}, 'buyToken', ${hex('o.buy_token')}, 'receiver', ${hex('o.receiver')},
  'sellAmount', ${amount('o.sell_amount')}, 'buyAmount', ${amount('o.buy_amount')}, 'validTo', o.valid_to,
  'appData', ${hex('o.app_data')}, 'feeAmount', ${amount('o.fee_amount')}, 'kind', o.kind,
  'partiallyFillable', o.partially_fillable, 'sellTokenBalance', o.sell_token_balance,
  'buyTokenBalance', o.buy_token_balance, 'signingScheme', o.signing_scheme, 'signature', ${hex('o.signature')},
  'settlementContract', ${hex('o.settlement')}, 'class', o.class, 'quoteId', o.quote_id::text,
  'fullBalanceCheck', o.full_balance_check, 'validFrom', o.valid_from, 'interactions', o.interactions,
  'creationDate', ${time('o.created_at')},
  'executedSellAmount', ${amount('o.executed_sell')}, 'executedBuyAmount', ${amount('o.executed_buy')},
  'executedFeeAmount', ${amount('o.executed_signed_fee')}, 'executedFee', ${amount('o.executed_fee')},
  'executedFeeToken', ${hex('coalesce(o.executed_fee_token, o.sell_token)')},
  'cancelledAt', ${time('o.cancelled_at')}, 'invalidatedOnChain', o.invalidated, 'presigned', o.presigned,
  'effectiveValidTo', o.effective_valid_to,
  'fullAppData', (SELECT d.document FROM app_data d WHERE d.hash = o.app_data), 'quote', ${quoteJson}
)`

type AmountKeys =
  | 'sellAmount'
  | 'buyAmount'
  | 'feeAmount'
  | 'executedSellAmount'
  | 'executedBuyAmount'
  | 'executedFeeAmount'
  | 'executedFee'

export type OrderJson = Omit<
  Order,
  AmountKeys | 'id' | 'quoteId' | 'creationDate' | 'cancelledAt' | 'quote' | 'interactions'
> &
  Record<AmountKeys, string> & {
    id: string
    quoteId: string | null
    creationDate: number
    cancelledAt: number | null
    interactions: InteractionsJson | null
    quote: Record<keyof OrderQuote, string> | null
  }

interface InteractionsJson {
  pre: { target: Address; value: string; callData: Hex }[]
  post: { target: Address; value: string; callData: Hex }[]
}

export function toOrder(row: OrderJson): Order {
  return {
    ...row,
    id: BigInt(row.id),
    quoteId: row.quoteId === null ? null : BigInt(row.quoteId),
    creationDate: new Date(row.creationDate),
    cancelledAt: dateOrNull(row.cancelledAt),
    sellAmount: BigInt(row.sellAmount),
    buyAmount: BigInt(row.buyAmount),
    feeAmount: BigInt(row.feeAmount),
    executedSellAmount: BigInt(row.executedSellAmount),
    executedBuyAmount: BigInt(row.executedBuyAmount),
    executedFeeAmount: BigInt(row.executedFeeAmount),
    executedFee: BigInt(row.executedFee),
    interactions: toInteractions(row.interactions),
    quote: row.quote && toOrderQuote(row.quote),
  }
}

function toOrderQuote(row: Record<keyof OrderQuote, string>): OrderQuote {
  return {
    gasAmount: BigInt(row.gasAmount),
    gasPrice: BigInt(row.gasPrice),
    sellTokenPrice: row.sellTokenPrice,
    sellAmount: BigInt(row.sellAmount),
    buyAmount: BigInt(row.buyAmount),
    feeAmount: BigInt(row.feeAmount),
    solver: row.solver as Address,
    verified: row.verified as unknown as boolean,
  }
}

function toInteractions(row: InteractionsJson | null): Interactions {
  const parse = (items: InteractionsJson['pre']) =>
    items.map((item) => ({ ...item, value: BigInt(item.value) }))
  return row === null ? { pre: [], post: [] } : { pre: parse(row.pre), post: parse(row.post) }
}

/** The column as JSON text; null where there are none. */
export function interactionColumn({ pre, post }: Interactions): string | null {
  const write = (items: Interactions['pre']) =>
    items.map((item) => ({ ...item, value: item.value.toString() }))
  return pre.length + post.length === 0 ? null : JSON.stringify({ pre: write(pre), post: write(post) })
}
