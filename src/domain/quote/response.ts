import { address, dateTime, decimal, derived, described, flag, objectOf, serial } from '../described.ts'
import { type QuoteSlippage, quoteSlippage } from '../token/price-history.ts'
import { protocolFeeBps, withVolumeFees } from './amounts.ts'
import { type Quote, type QuoteReply, type QuoteTerms, quotedOrder } from './quote.ts'
import { quoteRoute } from './route.ts'

export const quoteResponse = described(
  'QuoteResponse',
  'The estimated terms of an order. It has no id for caches: `quoteId` is a number, and `stored` the quote that it names.',
  {
    quote: derived(
      objectOf(quotedOrder)('The order at the quoted price; `order` has it ready to sign.'),
      quotedOrderOf,
    ),
    from: derived(address('The trader for whom it was made.'), ({ terms }: QuoteReply) => terms.from),
    expiration: derived(
      dateTime('The time after which the fee may be refused. 1970 for FAST.'),
      ({ quote }: QuoteReply) => quote.expiration,
    ),
    quoteId: derived(
      serial.orNull('The `quoteId` of the order; null for FAST, which is not stored.'),
      ({ quote }: QuoteReply) => quote.id,
    ),
    verified: derived(
      flag('True if a simulation confirmed the amounts.'),
      ({ quote }: QuoteReply) => quote.verified,
    ),
    protocolFeeBps: derived(
      decimal.orNull(
        'The protocol’s volume fees together, in basis points, such as "0.3"; null when there are none. The amounts are after them.',
      ),
      ({ terms }: QuoteReply) => protocolFeeBps(terms.volumeFees),
    ),
    slippage: derived(
      objectOf(quoteSlippage).orNull(
        'The slippage that it used with `slippage: AUTO`; null without, and for a quote that is read again.',
      ),
      ({ slippage }: { slippage?: QuoteSlippage | null }) => slippage ?? null,
    ),
    route: derived(
      objectOf(quoteRoute).orNull(
        'The route through the pools; null where an outside estimator found the price.',
      ),
      ({ route, quote }: QuoteReply) => route && { ...route, chainId: quote.chainId },
    ),
  },
)

/** Returns the order after the protocol's volume fees, with the chain of its tokens. */
function quotedOrderOf({ quote, terms }: QuoteReply): Quote & QuoteTerms {
  return { ...terms, ...quote, ...withVolumeFees(quote.kind, quote, terms.volumeFees) }
}
