import { z } from 'zod'
import {
  buyTokenDestinations,
  orderKinds,
  sellTokenSources,
  signingSchemes,
} from '../../domain/order/order.ts'
import { address, amount, bytes32, count, decimal, timestamp } from '../openapi/schemas/primitives.ts'

export const quotedOrder = z.object({
  sellToken: address,
  buyToken: address,
  receiver: address.nullable(),
  sellAmount: amount,
  buyAmount: amount,
  feeAmount: amount,
  validTo: count,
  appData: z.string(),
  appDataHash: bytes32,
  gasAmount: amount,
  gasPrice: amount,
  sellTokenPrice: decimal,
  kind: z.enum(orderKinds),
  partiallyFillable: z.boolean(),
  sellTokenBalance: z.enum(sellTokenSources),
  buyTokenBalance: z.enum(buyTokenDestinations),
  signingScheme: z.enum(signingSchemes),
})

export const quoteResponse = z.object({
  quote: quotedOrder,
  from: address,
  expiration: timestamp,
  id: count.nullable().meta({ description: 'Goes into the order; null for fast, which is not stored.' }),
  verified: z.boolean(),
  protocolFeeBps: decimal.optional(),
  slippageBps: count
    .max(10_000)
    .optional()
    .meta({ description: 'With `slippage` `auto`: that of the market, and at least 50.' }),
})
