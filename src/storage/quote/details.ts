import type { Address } from '../../domain/evm/address.ts'
import type { Hex } from '../../domain/evm/hex.ts'
import type { Interaction, QuoteCalls } from '../../domain/order/order.ts'
import type { QuoteReply, QuoteTerms } from '../../domain/quote/quote.ts'
import type { QuoteHop, QuotePath } from '../../domain/quote/route.ts'

/** The parts of a reply besides the quote itself. */
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

/**
 * The calls of a quote as clients read them and as they are stored, with the quote and with an order that was
 * made from it.
 */
export interface QuoteMetadata {
  version: '1.0'
  interactions: CallJson[]
  preInteractions: CallJson[]
  /** Orders that a solver adds itself; this service has none. */
  jitOrders: []
}

interface CallJson {
  target: Address
  value: string
  callData: Hex
}

/** null without calls: most stored quotes are never read again. */
export function toMetadata(calls: QuoteCalls | null | undefined): QuoteMetadata | null {
  if (!calls || calls.interactions.length + calls.preInteractions.length === 0) return null
  const write = (items: readonly Interaction[]) =>
    items.map(({ target, value, callData }) => ({ target, value: value.toString(), callData }))
  return {
    version: '1.0',
    interactions: write(calls.interactions),
    preInteractions: write(calls.preInteractions),
    jitOrders: [],
  }
}

export function toCalls(metadata: QuoteMetadata | null): QuoteCalls | null {
  const read = (items: readonly CallJson[]) => items.map((item) => ({ ...item, value: BigInt(item.value) }))
  return (
    metadata && {
      preInteractions: read(metadata.preInteractions),
      interactions: read(metadata.interactions),
    }
  )
}
