import { priceImpactUp } from '../../domain/quote/price-impact.ts'
import { QuoteHopRef, QuotePathRef, QuoteRouteRef, TokenRef } from '../refs.ts'
import { tokenOfAddress } from '../token/known-token.ts'

/** Typical sizes, for the cost estimate. */
const defaultPaths = 2
const defaultHops = 2

QuoteRouteRef.implement({
  description: 'Where the amounts of a quote come from: paths side by side, which share no pool.',
  fields: (t) => ({
    block: t.expose('block', { type: 'SafeInt', description: 'The block whose pools it was computed on.' }),
    priceImpact: t.field({
      type: 'Decimal',
      description:
        'How much worse the executed rate is than the first atom’s would be, by the size of the trade alone: 0.01 is one percent. Rounded up.',
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
    amountIn: t.expose('amountIn', { type: 'Uint256', description: 'What goes in, in sell token atoms.' }),
    amountOut: t.expose('amountOut', { type: 'Uint256', description: 'What comes out, in buy token atoms.' }),
    hops: t.field({
      type: [QuoteHopRef],
      description: 'In the order of the trade; the output of one is the input of the next.',
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
      description: 'What goes in; the native coin in its wrapped form.',
      resolve: ({ chainId, tokenIn }, _args, context, info) =>
        tokenOfAddress(chainId, tokenIn, context, info),
    }),
    tokenOut: t.field({
      type: TokenRef,
      description: 'What comes out; the native coin in its wrapped form.',
      resolve: ({ chainId, tokenOut }, _args, context, info) =>
        tokenOfAddress(chainId, tokenOut, context, info),
    }),
    amountIn: t.expose('amountIn', { type: 'Uint256', description: 'In atoms of tokenIn.' }),
    amountOut: t.expose('amountOut', { type: 'Uint256', description: 'In atoms of tokenOut.' }),
  }),
})
