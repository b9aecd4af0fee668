import { z } from 'zod'
import { address, amount } from '../openapi/schemas/primitives.ts'
import { tokenDetails } from '../token/data-schema.ts'

export const accountBalance = z.object({
  balance: amount.meta({ description: 'Atoms.' }),
  allowance: amount.meta({
    description: 'Atoms that the vault relayer may take; 0 of the chain’s own coin, which it cannot take.',
  }),
  token: tokenDetails,
})

export const accountBalances = z.array(accountBalance)

export const heldBalances = z.object({
  balances: z.record(address, amount).meta({ description: 'Atoms by token, more than nothing.' }),
})
