import { z } from 'zod'
import { acceptedSlippage, unmetDemands } from '../../client/demand.ts'
import {
  cancellationTypedData as cancellationPayload,
  domainOf,
  orderTypedData,
  orderUid,
  type SigningDomain,
  signedForm,
} from '../../client/typed-data.ts'
import { chainIdOfName } from '../../domain/network/chains.ts'
import { lossText } from '../../domain/quote/impact.ts'
import {
  addressArgument,
  atomsArgument,
  networkArgument,
  orderArguments,
  reason,
  reasonFields,
  reasonOf,
  reasonText,
  schemeArgument,
  signatureArgument,
  termTexts,
  tokenPair,
  uidArgument,
} from '../fields.ts'
import { tool, WrongAnswer } from '../tool.ts'

/** Tools that quote, place and cancel. None of them signs: signatures come with the arguments. */

export const quoteTool = tool({
  name: 'quote',
  title: 'Quote an order',
  description:
    'Quotes a sale or a purchase, and returns the exact order to sign with its EIP-712 typed data. Give either sellAmount or buyAmount. Sign `typedData` outside, with the wallet of `from`; then call submit_order.',
  input: z
    .strictObject({
      network: networkArgument,
      from: addressArgument.describe('The owner of the order, who will sign it.'),
      sellToken: orderArguments.sellToken,
      buyToken: orderArguments.buyToken,
      sellAmount: atomsArgument.optional().describe('Sell exactly this, in atoms, network fees included.'),
      buyAmount: atomsArgument.optional().describe('Buy exactly this, in atoms.'),
      receiver: orderArguments.receiver,
      validFor: z.int().min(1).max(31_536_000).default(1_800).describe('Seconds until the order expires.'),
      slippageBps: z
        .int()
        .min(0)
        .max(9_999)
        .optional()
        .describe('Accepted move of the price; 50 if left out.'),
      appData: orderArguments.appData,
      acceptImpact: z
        .boolean()
        .default(false)
        .describe('True once the user has accepted a price far below the market (PRICE_IMPACT).'),
    })
    .refine(({ sellAmount, buyAmount }) => (sellAmount === undefined) !== (buyAmount === undefined), {
      message: 'give either sellAmount or buyAmount',
      path: ['sellAmount'],
    }),
  output: z.object({
    quoteId: z.number().nullable(),
    verified: z.boolean().describe('True if a simulation confirmed the price.'),
    expiration: z.string(),
    tokens: tokenPair,
    terms: z.array(z.string()).describe('The order to sign, in words.'),
    priceImpact: z
      .object({
        share: z.string(),
        usd: z.string().nullable(),
        isNotable: z.boolean(),
        needsAcceptance: z.boolean(),
      })
      .nullable()
      .describe('What it gives less than the market price: 0.05 is five percent. Null if that is unknown.'),
    orderToSign: z
      .looseObject({})
      .optional()
      .describe(
        'The order as explain_order_before_signing and submit_order take it. Absent until a price that needs acceptance is accepted.',
      ),
    orderUid: z.string().describe('The UID of the order, once it is placed.'),
    typedData: z.looseObject({}).optional().describe('For eth_signTypedData_v4. Absent with orderToSign.'),
    quoted: z.object({ sellAmount: z.string(), buyAmount: z.string(), feeAmount: z.string() }),
    warnings: z.array(reason),
  }),
  run: `mutation ($input: QuoteInput!, $slippageBps: BasisPoints) {
    quote(input: $input) {
      quoteId verified expiration from protocolFeeBps priceImpact { share usd isNotable needsAcceptance }
      quote { sellAmount buyAmount feeAmount appData sellToken { address decimals symbol name } buyToken { address decimals symbol name } }
      order(slippageBps: $slippageBps) {
        sellToken buyToken receiver sellAmount buyAmount validTo appData feeAmount
        kind partiallyFillable sellTokenBalance buyTokenBalance uid typedData
      }
      warnings { ${reasonFields} }
    }
  }`,
  variables: (args) => ({ input: inputOf(args), slippageBps: args.slippageBps }),
  answer: ({ quote: answered }, args) => {
    const { quoteId, verified, expiration, quote, order, warnings, priceImpact } = answered
    const { uid: _uid, typedData, ...members } = order
    const { sellAmount, buyAmount, feeAmount, sellToken, buyToken } = quote
    const [owner, receiver] = [args.from.toLowerCase(), (args.receiver ?? args.from).toLowerCase()]
    const signed = signedForm(order, owner)
    const domain = domainFor(typedData, args.network)
    const quoted = { ...quote, protocolFeeBps: answered.protocolFeeBps }
    const found = { order: signed, owner, document: args.appData, quoted }
    const wrong = unmetDemands(found, inputOf(args), acceptedSlippage(args.slippageBps, undefined))
    if (wrong.length > 0)
      throw new WrongAnswer(`the service quotes another order than demanded: see its ${wrong.join(', ')}`)
    return {
      quoteId,
      verified,
      expiration,
      priceImpact,
      tokens: [sellToken, buyToken],
      orderUid: orderUid(domain, signed, owner),
      terms: termTexts({ ...order, sellToken, buyToken, owner, receiver }),
      ...((!priceImpact?.needsAcceptance || args.acceptImpact) && {
        orderToSign: { ...members, appData: args.appData, from: owner, quoteId },
        typedData: { ...orderTypedData(domain, signed) },
      }),
      quoted: { sellAmount, buyAmount, feeAmount },
      warnings: warnings.map(reasonOf),
    }
  },
  words: ({ terms, warnings, verified, priceImpact, typedData }) => [
    ...(priceImpact?.isNotable ? [`The trade gives ${lossText(priceImpact)}.`] : []),
    ...terms,
    verified
      ? 'A simulation confirmed that the quoted amounts can be traded.'
      : 'No simulation confirmed the price.',
    ...warnings.map((warning) => `Warning: ${reasonText(warning)}`),
    typedData
      ? 'Explain the order with explain_order_before_signing, sign typedData outside, then call submit_order.'
      : 'Tell the user the loss. If the user accepts it, call quote again with acceptImpact true.',
  ],
})

interface QuoteArguments {
  network?: string | undefined
  from: string
  sellToken: string
  buyToken: string
  sellAmount?: string | undefined
  buyAmount?: string | undefined
  receiver?: string | null | undefined
  validFor: number
  appData: string
}

/** The input of the service’s quote. */
const inputOf = ({ network, from, sellToken, buyToken, receiver, appData, ...args }: QuoteArguments) => ({
  network,
  from,
  sellToken,
  buyToken,
  receiver,
  appData,
  amount:
    args.sellAmount === undefined
      ? { buyAfterFee: args.buyAmount ?? '' }
      : { sellBeforeFee: args.sellAmount },
  validity: { validFor: args.validFor },
})

/** The domain of the settlement contract. Nothing else of the service’s typed data is signed. */
function domainFor(typedData: unknown, network: string | undefined) {
  const { chainId, verifyingContract } = (typedData as { domain: SigningDomain }).domain
  const named = network === undefined ? undefined : chainIdOfName(network)
  if (named !== undefined && named !== chainId) throw new WrongAnswer('the service quotes for another chain')
  return domainOf(chainId, verifyingContract)
}

const placed = z.object({ orderUid: z.string(), status: z.string() })

export const submitOrder = tool({
  name: 'submit_order',
  title: 'Submit a signed order',
  description:
    'Places an order that its owner has signed. Nothing here signs: without a signature there is no order. The same order again is refused with DuplicatedOrder, so a repetition is harmless.',
  writes: true,
  input: z.strictObject({
    ...orderArguments,
    from: addressArgument.optional().describe('The owner, which PRESIGN and EIP1271 need.'),
    signingScheme: schemeArgument.default('EIP712'),
    signature: signatureArgument.describe('The signature of the owner over exactly these terms.'),
  }),
  output: placed,
  run: 'mutation ($input: PlaceOrderInput!) { placeOrder(input: $input) { order { orderUid: uid status } } }',
  variables: (input) => ({ input }),
  answer: ({ placeOrder }) => placeOrder.order,
  words: ({ orderUid, status }) => [
    `Order ${orderUid} is placed: ${status}.`,
    'Follow it with the tool order.',
  ],
})

export const cancelOrdersTool = tool({
  name: 'cancel_order',
  title: 'Cancel orders',
  description:
    'Cancels orders of one owner, all or none, by a signature of the owner over the list of UIDs: `cancellationTypedData` of the tool order has what to sign for one. A settlement that is under way can still fill an order.',
  writes: true,
  input: z.strictObject({
    network: networkArgument,
    orderUids: z.array(uidArgument).min(1).max(128).describe('As they are signed: their order counts.'),
    signingScheme: z.enum(['EIP712', 'ETHSIGN']).default('EIP712'),
    signature: signatureArgument.describe('65 bytes.'),
  }),
  output: z.object({
    orders: z.array(placed.extend({ pendingSettlements: z.number() })),
  }),
  run: 'mutation ($input: CancelOrdersInput!) { cancelOrders(input: $input) { orders { orderUid: uid status pendingSettlements { auctionId } } } }',
  variables: (input) => ({ input }),
  answer: ({ cancelOrders }) => ({
    orders: cancelOrders.orders.map(({ pendingSettlements, ...order }) => ({
      ...order,
      pendingSettlements: pendingSettlements.length,
    })),
  }),
  words: ({ orders }) =>
    orders.map(({ orderUid, status, pendingSettlements }) =>
      pendingSettlements > 0
        ? `${orderUid}: ${status}; a settlement under way can still fill it.`
        : `${orderUid}: ${status}.`,
    ),
})

/** The typed data that an owner signs to cancel an order. */
export const cancellationOf = (
  { chainId, settlementContract }: { chainId: number; settlementContract: string },
  uid: string,
) => ({ ...cancellationPayload(domainOf(chainId, settlementContract), [uid]) })
