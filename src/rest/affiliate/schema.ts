import { z } from 'zod'
import { affiliateCodePattern } from '../../domain/affiliate/affiliate.ts'
import { timestamp } from '../openapi/schemas/primitives.ts'

export const code = z.string().regex(affiliateCodePattern)
export const dollars = z.number().min(0)
const percent = z.number().min(0).max(100)

export const registeredAffiliate = z.object({ code, createdAt: timestamp })

const programme = { triggerVolume: dollars, timeCapDays: z.int().positive(), volumeCap: dollars }

export const affiliate = registeredAffiliate.extend({
  rewardAmount: dollars,
  ...programme,
  revenueSplitAffiliatePct: percent,
  revenueSplitTraderPct: percent,
  revenueSplitDaoPct: percent,
})

export const referralCode = z.object({ code, traderRewardAmount: dollars, ...programme })

export const switchedCode = z.object({ code, enabled: z.boolean() })
