import { z } from 'zod'
import { signatureIn } from '../../affiliates/register.ts'
import { Refusal } from '../../domain/errors/error.ts'
import { affiliateSwitch, parseAffiliateCode, registerAffiliateInput } from '../../graphql/affiliate/input.ts'
import { parseInput } from '../../graphql/errors/input.ts'
import { addressField } from '../../graphql/input/fields.ts'
import { type RestRequest, type Route, route } from '../row/route.ts'
import { writeAffiliate, writeReferralCode } from './result.ts'

const walletPath = z.object({ wallet: addressField })

/** Affiliates and their codes. */
export const affiliateRoutes: Route[] = [
  route({
    on: 'POST /affiliate/:wallet',
    needs: 'cms',
    maxBytes: 32_768,
    run: 'mutation ($input: RegisterAffiliateInput!) { registerAffiliate(input: $input) { affiliate { code createdAt } } }',
    variables({ path, body }) {
      const { wallet } = parseInput(walletPath, path)
      const input = parseInput(registerAffiliateInput.schema, body)
      if (input.walletAddress !== wallet) {
        throw new Refusal('AffiliateWalletMismatch', 'Affiliate wallet address mismatch', {
          field: 'walletAddress',
        })
      }
      return { input: { ...input, signedMessage: signatureIn(input.signedMessage) } }
    },
    answer: ({ registerAffiliate }) => registerAffiliate.affiliate,
    status: () => 201,
  }),
  route({
    on: 'GET /affiliate/:wallet',
    needs: 'cms',
    run: `query ($wallet: Address!) {
      affiliate(wallet: $wallet) {
        code createdAt rewardAmount triggerVolume timeCapDays volumeCap
        revenueSplitAffiliatePct revenueSplitTraderPct revenueSplitDaoPct
      }
    }`,
    variables: ({ path }) => parseInput(walletPath, path),
    answer: ({ affiliate }) => affiliate && writeAffiliate(affiliate),
    missing: 'Affiliate not found',
  }),
  route({
    on: 'GET /ref-codes/:code',
    needs: 'cms',
    run: 'query ($code: String!) { referralCode(code: $code) { code traderRewardAmount triggerVolume timeCapDays volumeCap } }',
    variables: codeVariables,
    answer: ({ referralCode }) => referralCode && writeReferralCode(referralCode),
    missing: 'Affiliate code not found',
  }),
  route({
    on: 'PUT /ref-codes/:code',
    needs: 'cms',
    isEditors: true,
    run: `mutation ($input: SetAffiliateEnabledInput!) {
      setAffiliateEnabled(input: $input) { affiliate { code enabled } }
    }`,
    variables: ({ path, body }) => ({
      input: { code: parseAffiliateCode(path.code), ...parseInput(affiliateSwitch, body) },
    }),
    answer: ({ setAffiliateEnabled }) => setAffiliateEnabled.affiliate,
  }),
]

function codeVariables({ path }: RestRequest<'code'>) {
  return { code: path.code }
}
