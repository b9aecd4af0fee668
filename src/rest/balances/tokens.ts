import { z } from 'zod'
import { Refusal } from '../../domain/errors/error.ts'
import type { Address } from '../../domain/evm/address.ts'
import { parseTokenAddress } from '../../domain/token/address.ts'
import { parseInput } from '../../graphql/errors/input.ts'
import { objectExpected } from '../../graphql/input/fields.ts'
import { tokenAddressField } from '../../graphql/token/addresses-input.ts'
import { maxNamedTokens } from '../../graphql/token/watched.ts'
import type { RestRequest } from '../row/route.ts'

const longestShown = 80

export const watchedTokensInput = z.object(
  {
    tokens: z
      .array(tokenAddressField, {
        error: ({ input }) => (input === undefined ? 'is required' : 'must be a list of addresses'),
      })
      .min(1, 'must name a token')
      .max(maxNamedTokens, `must name at most ${maxNamedTokens} tokens`)
      .meta({ description: 'Their contracts; `-` is the chain’s own coin.' }),
  },
  objectExpected,
)

/** Of a stream: in the address, or in the body where there is one. @throws Refusal InvalidParameter */
export function watchedTokens({ query, body }: RestRequest<string>): Address[] {
  if (body === undefined) return parseTokens(query.getAll('tokens'), maxNamedTokens)
  return [...new Set(parseInput(watchedTokensInput, body).tokens)]
}

/**
 * Lists with commas between, of each parameter of this name: each token once, blanks are skipped.
 * @throws Refusal InvalidParameter
 */
export function parseTokens(texts: readonly string[], most: number): Address[] {
  if (texts.length === 0) throw refusal('tokens is required')
  const entries = texts
    .flatMap((text) => text.split(','))
    .map((entry) => entry.trim())
    .filter(Boolean)
  if (entries.length === 0) throw refusal('At least one token address is required')
  const tokens = new Set(entries.map(parseToken))
  if (tokens.size > most) throw refusal(`tokens must name at most ${most} tokens`)
  return [...tokens]
}

function parseToken(entry: string): Address {
  const parsed = parseTokenAddress(entry)
  if ('address' in parsed) return parsed.address
  throw refusal(`Invalid Ethereum address: ${entry.slice(0, longestShown)}: it ${parsed.fault}`)
}

function refusal(message: string): Refusal {
  return new Refusal('InvalidParameter', message, { field: 'tokens' })
}
