import { orderTexts } from '../../domain/order/order.ts'
import { maxVolumeFactor as policyMaximum } from '../models/auction/fee-policy.ts'
import { orderQuote } from '../models/order/relations.ts'
import { trade } from '../models/trade.ts'
import { address, amount, type Codec } from '../query/codec.ts'
import { column, derived, type Field, orNull } from '../query/model.ts'
import { type Body, fieldsOf, listOf, modelOf, share, textOf } from './body.ts'

const factor = derived(share, 'p.factor', 'Share of the base of the policy.')
const maxVolumeFactor = derived(share, 'p.max_volume_factor', policyMaximum.description)

/**
 * Policy `p` as an object whose only key is its kind.
 * @param orderId SQL for the order whose quote it is about
 * @param reported SQL for the quote that an order book reports with it, as JSON
 */
export function feePoliciesOf(orderId: string, reported = 'NULL::jsonb'): Record<string, Body> {
  /** Zero without a quote. */
  const quoted = (member: string, column: string, field: string) =>
    derived(
      amount as Codec<bigint>,
      `coalesce((${reported}->>'${member}')::numeric, (SELECT q.${column} FROM order_quotes q WHERE q.order_id = ${orderId}), 0)`,
      textOf(orderQuote, field),
    )
  return {
    surplus: { surplus: { object: { factor, maxVolumeFactor } } },
    volume: { volume: { object: { factor } } },
    priceImprovement: {
      priceImprovement: {
        object: {
          factor,
          maxVolumeFactor,
          quote: {
            object: {
              fee: quoted('fee', 'fee_amount', 'feeAmount'),
              sellAmount: quoted('sellAmount', 'sell_amount', 'sellAmount'),
              buyAmount: quoted('buyAmount', 'buy_amount', 'buyAmount'),
            },
          },
        },
      },
    },
  }
}

export const tradeFeePolicies = feePoliciesOf('tr.order_id', 'p.quote')

const executedFee = modelOf(trade, 'executedProtocolFees')

export const executedProtocolFeeBody: Body = {
  policy: { variants: tradeFeePolicies, by: 'p.kind' },
  ...fieldsOf(executedFee, 'amount'),
  token: derived(address, 'pf.token', textOf(executedFee, 'token')),
}

/** Trade `tr`, as in lists. */
export const listedTrade: Body = {
  ...fieldsOf(
    trade,
    'blockNumber',
    'logIndex',
    'sellAmount',
    'sellAmountBeforeFees',
    'buyAmount',
    'orderUid',
    'owner',
  ),
  // Nullable by the interface; never null here.
  txHash: orNull(trade.fields.txHash as Field),
  sellToken: column(address, 'tr.sell_token', orderTexts.sellToken),
  buyToken: column(address, 'tr.buy_token', orderTexts.buyToken),
  executedProtocolFees: listOf(trade, 'executedProtocolFees', executedProtocolFeeBody),
}
