import { z } from 'zod'
import { address, count, timestamp } from '../openapi/schemas/primitives.ts'

export const slippageTolerance = z.object({
  slippageBps: count.max(10_000).meta({
    description: 'One standard deviation of the price within five minutes, in basis points, rounded up.',
  }),
})

export const pricePoint = z.object({
  date: timestamp.meta({ description: 'When.' }),
  price: z.number().min(0).meta({ description: 'US dollars for one whole token.' }),
  volume: z
    .number()
    .min(0)
    .meta({ description: 'US dollars traded in the 24 hours before; 0 where the source does not say.' }),
})

export const tokenVolatility = z.object({
  tokenAddress: address.meta({ description: 'Its contract, as the pair names it.' }),
  usdPrice: z.number().min(0).meta({ description: 'US dollars for one whole token now.' }),
  prices: z.array(pricePoint).meta({ description: 'Those of a day, every five minutes, the oldest first.' }),
  volatilityInUsd: z
    .number()
    .min(0)
    .meta({ description: 'How many US dollars the price moves in five minutes: one standard deviation.' }),
  volatilityInTokens: z.number().min(0).meta({ description: 'The same as a share of the price now.' }),
})

export const volatilityDetails = z.object({
  baseToken: tokenVolatility.nullable().meta({ description: 'Null when too few prices are known.' }),
  quoteToken: tokenVolatility.nullable().meta({ description: 'Null when too few prices are known.' }),
})

const atoms = z.string().regex(/^[0-9]{1,78}$/, 'must be atoms as digits')

/** The order that a slippage is for. The volatility does not depend on it. */
export const slippageQuery = z.object({
  orderKind: z.enum(['buy', 'sell'], 'must be buy or sell').optional(),
  partiallyFillable: z.enum(['true', 'false'], 'must be true or false').optional(),
  sellAmount: atoms.optional(),
  buyAmount: atoms.optional(),
  feeAmount: atoms.optional(),
  expirationTimeInSeconds: z
    .string()
    .regex(/^[0-9]{1,10}$/, 'must be seconds as digits')
    .optional(),
})
