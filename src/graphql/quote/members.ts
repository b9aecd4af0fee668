import type { z } from 'zod'
import { toAppDataInput, zeroAppData } from '../../domain/app-data/document.ts'
import type { RefusalCode } from '../../domain/errors/refusal-codes.ts'
import { buyTokenDestinations, sellTokenSources, signingSchemes } from '../../domain/order/order.ts'
import { priceQualities, type QuoteRequest, type QuoteSize } from '../../domain/quote/quote.ts'
import { isEcdsa } from '../../domain/signing/signing.ts'
import { BuyTokenDestination, PriceQuality, SellTokenSource, SigningScheme } from '../enums.ts'
import {
  addressField,
  amountField,
  appDataHashField,
  enumField,
  flagField,
  millisecondsField,
  safeIntField,
  textField,
  uint32Field,
} from '../input/fields.ts'
import { SlippageMode } from '../token/market/enums.ts'

const defaultTimeoutMs = 5_000
const defaultVerificationGas = 27_000

/** Seconds. */
export const defaultValidFor = 1_800

/** Members that the GraphQL input and the REST body share. */
export const sizes = {
  sellAmountBeforeFee: amountField('SellAmountOverflow')
    .nullish()
    .meta({ description: 'For SELL: what is spent; the fee is deducted.' }),
  sellAmountAfterFee: amountField('SellAmountOverflow')
    .nullish()
    .meta({ description: 'For SELL: what is traded after the fee.' }),
  buyAmountAfterFee: amountField('BuyAmountOverflow')
    .nullish()
    .meta({ description: 'For BUY: what is to be bought.' }),
}

export const validities = {
  validTo: uint32Field.nullish().meta({ description: 'Expiry in Unix seconds.' }),
  validFor: uint32Field.nullish().meta({ description: 'Seconds from now; 1800 when neither is given.' }),
}

export const trade = {
  sellToken: addressField.meta({ description: 'What is sold.' }),
  buyToken: addressField.meta({ description: 'What is bought.' }),
  from: addressField.meta({ description: 'The trader.' }),
  receiver: addressField.nullish().meta({ description: 'Who gets the buy tokens; null means the owner.' }),
}

export const conditions = {
  appData: textField.nullish().meta({ description: 'The document, or its hash.' }),
  appDataHash: appDataHashField.nullish().meta({ description: 'The document’s hash, to be checked.' }),
  sellTokenBalance: enumField(SellTokenSource, sellTokenSources)
    .nullish()
    .meta({ description: 'ERC20 when left out.' }),
  buyTokenBalance: enumField(BuyTokenDestination, buyTokenDestinations)
    .nullish()
    .meta({ description: 'ERC20 when left out.' }),
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

export type Terms = z.output<z.ZodObject<typeof trade & typeof conditions>>

export interface Fault {
  field: string
  message: string
  code?: RefusalCode
}

export function addFault(
  context: z.RefinementCtx,
  { field, message, code }: Fault,
  within: string[] = [],
): void {
  context.addIssue({ code: 'custom', path: [...within, field], message, ...(code && { params: { code } }) })
}

/** Members that exclude or require each other; size and expiry are checked elsewhere. */
export function faultOf(terms: Terms): Fault | undefined {
  const ecdsa = isEcdsa(terms.signingScheme ?? 'eip712')
  if (terms.appDataHash != null && terms.appData == null) {
    return { field: 'appDataHash', message: 'needs appData beside it' }
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

export function toQuoteRequest(terms: Terms, size: QuoteSize, expiry: QuoteRequest['expiry']): QuoteRequest {
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
