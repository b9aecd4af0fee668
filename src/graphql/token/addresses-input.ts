import { z } from 'zod'
import { parseTokenAddress } from '../../domain/token/address.ts'
import { objectExpected } from '../input/fields.ts'

/** Tokens that one request for details may name. */
const maxDetailTokens = 100

/** A token as REST routes of token data name it. */
export const tokenAddressField = z
  .string({ error: ({ input }) => (input === undefined ? 'is required' : 'must be a string') })
  .transform((text, context) => {
    const parsed = parseTokenAddress(text)
    if ('address' in parsed) return parsed.address
    context.addIssue({ code: 'custom', message: parsed.fault })
    return z.NEVER
  })
  .meta({ pattern: '^(-|0x[0-9a-fA-F]{40})$' })

export const tokenDetailsInput = z.object(
  {
    tokenAddresses: z
      .array(tokenAddressField, {
        error: ({ input }) => (input === undefined ? 'is required' : 'must be a list of addresses'),
      })
      .min(1, 'must name a token')
      .max(maxDetailTokens, `must name at most ${maxDetailTokens} tokens`)
      .meta({ description: 'Their contracts; `-` is the chain’s own coin.' }),
  },
  objectExpected,
)
