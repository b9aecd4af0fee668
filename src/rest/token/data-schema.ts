import { z } from 'zod'
import { address, amount, count } from '../openapi/schemas/primitives.ts'

export const usdPrice = z.object({
  price: z.number().positive().meta({ description: 'US dollars for one whole token.' }),
})

export const tokenHolder = z.object({
  address: address.meta({ description: 'The holder.' }),
  balance: amount.meta({ description: 'Atoms held.' }),
})

export const tokenHolders = z.array(tokenHolder)

export const tokenDetails = z.object({
  address,
  name: z.string().optional(),
  symbol: z.string().optional(),
  decimals: count.max(255).optional(),
})

export const tokenDetailsList = z.array(tokenDetails)
