import { orderToSign, protocolFeeBps } from '../../domain/quote/amounts.ts'
import type { QuoteReply } from '../../domain/quote/quote.ts'
import { priceImpactUp } from '../../domain/quote/route.ts'
import { formatNodeId, nodeIdText } from '../../storage/query/node-id.ts'
import { networkOn } from '../network.ts'
import {
  DiagnosisReasonRef,
  NetworkRef,
  NodeRef,
  OrderToSignRef,
  QuotedOrderRef,
  QuoteHopRef,
  QuotePathRef,
  QuoteRef,
  QuoteResponseRef,
  QuoteRouteRef,
  QuoteSlippageRef,
  type StoredQuote,
  TokenRef,
} from '../refs.ts'
import { usualSlippageBps } from '../token/market-data.ts'
import { tokenOfAddress } from '../token/token.ts'

/** Weight in objects, as that of a diagnosis. */
const warningsWeight = 40

QuoteResponseRef.implement({
  description:
    'The estimated terms of an order. It has no id for caches: `quoteId` is a number, and `stored` the quote that it names.',
  fields: (t) => ({
    quote: t.field({
      type: QuotedOrderRef,
      description: 'The order at the quoted price; `order` has it ready to sign.',
      resolve: (reply) => reply,
    }),
    from: t.field({
      type: 'Address',
      description: 'The trader for whom it was made.',
      resolve: ({ terms }) => terms.from,
    }),
    expiration: t.field({
      type: 'DateTime',
      description: 'The time after which the fee may be refused. 1970 for FAST.',
      resolve: ({ quote }) => quote.expiration,
    }),
    quoteId: t.field({
      type: 'SafeInt',
      nullable: true,
      description: 'Goes into the order; null for FAST, which is not stored.',
      resolve: ({ quote }) => quote.id,
    }),
    stored: t.field({
      type: QuoteRef,
      nullable: true,
      description: 'The quote as it can be found again; null for FAST, which is not stored.',
      resolve: (reply) => asStored(reply),
    }),
    verified: t.boolean({
      description: 'True if a simulation confirmed the amounts.',
      resolve: ({ quote }) => quote.verified,
    }),
    protocolFeeBps: t.field({
      type: 'Decimal',
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
          required: false,
          description:
            'The accepted move of the price against the trader. If left out, the slippage of the quote with `slippage: AUTO`, else 50.',
        }),
      },
      resolve: (reply, { slippageBps }, context) => ({
        ...orderToSign(reply, slippageBps ?? reply.slippage?.bps ?? usualSlippageBps),
        owner: reply.terms.from,
        domain: networkOn(reply.quote.chainId, context),
      }),
    }),
    slippage: t.field({
      type: QuoteSlippageRef,
      nullable: true,
      description:
        'The slippage that it used with `slippage: AUTO`; null without, and for a quote that is read again.',
      resolve: ({ slippage }) => slippage ?? null,
    }),
    warnings: t.field({
      type: [DiagnosisReasonRef],
      description:
        'Reasons that would keep the order to sign from being filled, in the order in which they have to be solved, from known facts and one look at the account. A look that fails does not fail the quote.',
      extensions: { weight: warningsWeight, items: 2 },
      resolve: async (reply, _args, context) => {
        const { quote, terms, slippage, look } = reply
        const trading = context.networks.byChainId(quote.chainId)
        if (!trading) throw new Error(`chain ${quote.chainId} is not served here`)
        const looked = await (look ?? trading.lookAhead({ ...quote, from: terms.from }))
        const bps = slippage?.bps ?? usualSlippageBps
        const reasons = await trading.quoteWarnings(reply, bps, looked, context)
        return reasons.map((reason) => ({ ...reason, chainId: quote.chainId }))
      },
    }),
    route: t.field({
      type: QuoteRouteRef,
      nullable: true,
      description: 'The route through the pools; null where an outside estimator found the price.',
      resolve: ({ route, quote }) => route && { ...route, chainId: quote.chainId },
    }),
  }),
})

QuoteRef.implement({
  description:
    'A stored quote. Its id includes the trader’s address, so that clients cannot read other traders’ quotes by counting ids.',
  interfaces: [NodeRef],
  fields: (t) => ({
    // Quote ids are consecutive: the node id includes the trader, so that clients cannot count through them.
    id: t.id({
      description: nodeIdText,
      resolve: ({ quote, terms }) => formatNodeId('Quote', quote.chainId, quote.id, terms.from),
    }),
    quoteId: t.field({
      type: 'SafeInt',
      description: 'Its number, which goes into the order.',
      resolve: ({ quote }) => quote.id,
    }),
    network: t.field({
      type: NetworkRef,
      description: 'The network on which it can be traded.',
      resolve: ({ quote }, _args, context) => networkOn(quote.chainId, context),
    }),
    response: t.field({
      type: QuoteResponseRef,
      description: 'The quote as it was answered.',
      resolve: (reply) => reply,
    }),
  }),
})

/** null for a fast quote, which is not stored. */
export function asStored(reply: QuoteReply): StoredQuote | null {
  const { id } = reply.quote
  return id === null ? null : { ...reply, quote: { ...reply.quote, id } }
}

/** Typical sizes, for the cost estimate. */
const defaultPaths = 2
const defaultHops = 2

QuoteRouteRef.implement({
  description: 'The route behind the amounts of a quote: parallel paths that share no pool.',
  fields: (t) => ({
    block: t.expose('block', { type: 'SafeInt', description: 'The block whose pools it was computed on.' }),
    priceImpact: t.field({
      type: 'Decimal',
      description:
        'The share by which the executed rate is worse than that of the first atom, by the size of the trade alone: 0.01 is one percent. Rounded up.',
      resolve: ({ paths }) => priceImpactUp(paths),
    }),
    paths: t.field({
      type: [QuotePathRef],
      description: 'Each a part of the amount.',
      extensions: { items: defaultPaths },
      resolve: ({ paths, chainId }, _args, { countItems }) =>
        countItems(paths.map((path) => ({ ...path, chainId }))),
    }),
  }),
})

QuotePathRef.implement({
  description: 'Swaps in a row.',
  fields: (t) => ({
    amountIn: t.expose('amountIn', { type: 'Uint256', description: 'The input, in sell token atoms.' }),
    amountOut: t.expose('amountOut', { type: 'Uint256', description: 'The output, in buy token atoms.' }),
    hops: t.field({
      type: [QuoteHopRef],
      description: 'The swaps in the order of the trade; the output of one is the input of the next.',
      extensions: { items: defaultHops },
      resolve: ({ hops, chainId }, _args, { countItems }) =>
        countItems(hops.map((hop) => ({ ...hop, chainId }))),
    }),
  }),
})

QuoteHopRef.implement({
  description: 'One swap in one pool.',
  fields: (t) => ({
    pool: t.expose('pool', { type: 'Address', description: 'The pool’s contract.' }),
    tokenIn: t.field({
      type: TokenRef,
      description: 'The input token; the native coin in its wrapped form.',
      resolve: ({ chainId, tokenIn }, _args, context, info) =>
        tokenOfAddress(chainId, tokenIn, context, info),
    }),
    tokenOut: t.field({
      type: TokenRef,
      description: 'The output token; the native coin in its wrapped form.',
      resolve: ({ chainId, tokenOut }, _args, context, info) =>
        tokenOfAddress(chainId, tokenOut, context, info),
    }),
    amountIn: t.expose('amountIn', { type: 'Uint256', description: 'The input, in atoms of tokenIn.' }),
    amountOut: t.expose('amountOut', { type: 'Uint256', description: 'The output, in atoms of tokenOut.' }),
  }),
})
