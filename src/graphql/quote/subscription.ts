import type { QuoteReply } from '../../domain/quote/quote.ts'
import { builder } from '../builder.ts'
import { tradingOn } from '../context/networks.ts'
import { inputArgument } from '../input/input-type.ts'
import { QuoteResponseRef } from '../refs.ts'
import { quoteInput, quoteRequestOf } from './input.ts'
import { slippageFor } from './slippage.ts'

builder.subscriptionField('quotes', (t) =>
  t.field({
    type: QuoteResponseRef,
    description:
      'Quotes the same order as estimates come in: each is better than the one before, and stored. Ends when all have answered or the time is over.',
    extensions: { limited: 'quotes' },
    args: { input: inputArgument(t.arg, quoteInput, 'What to quote; priceQuality has no effect.') },
    subscribe(_root, { input }, context) {
      context.stored?.check('quotes', context.client)
      return tradingOn(context, input.network).quotes(quoteRequestOf(input), context.clientSignal, context)
    },
    async resolve(reply: QuoteReply, { input }, context) {
      context.stored?.add('quotes', context.client)
      return { ...reply, slippage: await slippageFor(input, context) }
    },
  }),
)
