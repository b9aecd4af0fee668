import { z } from 'zod'
import { toAppDataInput, zeroAppData } from '../../domain/app-data/document.ts'
import type { RefusalCode } from '../../domain/errors/refusal-codes.ts'
import { orderTexts, signingSchemes } from '../../domain/order/order.ts'
import { priceQualities, type QuoteRequest, type QuoteSize } from '../../domain/quote/quote.ts'
import { isEcdsa } from '../../domain/signing/signing.ts'
import { PriceQuality, SigningScheme } from '../enums.ts'
import {
  addressField,
  amountField,
  enumField,
  flagField,
  millisecondsField,
  networkField,
  objectExpected,
  oneOf,
  safeIntField,
  textField,
  uint32Field,
} from '../input/fields.ts'
import { inputType } from '../input/input-type.ts'
import { orderFields } from '../input/order-fields.ts'
import { SlippageMode } from '../token/market-data.ts'

const defaultTimeoutMs = 5_000
const defaultVerificationGas = 27_000

/** Seconds. */
const defaultValidFor = 1_800

/** Members that the GraphQL input and the REST body share. */
const sizes = {
  sellAmountBeforeFee: amountField('SellAmountOverflow')
    .nullish()
    .meta({ description: 'The spent amount, for SELL; the fee is deducted.' }),
  sellAmountAfterFee: amountField('SellAmountOverflow')
    .nullish()
    .meta({ description: 'The amount traded after the fee, for SELL.' }),
  buyAmountAfterFee: amountField('BuyAmountOverflow')
    .nullish()
    .meta({ description: 'The amount to buy, for BUY.' }),
}

const validities = {
  validTo: uint32Field.nullish().meta({ description: 'Expiry in Unix seconds.' }),
  validFor: uint32Field.nullish().meta({ description: 'Seconds from now; 1800 when neither is given.' }),
}

const trade = {
  sellToken: orderFields.sellToken,
  buyToken: orderFields.buyToken,
  from: addressField.meta({ description: 'The trader, who will own the order.' }),
  receiver: orderFields.receiver,
}

const conditions = {
  appData: textField.nullish().meta({ description: orderTexts.documentOrHash }),
  appDataHash: orderFields.appDataHash,
  sellTokenBalance: orderFields.sellTokenBalance,
  buyTokenBalance: orderFields.buyTokenBalance,
  priceQuality: enumField(PriceQuality, priceQualities)
    .nullish()
    .meta({ description: 'VERIFIED when left out.' }),
  signingScheme: enumField(SigningScheme, signingSchemes)
    .nullish()
    .meta({ description: 'EIP712 when left out.' }),
  onchainOrder: flagField
    .nullish()
    .meta({ description: 'Will be placed on chain; not for a key’s signature.' }),
  verificationGasLimit: safeIntField
    .nullish()
    .meta({ description: 'Gas of the signature check, for EIP1271 only.' }),
  slippage: enumField(SlippageMode, ['auto'])
    .nullish()
    .meta({ description: 'AUTO: the answer has a slippage by the volatility of the market.' }),
  timeout: millisecondsField.nullish().meta({
    description: `Milliseconds; can only shorten the answer’s time. What is over ${defaultTimeoutMs} counts as ${defaultTimeoutMs}.`,
  }),
}

type Terms = z.output<z.ZodObject<typeof trade & typeof conditions>>

interface Fault {
  field: string
  message: string
  code?: RefusalCode
}

function addFault(context: z.RefinementCtx, { field, message, code }: Fault, within: string[] = []): void {
  context.addIssue({ code: 'custom', path: [...within, field], message, ...(code && { params: { code } }) })
}

/** Members that exclude or require each other; size and expiry are checked elsewhere. */
function conflictIn(terms: Terms): Fault | undefined {
  const ecdsa = isEcdsa(terms.signingScheme ?? 'eip712')
  if (terms.appDataHash != null && terms.appData == null) {
    return { field: 'appDataHash', message: 'needs appData as well' }
  }
  if (terms.onchainOrder === true && ecdsa) {
    return {
      code: 'IncompatibleSigningScheme',
      field: 'onchainOrder',
      message: 'needs signingScheme presign or eip1271',
    }
  }
  if (terms.verificationGasLimit != null && terms.signingScheme !== 'eip1271') {
    return { field: 'verificationGasLimit', message: 'needs signingScheme eip1271' }
  }
  return undefined
}

function toQuoteRequest(terms: Terms, size: QuoteSize, expiry: QuoteRequest['expiry']): QuoteRequest {
  const appData = toAppDataInput(terms.appData ?? zeroAppData, terms.appDataHash)
  const signingScheme = terms.signingScheme ?? 'eip712'
  return {
    kind: size.form === 'buyAmountAfterFee' ? 'buy' : 'sell',
    size,
    sellToken: terms.sellToken,
    buyToken: terms.buyToken,
    from: terms.from,
    receiver: terms.receiver ?? null,
    expiry,
    appData: appData.appData,
    appDataHash: appData.hash,
    appDataDocument: appData.document,
    sellTokenBalance: terms.sellTokenBalance ?? 'erc20',
    buyTokenBalance: terms.buyTokenBalance ?? 'erc20',
    priceQuality: terms.priceQuality ?? 'verified',
    signingScheme,
    onchainOrder: terms.onchainOrder ?? false,
    verificationGasLimit:
      signingScheme === 'eip1271' ? BigInt(terms.verificationGasLimit ?? defaultVerificationGas) : 0n,
    timeoutMs: Math.min(terms.timeout ?? defaultTimeoutMs, defaultTimeoutMs),
  }
}

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
  description: 'The expiry of the order.',
  isOneOf: true,
  schema: oneOf(validities),
})

const forms = {
  sellBeforeFee: 'sellAmountBeforeFee',
  sellAfterFee: 'sellAmountAfterFee',
  buyAfterFee: 'buyAmountAfterFee',
} as const

export const quoteInput = inputType('QuoteInput', {
  description: 'An order to quote: its tokens, an amount and conditions.',
  schema: z
    .object(
      {
        network: networkField(),
        ...trade,
        ...conditions,
        validity: validity.schema
          .nullish()
          .meta({ description: 'The expiry of the order; half an hour from now if left out.' }),
        amount: amount.schema.meta({ description: 'The amount to sell or to buy.' }),
      },
      objectExpected,
    )
    .superRefine(({ amount: { member, value }, ...terms }, context) => {
      if (value === 0n) addFault(context, { field: member, message: 'must be positive' }, ['amount'])
      const fault = conflictIn(terms)
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

const bodyMembers = z.object(
  {
    kind: orderFields.kind,
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
  const fault = faultOfValidity(body) ?? ('field' in size ? size : conflictIn(body))
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
  if (second) return { field: second, message: `must not be combined with ${form}` }
  const amount = form && body[form]
  if (!form || amount == null) return { field: forms[0], message: 'is required' }
  if (amount === 0n) return { field: form, message: 'must be positive' }
  return { form, amount }
}

function faultOfValidity({ validTo, validFor }: Body): Fault | undefined {
  if (validTo == null || validFor == null) return undefined
  return { field: 'validFor', message: 'must not be combined with validTo' }
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
