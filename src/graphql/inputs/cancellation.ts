import { z } from 'zod'
import type { EcdsaScheme } from '../../domain/signing.ts'
import { hexField, objectExpected, orderUidField, textField, wordField } from './fields.ts'
import { mostNamedOrders } from './order-uids.ts'

const ecdsaSchemes: EcdsaScheme[] = ['eip712', 'ethsign']
const longestReason = 200

const orderUids = z
  .array(orderUidField, {
    error: ({ input }) => (input === undefined ? 'is required' : 'must be a list of UIDs'),
  })
  .max(mostNamedOrders, `must name at most ${mostNamedOrders} orders`)
  .meta({ description: 'As signed: order and repetition count.' })

const signed = {
  signature: hexField.meta({ description: '65 bytes.' }),
  signingScheme: wordField(ecdsaSchemes).meta({ description: 'How the owner signed.' }),
}

/** A signed wish to cancel, with what stands beside it. An empty list is well-formed and cancels nothing. */
export const cancellationInput = z.looseObject({ orderUids, ...signed }, objectExpected)

/** What stands beside the UID of a single order, which is read where it stands. */
export const singleCancellationInput = z.looseObject(signed, objectExpected)

/** The operator's wish to cancel. Its reason is one line of text. */
export const policyInput = z.looseObject(
  {
    orderUids,
    reason: textField
      .min(1, 'must not be empty')
      .max(longestReason, `must have at most ${longestReason} characters`)
      .regex(/^\P{Cc}*$/u, 'must be one line')
      .nullish(),
  },
  objectExpected,
)
