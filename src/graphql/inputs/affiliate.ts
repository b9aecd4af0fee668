import { z } from 'zod'
import { address } from '../../domain/address.ts'
import { affiliateCodePattern } from '../../domain/affiliate.ts'
import { parseInput } from '../refusal.ts'
import { flagField, objectExpected, textField } from './fields.ts'

/** Far more than any wallet's signature, with what deploys it: 8,192 bytes, as hex. */
const longestSignature = 16_386

/** In REST paths and bodies: the prefix has to be there, as clients of these routes know it. */
export const walletField = textField
  .regex(/^0x[0-9a-fA-F]{40}$/, 'must be an address: 0x and 40 digits of hex')
  .transform(address)

export const affiliateCodeField = textField.regex(
  affiliateCodePattern,
  'must be 5 to 20 characters of A-Z, 0-9, _ and -',
)

const namedCode = z.object({ code: affiliateCodeField })

/** What is not hex is well-formed, and nobody's signature. */
export const affiliateInput = z.object(
  {
    walletAddress: walletField,
    code: affiliateCodeField,
    signedMessage: textField
      .min(1, 'must not be empty')
      .max(longestSignature, `must have at most ${longestSignature} characters`),
  },
  objectExpected,
)

/** The editor's wish. */
export const affiliateSwitch = z.object(
  { enabled: flagField.meta({ description: 'Whether traders may use the code.' }) },
  objectExpected,
)

/** @throws Refusal InvalidParameter */
export function parseAffiliateCode(code: string): string {
  return parseInput(namedCode, { code }).code
}
