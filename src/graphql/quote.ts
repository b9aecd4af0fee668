import type { QuoteRequest } from '../domain/quote.ts'
import { orderToSign } from '../domain/quote-order.ts'
import { protocolFeeBps } from '../domain/quoted-amounts.ts'
import { builder } from './builder.ts'
import { deskOf } from './context.ts'
import { networkArgument } from './paging.ts'
import { QuoteInput } from './quote-input.ts'
import { OrderToSignRef, QuotedOrderRef, QuoteResponseRef, QuoteRouteRef } from './refs.ts'

QuoteResponseRef.implement({
  description: 'What an order would trade for.',
  fields: (t) => ({
    quote: t.field({
      type: QuotedOrderRef,
      description: 'The order at the quoted price; `order` has it ready to sign.',
      resolve: (reply) => reply,
    }),
    from: t.field({
      type: 'Address',
      description: 'Whom it is for.',
      resolve: ({ terms }) => terms.from,
    }),
    expiration: t.field({
      type: 'DateTime',
      description: 'After this the fee may be refused. 1970 for FAST.',
      resolve: ({ quote }) => quote.expiration,
    }),
    id: t.field({
      type: 'SafeInt',
      nullable: true,
      description: 'Goes into the order; null for FAST, which is not stored.',
      resolve: ({ quote }) => quote.id,
    }),
    verified: t.boolean({
      description: 'Whether a simulation confirmed the amounts.',
      resolve: ({ quote }) => quote.verified,
    }),
    protocolFeeBps: t.string({
      nullable: true,
      description:
        'The protocol’s volume fees together, in basis points, such as "0.3"; null when there are none. The amounts are after them.',
      resolve: ({ terms }) => protocolFeeBps(terms.volumeFees),
    }),
    order: t.field({
      type: OrderToSignRef,
      description:
        'The exact order to sign at this price: feeAmount 0, with partner fees of appData and the trader’s slippage.',
      args: {
        slippageBps: t.arg({
          type: 'BasisPoints',
          required: true,
          defaultValue: 50,
          description: 'What the price may move against the trader.',
        }),
      },
      resolve: (reply, { slippageBps }, { desks }) => {
        const desk = desks.byChainId(reply.quote.chainId)
        if (!desk) throw new Error(`no desk for chain ${reply.quote.chainId}`)
        const order = orderToSign(reply, slippageBps)
        return { ...order, owner: reply.terms.from, domain: desk.network }
      },
    }),
    route: t.field({
      type: QuoteRouteRef,
      nullable: true,
      description: 'The way through the pools; null where somebody else found the price.',
      resolve: ({ route, quote }) => route && { ...route, chainId: quote.chainId },
    }),
  }),
})

const network = 'May be left out where there is only one.'

builder.mutationField('quote', (t) =>
  t.field({
    type: QuoteResponseRef,
    description: 'Quotes price and fee for an order, and stores the quote.',
    extensions: { limited: 'quotes' },
    args: {
      network: networkArgument(t.arg, network),
      input: t.arg({ type: QuoteInput, required: true, description: 'What to quote.' }),
    },
    // The input's schema has turned it into the domain's form; the builder knows only what went in.
    resolve: (_root, { network, input }, context) =>
      deskOf(context, network).quote(input as unknown as QuoteRequest),
  }),
)

builder.queryField('quote', (t) =>
  t.field({
    type: QuoteResponseRef,
    nullable: true,
    description:
      'A quote that was given before, as it was answered. Null when it is not kept any more, and for anybody but the account it was given to: ids are consecutive, and whoever counts through them must not read what others are about to trade.',
    args: {
      network: networkArgument(t.arg, network),
      id: t.arg({ type: 'SafeInt', required: true, description: 'Its id.' }),
      from: t.arg({ type: 'Address', required: true, description: 'The trader it was given to.' }),
    },
    resolve: async (_root, { network, id, from }, context) =>
      (await deskOf(context, network).storedQuote(BigInt(id), from)) ?? null,
  }),
)
