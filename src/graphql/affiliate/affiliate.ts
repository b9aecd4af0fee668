import { z } from 'zod'
import { type AffiliateRegistration, registerAffiliate } from '../../affiliates/register.ts'
import { type Affiliate, affiliateCodePattern, affiliateTypedData } from '../../domain/affiliate/affiliate.ts'
import { Refusal } from '../../domain/errors/error.ts'
import type { Address } from '../../domain/evm/address.ts'
import { findAffiliateByWallet, setAffiliateEnabled } from '../../storage/affiliate/affiliates.ts'
import { affiliate, affiliateOf, enabledCode } from '../../storage/models/affiliate.ts'
import { affiliateByWallet } from '../../storage/models/keyed.ts'
import { builder } from '../builder.ts'
import { requireEditor, requireFeature } from '../context/access.ts'
import type { Context } from '../context/context.ts'
import { storing } from '../context/stored-bytes.ts'
import { addressField, flagField, objectExpected, scalarField, textField } from '../input/fields.ts'
import { inputArgument, inputType } from '../input/input-type.ts'
import { parseInput } from '../input/parse.ts'
import { AffiliateRef } from '../refs.ts'
import { exposeModel, storedRoot } from '../stored/expose.ts'
import { keyedResolver } from '../stored/resolve.ts'

/** 8,192 bytes as hex: far longer than any wallet's signature, deployment data (ERC-6492) included. */
const maxSignature = 16_386

export const affiliateCodeField = textField.regex(
  affiliateCodePattern,
  'must be 5 to 20 characters of A-Z, 0-9, _ and -',
)

const namedCode = z.object({ code: affiliateCodeField })

/**
 * REST accepts text that is not hex and rejects it as an invalid signature; the GraphQL type takes hex only.
 */
const signatureField = scalarField(
  'Hex',
  textField.min(1, 'must not be empty').max(maxSignature, `must have at most ${maxSignature} characters`),
)

export const registerAffiliateInput = inputType('RegisterAffiliateInput', {
  description: 'A wallet’s signed request for a code.',
  schema: z.object(
    {
      walletAddress: addressField.meta({ description: 'The account that is to be paid.' }),
      code: affiliateCodeField.meta({ description: '5 to 20 characters of A-Z, 0-9, _ and -.' }),
      signedMessage: signatureField.meta({
        description:
          'Signature of affiliateTypedData as hex: a key’s, a contract wallet’s (ERC-1271), or that of one not yet deployed (ERC-6492).',
      }),
    },
    objectExpected,
  ),
})

const enabled = flagField.meta({ description: affiliate.fields.enabled?.description })

/** The editor's request body in REST, which has the code in the path. */
export const affiliateSwitch = z.object({ enabled }, objectExpected)

const setAffiliateEnabledInput = inputType('SetAffiliateEnabledInput', {
  description: 'The switch of an affiliate’s code.',
  schema: z.object(
    { code: affiliateCodeField.meta({ description: 'The code to switch.' }), enabled },
    objectExpected,
  ),
})

/** @throws Refusal InvalidParameter */
export function parseAffiliateCode(code: string): string {
  return parseInput(namedCode, { code }).code
}

exposeModel(affiliate)

builder.queryFields((t) => ({
  affiliate: storedRoot(t, affiliateOf, {
    args: {
      wallet: t.arg({ type: 'Address', required: true, description: 'The wallet, in any letter case.' }),
    },
    rowArguments: (args, environment) => {
      requireFeature(environment, 'cms')
      return args
    },
  }),
}))

builder.queryField('affiliateTypedData', (t) =>
  t.field({
    type: 'JSON',
    description:
      'The EIP-712 payload that a wallet signs to register a code, as eth_signTypedData_v4 takes it. The query reserves nothing.',
    args: {
      wallet: t.arg({ type: 'Address', required: true, description: 'The wallet that will sign.' }),
      code: t.arg.string({ required: true, description: 'The code to register.' }),
    },
    resolve: (_root, { wallet, code }, context) => {
      requireFeature(context, 'cms')
      return affiliateTypedData(context.affiliates.brand, { wallet, code: parseAffiliateCode(code) })
    },
  }),
)

exposeModel(enabledCode.model())

builder.queryFields((t) => ({
  referralCode: storedRoot(t, enabledCode, {
    args: { code: t.arg.string({ required: true, description: 'Upper case.' }) },
    rowArguments: ({ code }: { code: string }, environment) => {
      requireFeature(environment, 'cms')
      return { code: parseAffiliateCode(code) }
    },
  }),
}))

/** Returns the type of a result with an affiliate. */
function payloadRef(name: string, description: string, affiliateText: string) {
  return builder.objectRef<{ wallet: Address }>(name).implement({
    description,
    fields: (t) => ({
      affiliate: t.field({
        type: AffiliateRef,
        description: affiliateText,
        resolve: keyedResolver(affiliateByWallet, ({ wallet }) => wallet),
      }),
    }),
  })
}

builder.mutationField('registerAffiliate', (t) =>
  t.field({
    type: payloadRef(
      'RegisterAffiliatePayload',
      'A wallet that registered.',
      'The affiliate as it is stored.',
    ),
    description: 'Binds a code to a wallet, for good. A wallet has one code, and a code one wallet.',
    args: { input: inputArgument(t.arg, registerAffiliateInput) },
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
    type: payloadRef(
      'SetAffiliateEnabledPayload',
      'An affiliate whose code was switched.',
      'The affiliate as it is now.',
    ),
    description:
      'Switches a code on or off for traders. For the editor: needs the key of the content system, or the operator’s, as a bearer token or X-API-Key.',
    args: { input: inputArgument(t.arg, setAffiliateEnabledInput) },
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
async function registerOnce(registration: AffiliateRegistration, context: Context): Promise<Affiliate> {
  const { affiliates, db, interruptedAt } = context
  try {
    return await registerAffiliate(registration, affiliates, context)
  } catch (error) {
    if (!interruptedAt || !(error instanceof Refusal) || error.code !== 'AffiliateWalletBound') throw error
    const bound = await findAffiliateByWallet(db, registration.wallet)
    if (bound?.code === registration.code && bound.createdAt >= interruptedAt) return bound
    throw error
  }
}
