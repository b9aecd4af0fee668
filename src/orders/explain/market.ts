import { outlookOf } from '../../domain/auction/admission.ts'
import type { Evidence, Reason } from '../../domain/diagnosis/diagnosis.ts'
import type { DiagnosisFacts } from '../../domain/diagnosis/facts.ts'
import { marketReasons } from '../../domain/diagnosis/market.ts'
import { reasonOf } from '../../domain/diagnosis/reason.ts'
import { refused } from '../../domain/diagnosis/refused.ts'
import { Outage, Refusal } from '../../domain/errors/error.ts'
import { partnerVolumeFees } from '../../domain/fee/partner.ts'
import { volumeFeesFor } from '../../domain/fee/rules.ts'
import { unixSeconds } from '../../domain/log.ts'
import { hooksGas } from '../../domain/settlement/gas.ts'
import type { NativeRate } from '../../domain/token/native-rate.ts'
import { priceOrder } from '../../quotes/order-quote.ts'
import type { Priced } from '../../quotes/price.ts'
import { normalizedPriceDown, readNativeRates } from '../../quotes/prices/native-price.ts'
import type { QuoteServices } from '../../quotes/quote.ts'
import { type Foreseen, standingOf } from './account.ts'

/** What the market gives for an order, or why it does not. */
export interface MarketSeen {
  priced: Priced | Refusal | Outage
  /** Tokens without a price are left out. */
  rates: Map<string, NativeRate | Refusal> | Refusal | Outage
}

/** Nothing is stored. */
export async function lookAtMarket(
  { creation, order, owner, parsedAppData }: Foreseen,
  quotes: QuoteServices,
): Promise<MarketSeen> {
  const { sellToken, buyToken } = order
  const [priced, rates] = await Promise.all([
    priceOrder({ ...creation, ...order, owner }, quotes, hooksGas(parsedAppData)).catch(asFault),
    readNativeRates([sellToken, buyToken], quotes).catch(asFault),
  ])
  return { priced, rates }
}

function asFault(fault: unknown): Refusal | Outage {
  if (fault instanceof Refusal || fault instanceof Outage) return fault
  throw fault
}

/** What the market gives against the limit, by what was seen of it. */
export function marketReasonsAhead(
  facts: DiagnosisFacts,
  { parsedAppData }: Foreseen,
  { priced, rates }: MarketSeen,
  { feeRules, network }: Pick<QuoteServices, 'feeRules' | 'network'>,
): Reason[] {
  const { order, now } = facts
  const { sellToken, buyToken } = order
  const unpriced = rates instanceof Map ? [sellToken, buyToken].filter((token) => !rates.has(token)) : []
  const evidence = unpriced.map((token): Evidence => ({ kind: 'token', token }))
  const reasons = unpriced.length > 0 ? [reasonOf('noNativePrice', null, evidence)] : []
  if (priced instanceof Refusal && priced.code === 'UnsupportedToken')
    return [refused(priced, 'tokenMisbehaves'), ...reasons]
  if (reasons.length > 0) return reasons
  if (priced instanceof Outage) return [reasonOf('marketUnknown', null)]
  if (priced instanceof Refusal) {
    if (priced.code === 'Unavailable') return [reasonOf('marketUnknown', null)]
    if (priced.code !== 'NoLiquidity' && priced.code !== 'SellAmountDoesNotCoverFee') return [refused(priced)]
    return marketReasons(facts, standingOf(facts, { routed: 'none' }))
  }
  const { quote, route } = priced
  const found = { sell: quote.sellAmount, buy: quote.buyAmount, block: route?.block ?? null }
  const volumeFees = [
    ...volumeFeesFor(feeRules, order, network.wrappedNative, unixSeconds(now.getTime())),
    ...partnerVolumeFees(parsedAppData.partnerFees),
  ]
  const standing = standingOf(facts, {
    routed: found,
    best: { ...found, at: now },
    marketGap: rates instanceof Map ? gapAt(rates, order) : null,
    feeShare: (quote.feeAmount * 1_000_000n) / order.sellAmount,
    policyShare: volumeFees.reduce((sum, fee) => sum + fee, 0n),
  })
  return marketReasons(facts, standing)
}

/** At the prices of small amounts: what a part of a partially fillable order gets. */
function gapAt(rates: Map<string, NativeRate | Refusal>, order: DiagnosisFacts['order']): bigint | null {
  const [sell, buy] = [rates.get(order.sellToken), rates.get(order.buyToken)]
  if (!sell || !buy || sell instanceof Refusal || buy instanceof Refusal) return null
  const prices = { sell: normalizedPriceDown(sell), buy: normalizedPriceDown(buy) }
  return outlookOf(order, prices, order.sellAmount, 0n).marketGap
}
