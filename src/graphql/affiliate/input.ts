import { z } from 'zod'
import { affiliateCodePattern } from '../../domain/affiliate/affiliate.ts'
import { parseInput } from '../errors/input.ts'
import { addressField, flagField, objectExpected, scalarField, textField } from '../input/fields.ts'
import { inputType } from '../input/input-type.ts'

/** 8,192 bytes as hex: far longer than any wallet's signature, deployment data (ERC-6492) included. */
const longestSignature = 16_386

export const affiliateCodeField = textField.regex(
  affiliateCodePattern,
  'must be 5 to 20 characters of A-Z, 0-9, _ and -',
)

const namedCode = z.object({ code: affiliateCodeField })

/** REST accepts text that is not hex and rejects it as an invalid signature; the GraphQL type takes hex only. */
const signatureField = scalarField(
  'Hex',
  textField
    .min(1, 'must not be empty')
    .max(longestSignature, `must have at most ${longestSignature} characters`),
)

export const registerAffiliateInput = inputType('RegisterAffiliateInput', {
  description: 'A wallet’s wish for a code, signed.',
  schema: z.object(
    {
      walletAddress: addressField.meta({ description: 'Who is to be paid.' }),
      code: affiliateCodeField.meta({ description: '5 to 20 characters of A-Z, 0-9, _ and -.' }),
      signedMessage: signatureField.meta({
        description:
          'Signature of affiliateTypedData as hex: a key’s, a contract wallet’s (ERC-1271), or that of one not yet deployed (ERC-6492).',
      }),
    },
    objectExpected,
  ),
})

const enabled = flagField.meta({ description: 'Whether traders may use the code.' })

/** The editor's request body in REST, which has the code in the path. */
export const affiliateSwitch = z.object({ enabled }, objectExpected)

export const setAffiliateEnabledInput = inputType('SetAffiliateEnabledInput', {
  description: 'Whether an affiliate’s code may be used.',
  schema: z.object({ code: affiliateCodeField.meta({ description: 'The code.' }), enabled }, objectExpected),
})

/** @throws Refusal InvalidParameter */
export function parseAffiliateCode(code: string): string {
  return parseInput(namedCode, { code }).code
}
