import { z } from 'zod'
import { amount, count } from '../openapi/schemas/primitives.ts'

export const nativePrice = z.object({
  price: z.number().min(0).meta({
    description: 'Native atoms for one atom: the double nearest to a decimal of 18 digits, rounded down.',
  }),
})

export const tokenMetadata = z.object({
  firstTradeBlock: count.nullable(),
  nativePrice: amount
    .nullable()
    .meta({ description: 'Native atoms for 10^18 atoms in the newest auction that had a price for it.' }),
})

export const totalSurplus = z.object({ totalSurplus: amount })
