import type { GraphQLResolveInfo } from 'graphql'
import type { z } from 'zod'
import type { QuoteReply } from '../../domain/quote/quote.ts'
import type { QuoteSlippage } from '../../domain/token/price-history.ts'
import { builder } from '../builder.ts'
import type { Context } from '../context/context.ts'
import { type TradingServices, tradingOn } from '../context/networks.ts'
import { storing } from '../context/stored-bytes.ts'
import { inputArgument } from '../input/input-type.ts'
import { networkArgument } from '../paging.ts'
import { fieldsOf } from '../stored/collect.ts'
import { readSlippage } from '../token/market-data.ts'
import { quoteInput, quoteRequestOf } from './input.ts'
import { QuoteResponseRef } from './response.ts'

type SlippageRequest = Pick<
  z.output<typeof quoteInput.schema>,
  'network' | 'sellToken' | 'buyToken' | 'slippage'
>

/** Null where the input does not ask for one. */
async function slippageFor(
  { network, sellToken, buyToken, slippage }: SlippageRequest,
  context: Context,
): Promise<QuoteSlippage | null> {
  if (slippage !== 'auto') return null
  const { chainId } = tradingOn(context, network).network
  return readSlippage({ chainId, base: sellToken, quote: buyToken }, context)
}

/** Quotes of an order book that a network follows are stored there. */
function storesQuotes({ passOn }: TradingServices): boolean {
  return passOn === undefined
}

function asksForWarnings({ fieldNodes, variableValues, fragments }: GraphQLResolveInfo): boolean {
  const sets = fieldNodes.flatMap(({ selectionSet }) => selectionSet ?? [])
  const fields = fieldsOf(sets, variableValues, new Map(Object.entries(fragments)))
  return [...fields.values()].some(([{ name }]) => name.value === 'warnings')
}

builder.mutationField('quote', (t) =>
  t.field({
    type: QuoteResponseRef,
    description: 'Quotes price and fee for an order, and stores the quote.',
    extensions: { limited: 'quotes' },
    args: { input: inputArgument(t.arg, quoteInput, 'The terms of the quote.') },
    async resolve(_root, { input }, context, info) {
      const trading = tradingOn(context, input.network)
      const request = quoteRequestOf(input)
      const ask = () => trading.quote(request, context)
      const isStored = request.priceQuality !== 'fast' && storesQuotes(trading)
      const reply = isStored ? storing(context, 'quotes', ask) : ask()
      // Runs during the quote, so that its warnings cost no time of their own.
      const look = asksForWarnings(info) ? trading.lookAhead(input) : undefined
      look?.catch(() => {})
      const [slippage, { quote }] = await Promise.all([slippageFor(input, context), reply])
      // Other fields of the operation may change something, and answer once.
      if (quote.id === null && info.operation.selectionSet.selections.length === 1) context.markFleeting?.()
      return { ...(await reply), slippage, look }
    },
  }),
)

builder.queryField('quote', (t) =>
  t.field({
    type: QuoteResponseRef,
    nullable: true,
    description:
      'A stored quote, as it was returned. Null when it is no longer stored, and when `from` is not the account that it was returned to: ids are consecutive, and clients that count through them must not see the plans of other traders.',
    args: {
      network: networkArgument(t.arg),
      id: t.arg({ type: 'SafeInt', required: true, description: 'The id of the quote.' }),
      from: t.arg({ type: 'Address', required: true, description: 'The trader that it was returned to.' }),
    },
    resolve: async (_root, { network, id, from }, context) =>
      (await tradingOn(context, network).storedQuote(BigInt(id), from)) ?? null,
  }),
)

builder.subscriptionField('quotes', (t) =>
  t.field({
    type: QuoteResponseRef,
    description:
      'Quotes the same order as estimates come in: each is better than the one before, and stored. Ends when all have answered or the time is over. On a network that follows an order book, each differs from the one before, and they end with the subscription.',
    extensions: { limited: 'quotes' },
    args: { input: inputArgument(t.arg, quoteInput, 'The terms of the quotes; priceQuality has no effect.') },
    subscribe(_root, { input }, context) {
      const trading = tradingOn(context, input.network)
      if (storesQuotes(trading)) context.stored?.check('quotes', context.client)
      return trading.quotes(quoteRequestOf(input), context.clientSignal, context)
    },
    async resolve(reply: QuoteReply, { input }, context) {
      if (storesQuotes(tradingOn(context, input.network))) context.stored?.add('quotes', context.client)
      return { ...reply, slippage: await slippageFor(input, context) }
    },
  }),
)
