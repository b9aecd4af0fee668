import { z } from 'zod'
import type { EcdsaScheme } from '../../domain/signing.ts'
import { hexField, objectExpected, orderUidField, wordField } from './fields.ts'

const maxOrders = 128
const ecdsaSchemes: EcdsaScheme[] = ['eip712', 'ethsign']

/** A signed wish to cancel, with what stands beside it. An empty list is well-formed and cancels nothing. */
export const cancellationInput = z.looseObject(
  {
    orderUids: z
      .array(orderUidField, {
        error: ({ input }) => (input === undefined ? 'is required' : 'must be a list of UIDs'),
      })
      .max(maxOrders, `must name at most ${maxOrders} orders`),
    signature: hexField,
    signingScheme: wordField(ecdsaSchemes),
  },
  objectExpected,
)
