import { present } from './present.ts'

export const quoteFields = `
  quote {
    sellToken buyToken receiver sellAmount buyAmount feeAmount validTo appData appDataHash
    gasAmount gasPrice sellTokenPrice kind partiallyFillable sellTokenBalance buyTokenBalance signingScheme
  }
  from expiration id verified protocolFeeBps
`

export interface QuoteResult {
  quote: Record<string, unknown>
  from: string
  expiration: string
  id: number | null
  verified: boolean
  protocolFeeBps: string | null
}

/** `id` is null for a quote that is not stored; `protocolFeeBps` is left out where there is no volume fee. */
export function writeQuote({ protocolFeeBps, ...same }: QuoteResult) {
  return { ...same, ...present({ protocolFeeBps }) }
}
