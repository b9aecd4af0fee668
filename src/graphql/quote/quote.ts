import { builder } from '../builder.ts'
import { tradingOn } from '../context/networks.ts'
import { onlyNetwork } from '../input/fields.ts'
import { inputArgument } from '../input/input-type.ts'
import { QuoteResponseRef } from '../refs.ts'
import { networkArgument } from '../relay/paging.ts'
import { quoteInput, quoteRequestOf } from './input.ts'

builder.mutationField('quote', (t) =>
  t.field({
    type: QuoteResponseRef,
    description: 'Quotes price and fee for an order, and stores the quote.',
    extensions: { limited: 'quotes' },
    args: { input: inputArgument(t.arg, quoteInput, 'What to quote.') },
    resolve: (_root, { input }, context) => tradingOn(context, input.network).quote(quoteRequestOf(input)),
  }),
)

builder.queryField('quote', (t) =>
  t.field({
    type: QuoteResponseRef,
    nullable: true,
    description:
      'A quote that was given before, as it was answered. Null when it is not kept any more, and for anybody but the account it was given to: ids are consecutive, and whoever counts through them must not read what others are about to trade.',
    args: {
      network: networkArgument(t.arg, onlyNetwork),
      id: t.arg({ type: 'SafeInt', required: true, description: 'Its id.' }),
      from: t.arg({ type: 'Address', required: true, description: 'The trader it was given to.' }),
    },
    resolve: async (_root, { network, id, from }, context) =>
      (await tradingOn(context, network).storedQuote(BigInt(id), from)) ?? null,
  }),
)
