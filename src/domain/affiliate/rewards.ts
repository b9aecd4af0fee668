import { formatUnits, mulDivDown, parseUnits } from '../amount.ts'
import { type AffiliateProgramme, dollarDecimals, percentDecimals } from './affiliate.ts'

/** Whole numbers of 10^-18 dollars, as a plain decimal. */
export function formatDollars(dollars: bigint): string {
  return formatUnits(dollars, dollarDecimals)
}

/** What rewards are made of. Which trades count for them is said in `storage/affiliate/statistics.ts`. */
export interface Terms {
  rewardAmount: bigint
  triggerVolume: bigint
  /** 0: all of it counts. */
  volumeCap: bigint
  /** Hundredths of a percent. */
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

/** Whether a trade counts for the affiliate, and if not, why not: the first that applies. */
export const eligibilities = [
  'eligible',
  'not_bound',
  'before_binding',
  'other_code',
  'time_cap_reached',
  'no_dollar_value',
  'volume_cap_reached',
] as const
export type Eligibility = (typeof eligibilities)[number]

/** Full rewards of one trader's eligible volume. */
export function rewardsOf(eligibleVolume: bigint, { triggerVolume }: Pick<Terms, 'triggerVolume'>): bigint {
  return eligibleVolume / triggerVolume
}

/** What is still to be traded for the next reward; 0 where the cap is below that. */
export function leftToNext(
  eligibleVolume: bigint,
  { triggerVolume, volumeCap }: Pick<Terms, 'triggerVolume' | 'volumeCap'>,
): bigint {
  const left = triggerVolume - (eligibleVolume % triggerVolume)
  return volumeCap > 0n && eligibleVolume + left > volumeCap ? 0n : left
}

/** One side's part of so many rewards. `share`: hundredths of a percent. */
export function earnedDown(
  rewards: bigint,
  { rewardAmount }: Pick<Terms, 'rewardAmount'>,
  share: bigint,
): bigint {
  return mulDivDown(rewards * rewardAmount, share, 10_000n)
}
