import type { Affiliate, AffiliateProgramme } from '../../domain/affiliate.ts'

export type AffiliateResult = AffiliateProgramme & Pick<Affiliate, 'code'> & { createdAt: string }

/** The programme's decimals are JSON numbers here: the doubles nearest to them. */
export function writeAffiliate(affiliate: AffiliateResult) {
  return {
    code: affiliate.code,
    createdAt: affiliate.createdAt,
    rewardAmount: Number(affiliate.rewardAmount),
    triggerVolume: Number(affiliate.triggerVolume),
    timeCapDays: affiliate.timeCapDays,
    volumeCap: Number(affiliate.volumeCap),
    revenueSplitAffiliatePct: Number(affiliate.revenueSplitAffiliatePct),
    revenueSplitTraderPct: Number(affiliate.revenueSplitTraderPct),
    revenueSplitDaoPct: Number(affiliate.revenueSplitDaoPct),
  }
}

export type ReferralCodeResult = Pick<Affiliate, 'code' | 'triggerVolume' | 'timeCapDays' | 'volumeCap'> & {
  traderRewardAmount: string
}

export function writeReferralCode(referral: ReferralCodeResult) {
  return {
    code: referral.code,
    traderRewardAmount: Number(referral.traderRewardAmount),
    triggerVolume: Number(referral.triggerVolume),
    timeCapDays: referral.timeCapDays,
    volumeCap: Number(referral.volumeCap),
  }
}
