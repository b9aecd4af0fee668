import type { QuoteHop, QuotePath, QuoteReply, QuoteTerms } from '../../domain/quote/quote.ts'

/** The parts of a reply beside the quote itself. */
export type QuoteDetails = Pick<QuoteReply, 'terms' | 'route'>

/** Amounts as text, since JSON has no integers of their size. */
export interface QuoteDetailsJson {
  terms: Omit<QuoteTerms, 'volumeFees' | 'partnerFees'> & Record<'volumeFees' | 'partnerFees', string[]>
  route: { block: number; paths: PathJson[] } | null
}

type HopAmounts = 'amountIn' | 'amountOut' | 'reserveIn' | 'reserveOut'
type HopJson = Omit<QuoteHop, HopAmounts> & Record<HopAmounts, string>
type PathJson = { amountIn: string; amountOut: string; hops: HopJson[] }

export function writeQuoteDetails({ terms, route }: QuoteDetails): QuoteDetailsJson {
  return {
    terms: {
      from: terms.from,
      receiver: terms.receiver,
      appData: terms.appData,
      appDataHash: terms.appDataHash,
      sellTokenBalance: terms.sellTokenBalance,
      buyTokenBalance: terms.buyTokenBalance,
      signingScheme: terms.signingScheme,
      validTo: terms.validTo,
      volumeFees: terms.volumeFees.map(String),
      partnerFees: terms.partnerFees.map(String),
    },
    route: route && { block: route.block, paths: route.paths.map(writePath) },
  }
}

export function readQuoteDetails({ terms, route }: QuoteDetailsJson): QuoteDetails {
  return {
    terms: {
      ...terms,
      volumeFees: terms.volumeFees.map(BigInt),
      partnerFees: terms.partnerFees.map(BigInt),
    },
    route: route && { block: route.block, paths: route.paths.map(readPath) },
  }
}

function writePath({ amountIn, amountOut, hops }: QuotePath): PathJson {
  return { amountIn: `${amountIn}`, amountOut: `${amountOut}`, hops: hops.map(writeHop) }
}

function writeHop({ pool, tokenIn, tokenOut, ...amounts }: QuoteHop): HopJson {
  return {
    pool,
    tokenIn,
    tokenOut,
    amountIn: `${amounts.amountIn}`,
    amountOut: `${amounts.amountOut}`,
    reserveIn: `${amounts.reserveIn}`,
    reserveOut: `${amounts.reserveOut}`,
  }
}

function readPath({ amountIn, amountOut, hops }: PathJson): QuotePath {
  return { amountIn: BigInt(amountIn), amountOut: BigInt(amountOut), hops: hops.map(readHop) }
}

function readHop(hop: HopJson): QuoteHop {
  return {
    ...hop,
    amountIn: BigInt(hop.amountIn),
    amountOut: BigInt(hop.amountOut),
    reserveIn: BigInt(hop.reserveIn),
    reserveOut: BigInt(hop.reserveOut),
  }
}
