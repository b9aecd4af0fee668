import { inOrder } from '../../domain/diagnosis/diagnose.ts'
import { Outage, Refusal } from '../../domain/errors/error.ts'
import type { Address } from '../../domain/evm/address.ts'
import { orderToSign, withVolumeFees } from '../../domain/quote/amounts.ts'
import {
  defaultImpactLimits,
  impactPartsUp,
  impactReasons,
  type PriceImpact,
  priceImpact,
  toPriceImpact,
} from '../../domain/quote/impact.ts'
import type { QuoteReply } from '../../domain/quote/quote.ts'
import { quoteResponse } from '../../domain/quote/response.ts'
import { type OrderToSign, signableOrder } from '../../domain/signing/signing.ts'
import type { QuoteSlippage } from '../../domain/token/price-history.ts'
import type { WarningFacts } from '../../orders/explain/quote-warnings.ts'
import { formatNodeId, nodeIdText } from '../../storage/query/node-id.ts'
import { builder } from '../builder.ts'
import type { Context } from '../context/context.ts'
import { describedRef } from '../described.ts'
import { NetworkRef, networkOn } from '../network.ts'
import { DiagnosisReasonRef, NodeRef, QuoteRef, type StoredQuote } from '../refs.ts'
import { usualSlippageBps } from '../token/market-data.ts'

/** Weight in objects, as that of a diagnosis. */
const warningsWeight = 40

export const QuoteResponseRef = describedRef<
  typeof quoteResponse,
  QuoteReply & { slippage?: QuoteSlippage | null; look?: Promise<WarningFacts> | undefined }
>(quoteResponse)

/** Null where the market price of a token is not known now. */
async function readImpact(
  { quote, terms }: QuoteReply,
  { loaders, impactLimits = defaultImpactLimits }: Context,
): Promise<PriceImpact | null> {
  const { chainId, sellToken, buyToken } = quote
  const keyOf = (address: Address) => ({ chainId, address })
  const [sell, buy] = await Promise.all(
    [sellToken, buyToken].map((token) => known(loaders.nativeRate.load(keyOf(token)))),
  )
  const amounts = withVolumeFees(quote.kind, quote, terms.volumeFees)
  const parts = sell && buy ? impactPartsUp(amounts, { sell, buy }) : undefined
  if (parts === undefined) return null
  const isSaid = parts > 0n && (parts >= impactLimits.said || parts >= impactLimits.accepted)
  const [token, usd] = isSaid
    ? await Promise.all([
        known(loaders.token.load(keyOf(sellToken))),
        known(loaders.usdPrice.load(keyOf(sellToken))),
      ])
    : [null, null]
  const sold = { ...amounts, decimals: token?.decimals ?? null, usdPrice: usd?.value ?? null }
  return toPriceImpact(parts, sold, impactLimits)
}

/** Null for what cannot be read now, or does not exist. */
async function known<Value>(reading: Promise<Value>): Promise<Value | null> {
  try {
    return (await reading) ?? null
  } catch (fault) {
    if (fault instanceof Refusal || fault instanceof Outage) return null
    throw fault
  }
}

/** Weight in objects: prices of two tokens. */
const impactWeight = 4

builder.objectFields(QuoteResponseRef, (t) => ({
  priceImpact: t.field({
    type: describedRef(priceImpact),
    nullable: true,
    description:
      'What it gives less than the market price of its tokens now, by any estimator. Null if that price is not known.',
    extensions: { weight: impactWeight },
    resolve: (reply, _args, context) => readImpact(reply, context),
  }),
  stored: t.field({
    type: QuoteRef,
    nullable: true,
    description: 'The quote as it can be found again; null for FAST, which is not stored.',
    resolve: (reply) => asStored(reply),
  }),
  order: t.field({
    type: describedRef<typeof signableOrder, OrderToSign>(signableOrder),
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
  warnings: t.field({
    type: [DiagnosisReasonRef],
    description:
      'Reasons that would keep the order to sign from being filled, and a price far below the market (PRICE_IMPACT) or not comparable with it (PRICE_UNKNOWN), in the order in which they have to be solved, from known facts and one look at the account. A look that fails does not fail the quote.',
    extensions: { weight: warningsWeight, items: 2 },
    resolve: async (reply, _args, context) => {
      const { quote, terms, slippage, look } = reply
      const trading = context.networks.byChainId(quote.chainId)
      if (!trading) throw new Error(`chain ${quote.chainId} is not served here`)
      const looked = await (look ?? trading.lookAhead({ ...quote, from: terms.from }))
      const bps = slippage?.bps ?? usualSlippageBps
      const [reasons, impact] = await Promise.all([
        trading.quoteWarnings(reply, bps, looked, context),
        readImpact(reply, context),
      ])
      return inOrder([...reasons, ...impactReasons(impact)]).map((reason) => ({
        ...reason,
        chainId: quote.chainId,
      }))
    },
  }),
}))

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
