import { z } from 'zod'
import { orderKinds } from '../../domain/order/order.ts'
import type { QuoteRequest, QuoteSize } from '../../domain/quote/quote.ts'
import { OrderKind } from '../enums.ts'
import { enumField, objectExpected } from '../input/fields.ts'
import {
  addFault,
  conditions,
  defaultValidFor,
  type Fault,
  faultOf,
  sizes,
  toQuoteRequest,
  trade,
  validities,
} from './members.ts'

const bodyMembers = z.object(
  {
    kind: enumField(OrderKind, orderKinds).meta({ description: 'Which side is fixed.' }),
    ...trade,
    ...conditions,
    ...validities,
    ...sizes,
  },
  objectExpected,
)
type Body = z.output<typeof bodyMembers>

/** The REST body, flat: one size that fits the kind, and at most one expiry. */
export const quoteBody = bodyMembers.transform((body, context): QuoteRequest => {
  const size = readSize(body)
  const fault = faultOfValidity(body) ?? ('field' in size ? size : faultOf(body))
  if (fault) {
    addFault(context, fault)
    return z.NEVER
  }
  const expiry =
    body.validTo == null ? { validFor: body.validFor ?? defaultValidFor } : { validTo: body.validTo }
  return toQuoteRequest(body, size as QuoteSize, expiry)
})

function readSize(body: Body): QuoteSize | Fault {
  const forms =
    body.kind === 'sell'
      ? (['sellAmountBeforeFee', 'sellAmountAfterFee'] as const)
      : (['buyAmountAfterFee'] as const)
  const otherForms =
    body.kind === 'sell'
      ? ['buyAmountAfterFee' as const]
      : (['sellAmountBeforeFee', 'sellAmountAfterFee'] as const)
  const wrongForm = otherForms.find((form) => body[form] != null)
  if (wrongForm) return { field: wrongForm, message: `does not fit kind ${body.kind}` }
  const [form, second] = forms.filter((candidate) => body[candidate] != null)
  if (second) return { field: second, message: `must not stand beside ${form}` }
  const amount = form && body[form]
  if (!form || amount == null) return { field: forms[0], message: 'is required' }
  if (amount === 0n) return { field: form, message: 'must be positive' }
  return { form, amount }
}

function faultOfValidity({ validTo, validFor }: Body): Fault | undefined {
  if (validTo == null || validFor == null) return undefined
  return { field: 'validFor', message: 'must not stand beside validTo' }
}

/** Turns a valid REST body into the GraphQL input. */
export function toQuoteInput(body: z.input<typeof quoteBody>) {
  const { kind: _, sellAmountBeforeFee, sellAmountAfterFee, buyAmountAfterFee, ...rest } = body
  const { validTo, validFor, ...members } = rest
  const validity = validTo != null ? { validTo } : validFor != null ? { validFor } : null
  if (sellAmountBeforeFee != null)
    return { ...members, validity, amount: { sellBeforeFee: sellAmountBeforeFee } }
  if (sellAmountAfterFee != null)
    return { ...members, validity, amount: { sellAfterFee: sellAmountAfterFee } }
  if (buyAmountAfterFee != null) return { ...members, validity, amount: { buyAfterFee: buyAmountAfterFee } }
  throw new TypeError('a quote that was read has an amount')
}
