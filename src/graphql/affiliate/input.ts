import { z } from 'zod'
import { affiliateCodePattern } from '../../domain/affiliate/affiliate.ts'
import { address } from '../../domain/evm/address.ts'
import { parseInput } from '../errors/input.ts'
import { flagField, objectExpected, scalarField, textField } from '../input/fields.ts'
import { inputType } from '../input/input-type.ts'

/** Far more than any wallet's signature, with what deploys it: 8,192 bytes, as hex. */
const longestSignature = 16_386

/** In REST paths and bodies: the prefix has to be there, as clients of these routes know it. */
export const walletField = scalarField(
  'Address',
  textField.regex(/^0x[0-9a-fA-F]{40}$/, 'must be an address: 0x and 40 digits of hex').transform(address),
)

export const affiliateCodeField = textField.regex(
  affiliateCodePattern,
  'must be 5 to 20 characters of A-Z, 0-9, _ and -',
)

const namedCode = z.object({ code: affiliateCodeField })

/** Text that is not hex is well-formed in REST, and nobody's signature; the graph's type takes hex alone. */
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
      walletAddress: walletField.meta({ description: 'Who is to be paid.' }),
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

/** The editor's wish, as REST has it: the code stands in the path. */
export const affiliateSwitch = z.object({ enabled }, objectExpected)

export const setAffiliateEnabledInput = inputType('SetAffiliateEnabledInput', {
  description: 'Whether an affiliate’s code may be used.',
  schema: z.object({ code: affiliateCodeField.meta({ description: 'The code.' }), enabled }, objectExpected),
})

/** @throws Refusal InvalidParameter */
export function parseAffiliateCode(code: string): string {
  return parseInput(namedCode, { code }).code
}
