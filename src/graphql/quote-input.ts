import { builder, validatedBy } from './builder.ts'
import { BuyTokenDestination, OrderKind, PriceQuality, SellTokenSource, SigningScheme } from './enums.ts'
import { quoteRequestInput } from './inputs/quote-request.ts'

export const QuoteInput = builder.inputType('QuoteInput', {
  description:
    'What to quote: exactly one amount that fits the kind, and at most one of validTo and validFor.',
  validate: validatedBy(quoteRequestInput),
  fields: (t) => ({
    kind: t.field({ type: OrderKind, required: true, description: 'Which side is fixed.' }),
    sellAmountBeforeFee: t.field({
      type: 'Uint256',
      description: 'For SELL: what is spent; the fee is deducted.',
    }),
    sellAmountAfterFee: t.field({ type: 'Uint256', description: 'For SELL: what is traded after the fee.' }),
    buyAmountAfterFee: t.field({ type: 'Uint256', description: 'For BUY: what is to be bought.' }),
    sellToken: t.field({ type: 'Address', required: true, description: 'What is sold.' }),
    buyToken: t.field({ type: 'Address', required: true, description: 'What is bought.' }),
    from: t.field({ type: 'Address', required: true, description: 'The trader.' }),
    receiver: t.field({ type: 'Address', description: 'Who gets the buy tokens; null means the owner.' }),
    validTo: t.field({ type: 'Uint32', description: 'Expiry in Unix seconds.' }),
    validFor: t.field({ type: 'Uint32', description: 'Seconds from now; 1800 when neither is given.' }),
    appData: t.string({ description: 'The document, or its hash.' }),
    appDataHash: t.string({ description: 'The document’s hash, to be checked.' }),
    sellTokenBalance: t.field({ type: SellTokenSource, description: 'ERC20 when left out.' }),
    buyTokenBalance: t.field({ type: BuyTokenDestination, description: 'ERC20 when left out.' }),
    priceQuality: t.field({ type: PriceQuality, description: 'VERIFIED when left out.' }),
    signingScheme: t.field({ type: SigningScheme, description: 'EIP712 when left out.' }),
    onchainOrder: t.boolean({ description: 'Will be placed on chain; not for a key’s signature.' }),
    verificationGasLimit: t.field({
      type: 'SafeInt',
      description: 'Gas of the signature check, for EIP1271 only.',
    }),
    timeout: t.field({ type: 'Uint32', description: 'Milliseconds; can only shorten the answer’s time.' }),
  }),
})
