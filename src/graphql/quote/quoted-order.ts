import { orderTexts } from '../../domain/order/order.ts'
import { withVolumeFees } from '../../domain/quote/amounts.ts'
import type { QuoteReply } from '../../domain/quote/quote.ts'
import { orderDigest, orderTypedData, orderUid } from '../../domain/signing/signing.ts'
import { BuyTokenDestination, OrderKind, SellTokenSource, SigningScheme } from '../enums.ts'
import { OrderToSignRef, QuotedOrderRef, TokenRef } from '../refs.ts'
import { tokenOfAddress } from '../token/token.ts'

function amountsOf({ quote, terms }: QuoteReply) {
  return withVolumeFees(quote.kind, quote, terms.volumeFees)
}

QuotedOrderRef.implement({
  description:
    'Order parameters at the quoted price, after the protocol’s volume fee, before partner fees and the trader’s own slippage.',
  fields: (t) => ({
    sellToken: t.field({
      type: TokenRef,
      description: orderTexts.sellToken,
      resolve: ({ quote }, _args, context, info) =>
        tokenOfAddress(quote.chainId, quote.sellToken, context, info),
    }),
    buyToken: t.field({
      type: TokenRef,
      description: orderTexts.buyToken,
      resolve: ({ quote }, _args, context, info) =>
        tokenOfAddress(quote.chainId, quote.buyToken, context, info),
    }),
    receiver: t.field({
      type: 'Address',
      nullable: true,
      description: 'Recipient of the buy tokens, as requested; null means the owner.',
      resolve: ({ terms }) => terms.receiver,
    }),
    sellAmount: t.field({
      type: 'Uint256',
      description: 'The sell amount, in atoms, without feeAmount; for a buy order with the volume fee.',
      resolve: (reply) => amountsOf(reply).sellAmount,
    }),
    buyAmount: t.field({
      type: 'Uint256',
      description: 'The buy amount, in atoms; for a sell order after the volume fee.',
      resolve: (reply) => amountsOf(reply).buyAmount,
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
      description: orderTexts.validTo,
      resolve: ({ terms }) => terms.validTo,
    }),
    appData: t.string({ description: 'The appData of the request.', resolve: ({ terms }) => terms.appData }),
    appDataHash: t.field({
      type: 'Bytes32',
      description: 'The hash that is signed.',
      resolve: ({ terms }) => terms.appDataHash,
    }),
    kind: t.field({
      type: OrderKind,
      description: orderTexts.kind,
      resolve: ({ quote }) => quote.kind,
    }),
    partiallyFillable: t.boolean({ description: 'Always false.', resolve: () => false }),
    sellTokenBalance: t.field({
      type: SellTokenSource,
      description: orderTexts.sellTokenBalance,
      resolve: ({ terms }) => terms.sellTokenBalance,
    }),
    buyTokenBalance: t.field({
      type: BuyTokenDestination,
      description: orderTexts.buyTokenBalance,
      resolve: ({ terms }) => terms.buyTokenBalance,
    }),
    signingScheme: t.field({
      type: SigningScheme,
      description: 'The scheme with which the owner will sign.',
      resolve: ({ terms }) => terms.signingScheme,
    }),
  }),
})

OrderToSignRef.implement({
  description:
    'An order as its owner signs it: the twelve signed members, and what a wallet is asked to sign. Tokens are bare addresses here, since these are what is signed.',
  fields: (t) => ({
    sellToken: t.expose('sellToken', { type: 'Address', description: orderTexts.sellToken }),
    buyToken: t.expose('buyToken', { type: 'Address', description: orderTexts.buyToken }),
    receiver: t.expose('receiver', {
      type: 'Address',
      nullable: true,
      description: 'The account that gets the buy tokens: the owner where the quote named no receiver.',
    }),
    sellAmount: t.expose('sellAmount', {
      type: 'Uint256',
      description: 'The sell amount, in atoms; for a buy order its maximum.',
    }),
    buyAmount: t.expose('buyAmount', {
      type: 'Uint256',
      description: 'The buy amount, in atoms; for a sell order its minimum, which is never 0.',
    }),
    validTo: t.expose('validTo', { type: 'Uint32', description: orderTexts.validTo }),
    appData: t.expose('appData', { type: 'Bytes32', description: 'The hash of the appData document.' }),
    feeAmount: t.expose('feeAmount', { type: 'Uint256', description: 'Always 0: the amounts include fees.' }),
    kind: t.expose('kind', { type: OrderKind, description: orderTexts.kind }),
    partiallyFillable: t.exposeBoolean('partiallyFillable', { description: 'Always false.' }),
    sellTokenBalance: t.expose('sellTokenBalance', {
      type: SellTokenSource,
      description: orderTexts.sellTokenBalance,
    }),
    buyTokenBalance: t.expose('buyTokenBalance', {
      type: BuyTokenDestination,
      description: orderTexts.buyTokenBalance,
    }),
    typedData: t.field({
      type: 'JSON',
      description:
        'The whole EIP-712 payload, as eth_signTypedData_v4 takes it: types, primaryType, domain, message. Amounts are decimal strings.',
      resolve: ({ domain, ...order }) => orderTypedData(domain, order),
    }),
    digest: t.field({
      type: 'Bytes32',
      description: 'The digest that an eip712 signature signs.',
      resolve: ({ domain, ...order }) => orderDigest(domain, order),
    }),
    uid: t.field({
      type: 'OrderUid',
      description: 'The UID that the order will have.',
      resolve: ({ domain, owner, ...order }) => orderUid(domain, order, owner),
    }),
  }),
})
