import {
  type AffiliateProgramme,
  dollarDecimals,
  type Eligibility,
  type Terms,
} from '../../src/domain/affiliate/affiliate.ts'
import { formatUnits, minOf, mulDivDown, parseUnits } from '../../src/domain/amount.ts'
import type { Address } from '../../src/domain/evm/address.ts'

/**
 * A second implementation of the rules in `storage/affiliate/statistics.ts`, one trader at a time, to compare
 * with the database.
 */

/** The dollar value of a trade. Prices are native atoms for 10^18 atoms; `reference` is the dollar token. */
export function dollarValueDown(
  sold: { amount: bigint; price: bigint },
  reference: { price: bigint; decimals: number },
): bigint {
  return mulDivDown(sold.amount * sold.price, 10n ** 18n, reference.price * 10n ** BigInt(reference.decimals))
}

/** The trader's part of the reward, not rounded. */
export function traderRewardAmount({
  rewardAmount,
  revenueSplitTraderPct,
}: Pick<AffiliateProgramme, 'rewardAmount' | 'revenueSplitTraderPct'>): string {
  const hundredths = parseUnits(rewardAmount, dollarDecimals) * parseUnits(revenueSplitTraderPct, 2)
  return formatUnits(hundredths, dollarDecimals + 2 + 2)
}

/** A trade of an order whose document has a referrer code. */
export interface ReferredTrade {
  code: string
  /** Milliseconds since 1970: that of its auction, else of its order. */
  time: number
  /** A token for itself, or for the coin that it wraps. */
  isOneToken: boolean
  value: bigint | null
}

/** A registered code. */
export interface Offer {
  wallet: Address
  createdAt: number
  timeCapDays: number
  wasEnabled(at: number): boolean
  terms: Terms
}

export interface Binding {
  code: string
  terms: Terms
  linkedSince: number
  /** The first time that is too late, in milliseconds. */
  rewardsEnd: number
}

const dayMs = 86_400_000

/** @param trades the oldest first */
export function bindingOf(
  trader: Address,
  trades: readonly ReferredTrade[],
  offers: ReadonlyMap<string, Offer>,
): Binding | undefined {
  for (const { code, time } of trades) {
    const offer = offers.get(code)
    if (!offer || offer.wallet === trader || offer.createdAt > time || !offer.wasEnabled(time)) continue
    const { terms, timeCapDays } = offer
    return { code, terms, linkedSince: time, rewardsEnd: time + timeCapDays * dayMs }
  }
  return undefined
}

interface Judgement {
  eligibility: Eligibility
  /** The part of the trade's value that counts. */
  eligibleVolume: bigint
}

/** @param trades the oldest first */
export function judgeTrades(trades: readonly ReferredTrade[], binding: Binding | undefined): Judgement[] {
  let counted = 0n
  return trades.map(({ code, time, isOneToken, value }) => {
    const flawed = (eligibility: Eligibility): Judgement => ({ eligibility, eligibleVolume: 0n })
    if (!binding) return flawed('not_bound')
    if (time < binding.linkedSince) return flawed('before_binding')
    if (code !== binding.code) return flawed('other_code')
    if (time >= binding.rewardsEnd) return flawed('time_cap_reached')
    if (isOneToken) return flawed('same_token')
    if (value === null) return flawed('no_dollar_value')
    const { volumeCap } = binding.terms
    if (volumeCap > 0n && counted >= volumeCap) return flawed('volume_cap_reached')
    const eligibleVolume = volumeCap > 0n ? minOf(value, volumeCap - counted) : value
    counted += eligibleVolume
    return { eligibility: 'eligible', eligibleVolume }
  })
}

/** Whether a trader's next trade can still count. */
export function isActive({ rewardsEnd, terms }: Binding, eligibleVolume: bigint, now: number): boolean {
  return now < rewardsEnd && (terms.volumeCap === 0n || eligibleVolume < terms.volumeCap)
}
