import { orderTexts } from '../../domain/order/order.ts'
import { trade } from '../models/trade.ts'
import { address, amount, type Codec } from '../query/codec.ts'
import { column, derived, type Field, orNull } from '../query/model.ts'
import { type Body, fieldsOf, listOf, share } from './body.ts'

const factor = derived(share, 'p.factor', 'Share of the base of the policy.')
const maxVolumeFactor = derived(share, 'p.max_volume_factor', 'Its maximum, as a share of the volume.')

/**
 * Policy `p` as an object whose only key is its kind.
 * @param orderId SQL for the order whose quote it is about
 */
export function feePoliciesOf(orderId: string): Record<string, Body> {
  /** Zero without a quote. */
  const quoted = (field: string, description: string) =>
    derived(
      amount as Codec<bigint>,
      `coalesce((SELECT q.${field} FROM order_quotes q WHERE q.order_id = ${orderId}), 0)`,
      description,
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
              fee: quoted('fee_amount', 'Quoted fee in sell token atoms.'),
              sellAmount: quoted('sell_amount', 'Quoted sell amount, without fee.'),
              buyAmount: quoted('buy_amount', 'Quoted buy amount.'),
            },
          },
        },
      },
    },
  }
}

export const tradeFeePolicies = feePoliciesOf('tr.order_id')

export const executedProtocolFeeBody: Body = {
  policy: { variants: tradeFeePolicies, by: 'p.kind' },
  amount: derived(amount, 'pf.amount', 'The amount of the fee.'),
  token: derived(address, 'pf.token', 'The token of amount.'),
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
