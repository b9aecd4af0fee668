import { divUp, formatUnits } from '../amount.ts'
import { decimal, described, flag, type ValueOf } from '../described.ts'
import { type Reason, reasonOf } from '../diagnosis/diagnosis.ts'
import { grouped, readablePercent } from '../text/readable.ts'
import type { NativeRate } from '../token/prices.ts'
import type { QuotedAmounts } from './amounts.ts'

/** A quote against the market price of its tokens, by any estimator. */

export const priceImpact = described(
  'PriceImpact',
  'What a quote gives less than the market price of its tokens, without the fee for gas.',
  {
    share: decimal(
      'The share of the sold value that is lost: 0.05 is five percent, negative if more is got. Up to 6 digits, rounded up.',
    ),
    usd: decimal.orNull(
      'The loss in US dollars, rounded up to a cent; null below both settings, and without a price in dollars.',
    ),
    isNotable: flag('True from the setting PRICE_IMPACT_WARNING on: the quote has the warning PRICE_IMPACT.'),
    needsAcceptance: flag(
      'True from the setting PRICE_IMPACT_ACCEPTANCE on: the command line, the client and the tools for agents sign only if the trader accepts it.',
    ),
  },
)
export type PriceImpact = ValueOf<typeof priceImpact>

/** Shares of the sold value in parts per million from which a loss is said, and needs the trader's yes. */
export interface ImpactLimits {
  said: bigint
  accepted: bigint
}

export const defaultImpactLimits: ImpactLimits = { said: 50_000n, accepted: 200_000n }

const million = 1_000_000n

/** The native prices of both tokens. */
interface MarketRates {
  sell: NativeRate
  buy: NativeRate
}

/**
 * The lost share in parts per million, rounded up.
 * @param amounts after volume fees
 * @returns undefined for rates of nothing
 */
export function impactPartsUp(
  { sellAmount, buyAmount }: Pick<QuotedAmounts, 'sellAmount' | 'buyAmount'>,
  { sell, buy }: MarketRates,
): bigint | undefined {
  const sold = sellAmount * sell.nativeAmount * buy.tokenAmount
  const bought = buyAmount * buy.nativeAmount * sell.tokenAmount
  if (sold <= 0n || bought <= 0n) return undefined
  const lost = (sold - bought) * million
  return lost > 0n ? divUp(lost, sold) : lost / sold
}

interface SoldValue {
  sellAmount: bigint
  /** Null if the contract has none. */
  decimals: number | null
  /** US dollars for one whole sell token; null if unknown. */
  usdPrice: string | null
}

const [usdDigits, cents] = [18, 2]

/** Describes a lost share. */
export function toPriceImpact(
  parts: bigint,
  { sellAmount, decimals, usdPrice }: SoldValue,
  { said, accepted }: ImpactLimits,
): PriceImpact {
  const share = parts < 0n ? `-${formatUnits(-parts, 6)}` : formatUnits(parts, 6)
  return {
    share,
    usd: lostUsdUp(parts, { sellAmount, decimals, usdPrice }),
    isNotable: parts >= said,
    needsAcceptance: parts >= accepted,
  }
}

function lostUsdUp(parts: bigint, { sellAmount, decimals, usdPrice }: SoldValue): string | null {
  if (parts <= 0n || decimals === null || usdPrice === null) return null
  const [whole = '0', fraction = ''] = usdPrice.split('.')
  // A price may have more digits than are needed for cents.
  const price = BigInt(`${whole}${fraction.slice(0, usdDigits).padEnd(usdDigits, '0')}`)
  const unit = 10n ** BigInt(decimals + usdDigits - cents) * million
  return formatUnits(divUp(sellAmount * price * parts, unit), cents)
}

/** The warning that a quote needs: a loss, or no price to compare it with (null). */
export function impactReasons(impact: PriceImpact | null): Reason[] {
  if (impact === null) return [reasonOf('priceUnknown', null)]
  return impact.isNotable ? [reasonOf('priceImpact', null, [], `The trade gives ${lossText(impact)}.`)] : []
}

/** A loss in words, such as "9.21 % less than the market price, 1,234.56 US dollars". */
export function lossText({ share, usd }: Pick<PriceImpact, 'share' | 'usd'>): string {
  const value = Number(share)
  // A service elsewhere may answer with any text.
  if (!Number.isFinite(value)) return 'an unknown share of the market price'
  const parts = BigInt(Math.round(value * 1_000_000))
  const [size, side] = parts < 0n ? [-parts, 'more'] : [parts, 'less']
  return `${readablePercent(size)} % ${side} than the market price${usd === null || !/^\d{1,60}(\.\d{1,30})?$/.test(usd) ? '' : `, ${grouped(usd)} US dollars`}`
}
