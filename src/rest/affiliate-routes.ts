import { z } from 'zod'
import { Refusal } from '../domain/error.ts'
import { affiliateInput, affiliateSwitch, walletField } from '../graphql/inputs/affiliate.ts'
import { parseInput } from '../graphql/refusal.ts'
import { type RestRequest, type Route, route } from './route.ts'
import {
  type AffiliateResult,
  type ReferralCodeResult,
  writeAffiliate,
  writeReferralCode,
} from './shapes/affiliate.ts'

const walletPath = z.object({ wallet: walletField })

/** Affiliates and their codes. */
export const affiliateRoutes: Route[] = [
  route<{ registerAffiliate: { code: string; createdAt: string } }>({
    on: 'POST /affiliate/:wallet',
    needs: 'cms',
    maxBytes: 32_768,
    run: 'mutation ($input: AffiliateInput!) { registerAffiliate(input: $input) { code createdAt } }',
    given({ path, body }) {
      const { wallet } = parseInput(walletPath, path)
      const input = parseInput(affiliateInput, body)
      if (input.walletAddress === wallet) return { input }
      throw new Refusal('AffiliateWalletMismatch', 'Affiliate wallet address mismatch', {
        field: 'walletAddress',
      })
    },
    answer: ({ registerAffiliate }) => registerAffiliate,
    status: () => 201,
  }),
  route<{ affiliate: AffiliateResult | null }>({
    on: 'GET /affiliate/:wallet',
    needs: 'cms',
    run: `query ($wallet: Address!) {
      affiliate(wallet: $wallet) {
        code createdAt rewardAmount triggerVolume timeCapDays volumeCap
        revenueSplitAffiliatePct revenueSplitTraderPct revenueSplitDaoPct
      }
    }`,
    given: ({ path }) => parseInput(walletPath, path),
    answer: ({ affiliate }) => affiliate && writeAffiliate(affiliate),
    missing: 'Affiliate not found',
  }),
  route<{ referralCode: ReferralCodeResult | null }>({
    on: 'GET /ref-codes/:code',
    needs: 'cms',
    run: 'query ($code: String!) { referralCode(code: $code) { code traderRewardAmount triggerVolume timeCapDays volumeCap } }',
    given: codeOf,
    answer: ({ referralCode }) => referralCode && writeReferralCode(referralCode),
    missing: 'Affiliate code not found',
  }),
  route<{ setAffiliateEnabled: { code: string; enabled: boolean } }>({
    on: 'PUT /ref-codes/:code',
    needs: 'cms',
    isEditors: true,
    run: `mutation ($code: String!, $enabled: Boolean!) {
      setAffiliateEnabled(code: $code, enabled: $enabled) { code enabled }
    }`,
    given: (request) => ({ ...codeOf(request), ...parseInput(affiliateSwitch, request.body) }),
    answer: ({ setAffiliateEnabled }) => setAffiliateEnabled,
  }),
]

function codeOf({ path }: RestRequest) {
  return { code: path.code }
}
