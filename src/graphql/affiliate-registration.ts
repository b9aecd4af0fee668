import { type AffiliateRegistration, registerAffiliate } from '../affiliates/register.ts'
import type { Affiliate } from '../domain/affiliate.ts'
import { Refusal } from '../domain/error.ts'
import { findAffiliateByWallet, setAffiliateEnabled } from '../storage/affiliates.ts'
import { builder } from './builder.ts'
import type { Context } from './context.ts'
import { requireFeature } from './features.ts'
import { affiliateInput, parseAffiliateCode } from './inputs/affiliate.ts'
import { requireEditor } from './operator.ts'
import { AffiliateRef } from './refs.ts'
import { parseInput } from './refusal.ts'

/** Validated when it is used: that affiliates are switched off comes before what is wrong with the input. */
const AffiliateInput = builder.inputType('AffiliateInput', {
  description: 'A wallet’s wish for a code, signed.',
  fields: (t) => ({
    walletAddress: t.field({ type: 'Address', required: true, description: 'Who is to be paid.' }),
    code: t.string({ required: true, description: '5 to 20 characters of A-Z, 0-9, _ and -.' }),
    signedMessage: t.string({
      required: true,
      description:
        'Signature of affiliateTypedData as hex: a key’s, a contract wallet’s (ERC-1271), or that of one not yet deployed (ERC-6492).',
    }),
  }),
})

builder.mutationField('registerAffiliate', (t) =>
  t.field({
    type: AffiliateRef,
    description: 'Binds a code to a wallet, for good. A wallet has one code, and a code one wallet.',
    args: { input: t.arg({ type: AffiliateInput, required: true, description: 'Who, and which code.' }) },
    resolve: (_root, { input }, context) => {
      requireFeature(context, 'cms')
      const { walletAddress, ...rest } = parseInput(affiliateInput, input)
      return registerOnce({ ...rest, wallet: walletAddress }, context)
    },
  }),
)

builder.mutationField('setAffiliateEnabled', (t) =>
  t.field({
    type: AffiliateRef,
    description:
      'Switches a code on or off for traders. For the editor: needs the key of the content system, or the operator’s, as a bearer token or X-API-Key.',
    args: {
      code: t.arg.string({ required: true, description: 'The code.' }),
      enabled: t.arg.boolean({ required: true, description: 'Whether traders may use it.' }),
    },
    resolve: async (_root, { code, enabled }, context) => {
      requireFeature(context, 'cms')
      requireEditor(context)
      const affiliate = await setAffiliateEnabled(context.db, parseAffiliateCode(code), enabled)
      if (!affiliate) throw new Refusal('NotFound', 'Affiliate code not found', { field: 'code' })
      return affiliate
    },
  }),
)

/** An attempt that ended without an answer may have registered it: the next one is answered as that one would have been. */
async function registerOnce(
  registration: AffiliateRegistration,
  { affiliates, db, interruptedAt }: Context,
): Promise<Affiliate> {
  try {
    return await registerAffiliate(registration, affiliates)
  } catch (error) {
    if (!interruptedAt || !(error instanceof Refusal) || error.code !== 'AffiliateWalletBound') throw error
    const bound = await findAffiliateByWallet(db, registration.wallet)
    if (bound?.code === registration.code && bound.createdAt >= interruptedAt) return bound
    throw error
  }
}
