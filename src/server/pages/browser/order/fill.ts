import { maxOf, mulDivDown, parseUnits } from '../../../../domain/amount.ts'
import { type Fill, type Limits, parsePartnerFees } from '../../../../domain/fee/policy.ts'
import {
  type Comparison,
  comparisonDown,
  comparisonWithQuote,
  shareDown,
} from '../../../../domain/order/surplus.ts'

type Digits = Readonly<Record<'sellAmount' | 'buyAmount', string>>

interface TradeLike {
  sellAmountBeforeFees: string
  buyAmount: string
  executedProtocolFees: readonly { amount: string; token: { address: string } }[]
  execution: { executedFee: string; networkFee: string | null } | null
  nativePrices: readonly { price: string; token: { address: string } }[]
}

export interface FilledOrder extends Digits {
  kind: 'SELL' | 'BUY'
  feeAmount: string
  sellToken: { address: string }
  buyToken: { address: string }
  executedSellAmountBeforeFees: string
  executedBuyAmount: string
  executedFeeAmount: string
  executedFee: string
  executedFeeToken: { address: string }
  fullAppData: string | null
  quote: (Digits & { feeAmount: string }) | null
  trades: { pageInfo: { hasNextPage: boolean }; nodes: readonly TradeLike[] }
}

const limitsOf = ({ kind, sellAmount, buyAmount }: Digits & Pick<FilledOrder, 'kind'>): Limits => ({
  kind: kind === 'SELL' ? 'sell' : 'buy',
  sellAmount: BigInt(sellAmount),
  buyAmount: BigInt(buyAmount),
})

interface FillQuality {
  limit: Comparison | undefined
  quote: Comparison | undefined
  /** Against the prices that the auction of each trade had. */
  market: Comparison | undefined
}

/** Compares all trades of an order, after all fees, with three prices; undefined where one is not known. */
export function qualityDown(order: FilledOrder): FillQuality {
  const limits = limitsOf(order)
  const fill = { sell: BigInt(order.executedSellAmountBeforeFees), buy: BigInt(order.executedBuyAmount) }
  const { quote } = order
  const quoted = quote && {
    sellAmount: BigInt(quote.sellAmount),
    buyAmount: BigInt(quote.buyAmount),
    feeAmount: BigInt(quote.feeAmount),
  }
  return {
    limit: comparisonDown(limits, fill),
    quote: comparisonWithQuote({ ...limits, quote: quoted }, fill),
    market: marketDown(order, limits.kind),
  }
}

function marketDown(
  { trades, sellToken, buyToken }: FilledOrder,
  kind: Limits['kind'],
): Comparison | undefined {
  if (trades.pageInfo.hasNextPage) return undefined
  const compared = trades.nodes.map(({ sellAmountBeforeFees, buyAmount, nativePrices }) => {
    const priceOf = ({ address }: { address: string }) =>
      BigInt(nativePrices.find(({ token }) => token.address === address)?.price ?? 0)
    // Atoms of equal value.
    const market: Limits = { kind, sellAmount: priceOf(buyToken), buyAmount: priceOf(sellToken) }
    const fill: Fill = { sell: BigInt(sellAmountBeforeFees), buy: BigInt(buyAmount) }
    return market.sellAmount > 0n && market.buyAmount > 0n ? comparisonDown(market, fill) : undefined
  })
  const known = compared.filter((each) => each !== undefined)
  return known.length > 0 && known.length === compared.length ? sumOf(known) : undefined
}

function sumOf(comparisons: readonly Comparison[]): Comparison {
  const sum = (member: 'referenceAmount' | 'amount') =>
    comparisons.reduce((all, each) => all + each[member], 0n)
  const [referenceAmount, amount] = [sum('referenceAmount'), sum('amount')]
  return { referenceAmount, amount, share: shareDown(amount, referenceAmount) }
}

/** Fees of all trades in atoms of the order’s `executedFeeToken`: the parts add up to the total. */
interface Fees {
  total: bigint
  /** Undefined if the service does not know the parts. */
  parts?: { network: bigint; service: bigint; partner: bigint }
  /** The fees of service and partner in the token in which they are taken, if it is another. */
  taken?: { service: bigint; partner: bigint; token: string }
}

/** The part of the partner is rounded down, and that of the service is the rest. */
export function feesOf(order: FilledOrder): Fees {
  const { trades, executedFeeToken } = order
  const total = BigInt(order.executedFee)
  const networkFees = trades.nodes.map(({ execution }) => execution?.networkFee)
  const executed = sumDigits(trades.nodes.map(({ execution }) => execution?.executedFee ?? '0'))
  if (trades.pageInfo.hasNextPage || executed !== total || networkFees.some((fee) => fee == null))
    return { total }
  const network = sumDigits(networkFees.map((fee) => fee ?? '0'))
  const rest = maxOf(total - network, 0n)
  const count = partnerFeesIn(order.fullAppData)
  const charged = trades.nodes.flatMap(({ executedProtocolFees }) => executedProtocolFees)
  const all = sumDigits(charged.map(({ amount }) => amount))
  // Partners’ policies follow those of the service.
  const ofPartners = trades.nodes.flatMap(({ executedProtocolFees: fees }) =>
    fees.slice(Math.max(0, fees.length - count)),
  )
  const taken = sumDigits(ofPartners.map(({ amount }) => amount))
  const partner = all === 0n ? 0n : mulDivDown(rest, taken, all)
  const token = charged[0]?.token.address
  return {
    total,
    parts: { network, service: rest - partner, partner },
    ...(token !== undefined &&
      token !== executedFeeToken.address && { taken: { service: all - taken, partner: taken, token } }),
  }
}

const sumDigits = (amounts: readonly string[]) => amounts.reduce((all, amount) => all + BigInt(amount), 0n)

function partnerFeesIn(document: string | null): number {
  if (!document?.includes('"partnerFee"')) return 0
  try {
    const { partnerFee } = JSON.parse(document).metadata
    return parsePartnerFees(partnerFee)?.length ?? 0
  } catch {
    // A followed order book may have another document.
    return 0
  }
}

const priceDigits = 18

/** The value of atoms in cents, rounded down. @param price US dollars of one whole token, a plain decimal */
export function centsDown(atoms: bigint, decimals: number, price: string): bigint {
  return mulDivDown(atoms, 100n * parseUnits(price, priceDigits), 10n ** BigInt(decimals + priceDigits))
}
