import type { GraphQLResolveInfo } from 'graphql'
import { type AffiliateRegistration, registerAffiliate } from '../../affiliates/register.ts'
import type { Affiliate } from '../../domain/affiliate/affiliate.ts'
import { Refusal } from '../../domain/errors/error.ts'
import type { Address } from '../../domain/evm/address.ts'
import { findAffiliateByWallet, setAffiliateEnabled } from '../../storage/affiliate/affiliates.ts'
import { affiliateByWallet } from '../../storage/models/keyed.ts'
import { builder } from '../builder.ts'
import type { Context } from '../context/context.ts'
import { requireFeature } from '../context/features.ts'
import { requireEditor } from '../context/operator.ts'
import { storing } from '../context/stored-bytes.ts'
import { inputArgument } from '../input/input-type.ts'
import { AffiliateRef, RegisterAffiliatePayloadRef, SetAffiliateEnabledPayloadRef } from '../refs.ts'
import { resolveKeyed, type StoredValue } from '../stored/resolve.ts'
import { registerAffiliateInput, setAffiliateEnabledInput } from './input.ts'

RegisterAffiliatePayloadRef.implement({
  description: 'A wallet that registered.',
  fields: (t) => ({
    affiliate: t.field({
      type: AffiliateRef,
      description: 'The affiliate as it is stored.',
      resolve: ({ wallet }, _args, context, info) => storedAffiliate(wallet, context, info),
    }),
  }),
})

SetAffiliateEnabledPayloadRef.implement({
  description: 'An affiliate whose code was switched.',
  fields: (t) => ({
    affiliate: t.field({
      type: AffiliateRef,
      description: 'The affiliate as it is now.',
      resolve: ({ wallet }, _args, context, info) => storedAffiliate(wallet, context, info),
    }),
  }),
})

builder.mutationField('registerAffiliate', (t) =>
  t.field({
    type: RegisterAffiliatePayloadRef,
    description: 'Binds a code to a wallet, for good. A wallet has one code, and a code one wallet.',
    args: { input: inputArgument(t.arg, registerAffiliateInput, 'Who, and which code.') },
    extensions: { guard: requireAffiliates },
    resolve: async (_root, { input: { walletAddress, ...rest } }, context) => ({
      wallet: (
        await storing(context, 'affiliate codes', () =>
          registerOnce({ ...rest, wallet: walletAddress }, context),
        )
      ).wallet,
    }),
  }),
)

builder.mutationField('setAffiliateEnabled', (t) =>
  t.field({
    type: SetAffiliateEnabledPayloadRef,
    description:
      'Switches a code on or off for traders. For the editor: needs the key of the content system, or the operator’s, as a bearer token or X-API-Key.',
    args: { input: inputArgument(t.arg, setAffiliateEnabledInput, 'Which code, and whether it is on.') },
    extensions: { guard: requireEditing },
    resolve: async (_root, { input: { code, enabled } }, context) => {
      const affiliate = await setAffiliateEnabled(context.db, code, enabled)
      if (!affiliate) throw new Refusal('NotFound', 'Affiliate code not found', { field: 'code' })
      return { wallet: affiliate.wallet }
    },
  }),
)

function requireAffiliates(context: Context): void {
  requireFeature(context, 'cms')
}

function requireEditing(context: Context): void {
  requireAffiliates(context)
  requireEditor(context)
}

/** An interrupted attempt may have stored the registration; a retry then returns it as success. */
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

async function storedAffiliate(
  wallet: Address,
  context: Context,
  info: GraphQLResolveInfo,
): Promise<StoredValue> {
  return (await resolveKeyed(affiliateByWallet, wallet, context, info)) as StoredValue
}
