import {
  effectiveReceiver,
  executedFractionDown,
  executedPrice,
  formatPriceDown,
  limitPrice,
  orderSurplusDown,
  valueDigits,
} from '../domain/order-value.ts'
import { builder } from './builder.ts'
import { OrderRef, PriceRef, SurplusRef, TokenRef } from './refs.ts'

builder.objectFields(OrderRef, (t) => ({
  tokens: t.field({
    type: [TokenRef],
    description: 'Both tokens: what is sold, then what is bought.',
    extensions: { items: 2 },
    resolve: ({ chainId, sellToken, buyToken }) => [
      { chainId, address: sellToken },
      { chainId, address: buyToken },
    ],
  }),
  effectiveReceiver: t.field({
    type: 'Address',
    description: 'Who gets the buy tokens: the receiver, or the owner where there is none.',
    resolve: effectiveReceiver,
  }),
  executedFraction: t.field({
    type: 'Decimal',
    description: `Filled part of the fixed side, from 0 to 1: ${valueDigits.fraction} digits behind the point, rounded down. It is 1 only when the order is filled whole.`,
    resolve: executedFractionDown,
  }),
  limitPrice: t.field({
    type: PriceRef,
    nullable: true,
    description: 'The signed price: buyAmount for sellAmount. Null where nothing is sold.',
    resolve: limitPrice,
  }),
  executedPrice: t.field({
    type: PriceRef,
    nullable: true,
    description:
      'The price of all trades together: executedBuyAmount for executedSellAmountBeforeFees. Null before the first.',
    resolve: executedPrice,
  }),
  surplus: t.field({
    type: SurplusRef,
    description: 'What all trades together gave beyond the limit price.',
    resolve: orderSurplusDown,
  }),
}))

PriceRef.implement({
  description: 'Atoms of the buy token for one atom of the sell token.',
  fields: (t) => ({
    decimal: t.field({
      type: 'Decimal',
      description: `${valueDigits.price} digits behind the point, rounded down.`,
      resolve: formatPriceDown,
    }),
    numerator: t.expose('numerator', { type: 'Uint256', description: 'Buy atoms, exact.' }),
    denominator: t.expose('denominator', { type: 'Uint256', description: 'Sell atoms, exact.' }),
  }),
})

SurplusRef.implement({
  description: 'An amount of the token that an order leaves open.',
  fields: (t) => ({
    amount: t.expose('amount', { type: 'Uint256', description: 'In atoms of token, rounded down.' }),
    token: t.expose('token', {
      type: 'Address',
      description: 'The buy token of a sell order, the sell token of a buy order.',
    }),
  }),
})
