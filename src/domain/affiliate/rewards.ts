import { formatUnits, mulDivDown, parseUnits } from '../amount.ts'
import { type AffiliateProgramme, dollarDecimals, percentDecimals } from './affiliate.ts'

/** Formats whole numbers of 10^-18 dollars as a plain decimal. */
export function formatDollars(dollars: bigint): string {
  return formatUnits(dollars, dollarDecimals)
}

/**
 * Terms as integers, dollars with `dollarDecimals`. `storage/affiliate/statistics.ts` decides which trades
 * count.
 */
export interface Terms {
  rewardAmount: bigint
  triggerVolume: bigint
  /** The cap on a trader's volume; 0 means no cap. */
  volumeCap: bigint
  /** Shares in hundredths of a percent. */
  affiliateShare: bigint
  traderShare: bigint
}

export function termsOf(programme: AffiliateProgramme): Terms {
  const dollars = (text: string) => parseUnits(text, dollarDecimals)
  const share = (text: string) => parseUnits(text, percentDecimals)
  return {
    rewardAmount: dollars(programme.rewardAmount),
    triggerVolume: dollars(programme.triggerVolume),
    volumeCap: dollars(programme.volumeCap),
    affiliateShare: share(programme.revenueSplitAffiliatePct),
    traderShare: share(programme.revenueSplitTraderPct),
  }
}

/** The eligibility of a trade for the affiliate: `eligible`, or the first reason against it that applies. */
export const eligibilities = [
  'eligible',
  'not_bound',
  'before_binding',
  'other_code',
  'time_cap_reached',
  'same_token',
  'no_dollar_value',
  'volume_cap_reached',
] as const
export type Eligibility = (typeof eligibilities)[number]

/** Number of full rewards for one trader's eligible volume. */
export function rewardsOf(eligibleVolume: bigint, { triggerVolume }: Pick<Terms, 'triggerVolume'>): bigint {
  return eligibleVolume / triggerVolume
}

/** Volume until the next reward; 0 when the cap prevents it. */
export function leftToNext(
  eligibleVolume: bigint,
  { triggerVolume, volumeCap }: Pick<Terms, 'triggerVolume' | 'volumeCap'>,
): bigint {
  const left = triggerVolume - (eligibleVolume % triggerVolume)
  return volumeCap > 0n && eligibleVolume + left > volumeCap ? 0n : left
}

/** One side's part of the rewards, rounded down. `share`: hundredths of a percent. */
export function earnedDown(
  rewards: bigint,
  { rewardAmount }: Pick<Terms, 'rewardAmount'>,
  share: bigint,
): bigint {
  return mulDivDown(rewards * rewardAmount, share, 10_000n)
}
