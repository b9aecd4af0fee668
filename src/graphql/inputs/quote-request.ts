import { z } from 'zod'
import { toAppDataInput, zeroAppData } from '../../domain/app-data.ts'
import { buyTokenDestinations, orderKinds, sellTokenSources, signingSchemes } from '../../domain/order.ts'
import { priceQualities, type QuoteRequest, type QuoteSize } from '../../domain/quote.ts'
import type { RefusalCode } from '../../domain/refusal-codes.ts'
import { isEcdsa } from '../../domain/signing.ts'
import {
  addressField,
  amountField,
  flagField,
  objectExpected,
  safeIntField,
  textField,
  uint32Field,
  wordField,
} from './fields.ts'

const defaultValidFor = 1_800
const defaultTimeoutMs = 5_000
const defaultVerificationGas = 27_000

const rawQuoteRequest = z.object(
  {
    kind: wordField(orderKinds),
    sellAmountBeforeFee: amountField('SellAmountOverflow').nullish(),
    sellAmountAfterFee: amountField('SellAmountOverflow').nullish(),
    buyAmountAfterFee: amountField('BuyAmountOverflow').nullish(),
    sellToken: addressField,
    buyToken: addressField,
    from: addressField,
    receiver: addressField.nullish(),
    validTo: uint32Field.nullish(),
    validFor: uint32Field.nullish(),
    appData: textField.nullish(),
    appDataHash: textField.nullish(),
    sellTokenBalance: wordField(sellTokenSources).nullish(),
    buyTokenBalance: wordField(buyTokenDestinations).nullish(),
    priceQuality: wordField(priceQualities).nullish(),
    signingScheme: wordField(signingSchemes).nullish(),
    onchainOrder: flagField.nullish(),
    verificationGasLimit: safeIntField.nullish(),
    timeout: uint32Field.nullish(),
  },
  objectExpected,
)
type Raw = z.output<typeof rawQuoteRequest>
type Sized = Raw & { size: QuoteSize }

/** What a quote is asked for: one size form that fits the kind, at most one expiry form. */
export const quoteRequestInput = rawQuoteRequest
  .transform((raw, context): Sized => {
    const size = readSize(raw)
    const fault = 'field' in size ? size : faultOf(raw)
    if (fault) {
      const { field, message, code } = fault
      context.addIssue({ code: 'custom', path: [field], message, ...(code && { params: { code } }) })
    }
    return 'field' in size ? z.NEVER : { ...raw, size }
  })
  .transform(toQuoteRequest)

interface Fault {
  field: keyof Raw
  message: string
  code?: RefusalCode
}

function readSize(raw: Raw): QuoteSize | Fault {
  const forms =
    raw.kind === 'sell'
      ? (['sellAmountBeforeFee', 'sellAmountAfterFee'] as const)
      : (['buyAmountAfterFee'] as const)
  const other =
    raw.kind === 'sell'
      ? ['buyAmountAfterFee' as const]
      : (['sellAmountBeforeFee', 'sellAmountAfterFee'] as const)
  const stray = other.find((form) => raw[form] != null)
  if (stray) return { field: stray, message: `does not fit kind ${raw.kind}` }
  const [form, second] = forms.filter((candidate) => raw[candidate] != null)
  if (second) return { field: second, message: `must not stand beside ${form}` }
  const amount = form && raw[form]
  if (!form || amount == null) return { field: forms[0], message: 'is required' }
  if (amount === 0n) return { field: form, message: 'must be positive' }
  return { form, amount }
}

function faultOf(raw: Raw): Fault | undefined {
  const ecdsa = isEcdsa(raw.signingScheme ?? 'eip712')
  if (raw.validTo != null && raw.validFor != null) {
    return { field: 'validFor', message: 'must not stand beside validTo' }
  }
  if (raw.appDataHash != null && raw.appData == null) {
    return { field: 'appDataHash', message: 'needs appData beside it' }
  }
  if (raw.onchainOrder === true && ecdsa) {
    return {
      code: 'IncompatibleSigningScheme',
      field: 'onchainOrder',
      message: 'needs signingScheme presign or eip1271',
    }
  }
  if (raw.verificationGasLimit != null && raw.signingScheme !== 'eip1271') {
    return { field: 'verificationGasLimit', message: 'needs signingScheme eip1271' }
  }
  return undefined
}

function toQuoteRequest(raw: Sized): QuoteRequest {
  const appData = toAppDataInput(raw.appData ?? zeroAppData, raw.appDataHash)
  const signingScheme = raw.signingScheme ?? 'eip712'
  return {
    kind: raw.kind,
    size: raw.size,
    sellToken: raw.sellToken,
    buyToken: raw.buyToken,
    from: raw.from,
    receiver: raw.receiver ?? null,
    expiry: raw.validTo == null ? { validFor: raw.validFor ?? defaultValidFor } : { validTo: raw.validTo },
    appData: appData.appData,
    appDataHash: appData.hash,
    appDataDocument: appData.document,
    sellTokenBalance: raw.sellTokenBalance ?? 'erc20',
    buyTokenBalance: raw.buyTokenBalance ?? 'erc20',
    priceQuality: raw.priceQuality ?? 'verified',
    signingScheme,
    onchainOrder: raw.onchainOrder ?? false,
    verificationGasLimit:
      signingScheme === 'eip1271' ? BigInt(raw.verificationGasLimit ?? defaultVerificationGas) : 0n,
    timeoutMs: Math.min(raw.timeout ?? defaultTimeoutMs, defaultTimeoutMs),
  }
}
