import type { PostApiV1QuoteResult } from '../documents.generated.ts'
import { present } from '../row/present.ts'

export const quoteFields = `
  quote {
    sellToken { address } buyToken { address } receiver sellAmount buyAmount feeAmount validTo appData appDataHash
    gasAmount gasPrice sellTokenPrice kind partiallyFillable sellTokenBalance buyTokenBalance signingScheme
  }
  from expiration id: quoteId verified protocolFeeBps slippage { bps }
`

type QuoteResult = PostApiV1QuoteResult['quote']

/**
 * `id` is null for a quote that is not stored; `protocolFeeBps` is left out where there is no volume fee, `slippageBps` where the request
 * does not ask for it.
 */
export function writeQuote({ quote, protocolFeeBps, slippage, ...rest }: QuoteResult) {
  const { sellToken, buyToken } = quote
  return {
    quote: { ...quote, sellToken: sellToken.address, buyToken: buyToken.address },
    ...rest,
    ...present({ protocolFeeBps, slippageBps: slippage?.bps ?? null }),
  }
}
