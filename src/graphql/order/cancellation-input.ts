import { z } from 'zod'
import type { EcdsaScheme } from '../../domain/signing/signing.ts'
import { SigningScheme } from '../enums.ts'
import {
  enumField,
  hexField,
  networkField,
  objectExpected,
  orderUidField,
  textField,
} from '../input/fields.ts'
import { inputType } from '../input/input-type.ts'
import { maxNamedOrders } from './uids-input.ts'

const ecdsaSchemes: EcdsaScheme[] = ['eip712', 'ethsign']
const longestReason = 200

const orderUids = z
  .array(orderUidField, {
    error: ({ input }) => (input === undefined ? 'is required' : 'must be a list of UIDs'),
  })
  .max(maxNamedOrders, `must name at most ${maxNamedOrders} orders`)

const signatureMembers = {
  signature: hexField.meta({ description: '65 bytes.' }),
  signingScheme: enumField(SigningScheme, ecdsaSchemes).meta({ description: 'How the owner signed.' }),
}

const signedUids = orderUids.meta({ description: 'As signed: order and repetition count.' })
const listedUids = orderUids.meta({ description: `At most ${maxNamedOrders}, all of one network.` })
const networkOfOrders = networkField('That of the orders when left out.')

/** A signed cancellation in REST; other members pass through. An empty list is well-formed and cancels nothing. */
export const cancellationBody = z.looseObject({ orderUids: signedUids, ...signatureMembers }, objectExpected)

/** A signed cancellation of the one order that the REST path names. */
export const singleCancellationBody = z.looseObject(signatureMembers, objectExpected)

export const cancelOrdersInput = inputType('CancelOrdersInput', {
  description: 'Orders to be cancelled, all or none, with their owner’s signature over the list.',
  schema: z.object({ network: networkOfOrders, orderUids: signedUids, ...signatureMembers }, objectExpected),
})

export const cancelOrderInput = inputType('CancelOrderInput', {
  description: 'An order to be cancelled, with its owner’s signature.',
  schema: z.object(
    {
      network: networkField('That of the order when left out.'),
      orderUid: orderUidField.meta({ description: 'The order.' }),
      ...signatureMembers,
    },
    objectExpected,
  ),
})

export const cancelByPolicyInput = inputType('CancelOrdersByPolicyInput', {
  description: 'Orders that the operator cancels, all or none.',
  schema: z.object(
    {
      network: networkOfOrders,
      orderUids: listedUids,
      reason: textField
        .min(1, 'must not be empty')
        .max(longestReason, `must have at most ${longestReason} characters`)
        .regex(/^\P{Cc}*$/u, 'must be one line')
        .nullish()
        .meta({ description: 'One line, which readers of the order’s history see.' }),
    },
    objectExpected,
  ),
})
