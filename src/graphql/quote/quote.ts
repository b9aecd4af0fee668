import type { GraphQLResolveInfo } from 'graphql'
import { builder } from '../builder.ts'
import { tradingOn } from '../context/networks.ts'
import { storing } from '../context/stored-bytes.ts'
import { onlyNetwork } from '../input/fields.ts'
import { inputArgument } from '../input/input-type.ts'
import { QuoteResponseRef } from '../refs.ts'
import { networkArgument } from '../relay/paging.ts'
import { fieldsOf } from '../stored/merged-fields.ts'
import { quoteInput, quoteRequestOf } from './input.ts'
import { slippageFor } from './slippage.ts'

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
    args: { input: inputArgument(t.arg, quoteInput, 'What to quote.') },
    async resolve(_root, { input }, context, info) {
      const trading = tradingOn(context, input.network)
      const request = quoteRequestOf(input)
      const ask = () => trading.quote(request, context)
      // A fast quote is not stored.
      const reply = request.priceQuality === 'fast' ? ask() : storing(context, 'quotes', ask)
      // Beside the quote, so that its warnings cost no time of their own.
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
      network: networkArgument(t.arg, onlyNetwork),
      id: t.arg({ type: 'SafeInt', required: true, description: 'Its id.' }),
      from: t.arg({ type: 'Address', required: true, description: 'The trader that it was returned to.' }),
    },
    resolve: async (_root, { network, id, from }, context) =>
      (await tradingOn(context, network).storedQuote(BigInt(id), from)) ?? null,
  }),
)
