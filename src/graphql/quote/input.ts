import { z } from 'zod'
import type { QuoteRequest } from '../../domain/quote/quote.ts'
import { networkField, objectExpected, onlyNetwork } from '../input/fields.ts'
import { inputType } from '../input/input-type.ts'
import { oneOf } from '../input/one-of.ts'
import {
  addFault,
  conditions,
  defaultValidFor,
  faultOf,
  sizes,
  toQuoteRequest,
  trade,
  validities,
} from './members.ts'

const amount = inputType('QuoteAmountInput', {
  description: 'The amount that is fixed, and with it which side of the order is.',
  isOneOf: true,
  schema: oneOf({
    sellBeforeFee: sizes.sellAmountBeforeFee,
    sellAfterFee: sizes.sellAmountAfterFee,
    buyAfterFee: sizes.buyAmountAfterFee,
  }),
})

const validity = inputType('QuoteValidityInput', {
  description: 'When the order will expire.',
  isOneOf: true,
  schema: oneOf(validities),
})

const forms = {
  sellBeforeFee: 'sellAmountBeforeFee',
  sellAfterFee: 'sellAmountAfterFee',
  buyAfterFee: 'buyAmountAfterFee',
} as const

export const quoteInput = inputType('QuoteInput', {
  description: 'What to quote.',
  schema: z
    .object(
      {
        network: networkField(onlyNetwork),
        ...trade,
        ...conditions,
        validity: validity.schema
          .nullish()
          .meta({ description: 'When it will expire; half an hour from now when left out.' }),
        amount: amount.schema.meta({ description: 'What is sold, or what is bought.' }),
      },
      objectExpected,
    )
    .superRefine(({ amount: { member, value }, ...terms }, context) => {
      if (value === 0n) addFault(context, { field: member, message: 'must be positive' }, ['amount'])
      const fault = faultOf(terms)
      if (fault) addFault(context, fault)
    }),
})

/** The request of a parsed input. @throws Refusal InvalidParameter, AppDataHashMismatch */
export function quoteRequestOf({
  amount,
  validity,
  ...terms
}: z.output<typeof quoteInput.schema>): QuoteRequest {
  const expiry =
    validity?.member === 'validTo'
      ? { validTo: validity.value }
      : { validFor: validity?.value ?? defaultValidFor }
  return toQuoteRequest(terms, { form: forms[amount.member], amount: amount.value }, expiry)
}
