import type { GetAffiliateWalletResult, GetRefCodesCodeResult } from '../documents.generated.ts'

/** Decimals are JSON numbers in REST: the nearest doubles. */
export function writeAffiliate(affiliate: NonNullable<GetAffiliateWalletResult['affiliate']>) {
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

export function writeReferralCode(referral: NonNullable<GetRefCodesCodeResult['referralCode']>) {
  return {
    code: referral.code,
    traderRewardAmount: Number(referral.traderRewardAmount),
    triggerVolume: Number(referral.triggerVolume),
    timeCapDays: referral.timeCapDays,
    volumeCap: Number(referral.volumeCap),
  }
}
