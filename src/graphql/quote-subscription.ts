import type { QuoteReply, QuoteRequest } from '../domain/quote.ts'
import { builder } from './builder.ts'
import { deskOf } from './context.ts'
import { networkArgument } from './paging.ts'
import { QuoteInput } from './quote-input.ts'
import { QuoteResponseRef } from './refs.ts'

builder.subscriptionField('quotes', (t) =>
  t.field({
    type: QuoteResponseRef,
    description:
      'Quotes the same order as estimates come in: each is better than the one before, and stored. Ends when all have answered or the time is over.',
    extensions: { limited: 'quotes' },
    args: {
      network: networkArgument(t.arg, 'May be left out where there is only one.'),
      input: t.arg({
        type: QuoteInput,
        required: true,
        description: 'What to quote; priceQuality has no effect.',
      }),
    },
    // The input's schema has turned it into the domain's form; the builder knows only what went in.
    subscribe: (_root, { network, input }, context) =>
      deskOf(context, network).quotes(input as unknown as QuoteRequest, context.clientSignal),
    resolve: (reply: QuoteReply) => reply,
  }),
)
