import type { QuoteRequest } from '../domain/quote.ts'
import { builder, validatedBy } from './builder.ts'
import { deskOf } from './context.ts'
import { BuyTokenDestination, OrderKind, PriceQuality, SellTokenSource, SigningScheme } from './enums.ts'
import { quoteRequestInput } from './inputs/quote-request.ts'
import { networkArgument } from './paging.ts'
import { QuotedOrderRef, QuoteResponseRef } from './refs.ts'

QuoteResponseRef.implement({
  description: 'What an order would trade for.',
  fields: (t) => ({
    quote: t.field({ type: QuotedOrderRef, description: 'The order to sign.', resolve: (reply) => reply }),
    from: t.field({
      type: 'Address',
      description: 'Whom it is for.',
      resolve: ({ terms }) => terms.from,
    }),
    expiration: t.field({
      type: 'DateTime',
      description: 'After this the fee may be refused. 1970 for FAST.',
      resolve: ({ quote }) => quote.expiration,
    }),
    id: t.field({
      type: 'SafeInt',
      nullable: true,
      description: 'Goes into the order; null for FAST, which is not stored.',
      resolve: ({ quote }) => quote.id,
    }),
    verified: t.boolean({
      description: 'Whether a simulation confirmed the amounts.',
      resolve: ({ quote }) => quote.verified,
    }),
    protocolFeeBps: t.string({
      nullable: true,
      description: 'Set where a volume fee is configured.',
      resolve: () => null,
    }),
  }),
})

QuotedOrderRef.implement({
  description: 'Order parameters at the quoted price, before the trader’s own slippage.',
  fields: (t) => ({
    sellToken: t.field({
      type: 'Address',
      description: 'What is sold.',
      resolve: ({ quote }) => quote.sellToken,
    }),
    buyToken: t.field({
      type: 'Address',
      description: 'What is bought.',
      resolve: ({ quote }) => quote.buyToken,
    }),
    receiver: t.field({
      type: 'Address',
      nullable: true,
      description: 'As asked for; null means the owner.',
      resolve: ({ terms }) => terms.receiver,
    }),
    sellAmount: t.field({
      type: 'Uint256',
      description: 'In sell token atoms, without feeAmount.',
      resolve: ({ quote }) => quote.sellAmount,
    }),
    buyAmount: t.field({
      type: 'Uint256',
      description: 'In buy token atoms.',
      resolve: ({ quote }) => quote.buyAmount,
    }),
    feeAmount: t.field({
      type: 'Uint256',
      description: 'Cost of the settlement in sell token atoms.',
      resolve: ({ quote }) => quote.feeAmount,
    }),
    gasAmount: t.field({
      type: 'Uint256',
      description: 'Gas units.',
      resolve: ({ quote }) => quote.gasAmount,
    }),
    gasPrice: t.field({
      type: 'Uint256',
      description: 'Wei for one unit of gas.',
      resolve: ({ quote }) => quote.gasPrice,
    }),
    sellTokenPrice: t.field({
      type: 'Decimal',
      description: 'Native atoms for one sell token atom.',
      resolve: ({ quote }) => quote.sellTokenPrice,
    }),
    validTo: t.field({
      type: 'Uint32',
      description: 'Unix seconds.',
      resolve: ({ terms }) => terms.validTo,
    }),
    appData: t.string({ description: 'As asked for.', resolve: ({ terms }) => terms.appData }),
    appDataHash: t.field({
      type: 'Bytes32',
      description: 'What is signed.',
      resolve: ({ terms }) => terms.appDataHash,
    }),
    kind: t.field({
      type: OrderKind,
      description: 'Which side is fixed.',
      resolve: ({ quote }) => quote.kind,
    }),
    partiallyFillable: t.boolean({ description: 'Always false.', resolve: () => false }),
    sellTokenBalance: t.field({
      type: SellTokenSource,
      description: 'Where sell tokens come from.',
      resolve: ({ terms }) => terms.sellTokenBalance,
    }),
    buyTokenBalance: t.field({
      type: BuyTokenDestination,
      description: 'Where buy tokens go.',
      resolve: ({ terms }) => terms.buyTokenBalance,
    }),
    signingScheme: t.field({
      type: SigningScheme,
      description: 'How the owner will sign.',
      resolve: ({ terms }) => terms.signingScheme,
    }),
  }),
})

const QuoteInput = builder.inputType('QuoteInput', {
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

builder.mutationField('quote', (t) =>
  t.field({
    type: QuoteResponseRef,
    description: 'Quotes price and fee for an order, and stores the quote.',
    extensions: { limited: 'quotes' },
    args: {
      network: networkArgument(t.arg, 'May be left out where there is only one.'),
      input: t.arg({ type: QuoteInput, required: true, description: 'What to quote.' }),
    },
    // The input's schema has turned it into the domain's form; the builder knows only what went in.
    resolve: (_root, { network, input }, context) =>
      deskOf(context, network).quote(input as unknown as QuoteRequest),
  }),
)
