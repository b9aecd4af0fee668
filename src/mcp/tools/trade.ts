import { z } from 'zod'
import { domainName, domainVersion } from '../../domain/signing/signing.ts'
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
import { tool } from '../tool.ts'

/** Tools that quote, place and cancel. None of them signs: signatures come with the arguments. */

export const quote = tool({
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
    orderToSign: z
      .looseObject({})
      .describe('The order as explain_order_before_signing and submit_order take it.'),
    uid: z.string().describe('Its UID, once it is placed.'),
    typedData: z.looseObject({}).describe('For eth_signTypedData_v4.'),
    quoted: z.object({ sellAmount: z.string(), buyAmount: z.string(), feeAmount: z.string() }),
    warnings: z.array(reason),
  }),
  run: `mutation ($input: QuoteInput!, $slippageBps: BasisPoints) {
    quote(input: $input) {
      quoteId verified expiration from
      quote { sellAmount buyAmount feeAmount appData sellToken { address decimals symbol name } buyToken { address decimals symbol name } }
      order(slippageBps: $slippageBps) {
        sellToken buyToken receiver sellAmount buyAmount validTo appData feeAmount
        kind partiallyFillable sellTokenBalance buyTokenBalance uid typedData
      }
      warnings { ${reasonFields} }
    }
  }`,
  variables: ({ sellAmount, buyAmount, validFor, slippageBps, ...input }) => ({
    input: {
      ...input,
      amount: sellAmount === undefined ? { buyAfterFee: buyAmount ?? '' } : { sellBeforeFee: sellAmount },
      validity: { validFor },
    },
    slippageBps,
  }),
  answer: ({ quote: { quoteId, verified, expiration, from, quote, order, warnings } }) => {
    const { uid, typedData, ...signed } = order
    const { sellAmount, buyAmount, feeAmount, sellToken, buyToken } = quote
    const receiver = order.receiver ?? from
    return {
      ...{ quoteId, verified, expiration, uid, tokens: [sellToken, buyToken] },
      terms: termTexts({ ...order, sellToken, buyToken, owner: from, receiver }),
      orderToSign: { ...signed, appData: quote.appData, from, quoteId },
      typedData: typedData as Record<string, unknown>,
      quoted: { sellAmount, buyAmount, feeAmount },
      warnings: warnings.map(reasonOf),
    }
  },
  words: ({ terms, warnings, verified }) => [
    ...terms,
    verified ? 'A simulation confirmed the price.' : 'No simulation confirmed the price.',
    ...warnings.map((warning) => `Warning: ${reasonText(warning)}`),
    'Explain the order with explain_order_before_signing, sign typedData outside, then call submit_order.',
  ],
})

const placed = z.object({ uid: z.string(), status: z.string() })

export const submitOrder = tool({
  name: 'submit_order',
  title: 'Submit a signed order',
  description:
    'Places an order that its owner has signed. Nothing here signs: without a signature there is no order. The same order again is refused with DuplicatedOrder, so a repetition is harmless.',
  writes: 'adds',
  input: z.strictObject({
    ...orderArguments,
    from: addressArgument.optional().describe('The owner, which PRESIGN and EIP1271 need.'),
    signingScheme: schemeArgument.default('EIP712'),
    signature: signatureArgument.describe('The signature of the owner over exactly these terms.'),
  }),
  output: placed,
  run: 'mutation ($input: PlaceOrderInput!) { placeOrder(input: $input) { order { uid status } } }',
  variables: (input) => ({ input }),
  answer: ({ placeOrder }) => placeOrder.order,
  words: ({ uid, status }) => [`Order ${uid} is placed: ${status}.`, 'Follow it with the tool order.'],
})

export const cancelOrders = tool({
  name: 'cancel_order',
  title: 'Cancel orders',
  description:
    'Cancels orders of one owner, all or none, by a signature of the owner over the list of UIDs: `cancellationTypedData` of the tool order has what to sign for one. A settlement that is under way can still fill an order.',
  writes: 'ends',
  input: z.strictObject({
    network: networkArgument,
    orderUids: z.array(uidArgument).min(1).max(128).describe('As they are signed: their order counts.'),
    signingScheme: z.enum(['EIP712', 'ETHSIGN']).default('EIP712'),
    signature: signatureArgument.describe('65 bytes.'),
  }),
  output: z.object({
    orders: z.array(placed.extend({ pendingSettlements: z.number() })),
  }),
  run: 'mutation ($input: CancelOrdersInput!) { cancelOrders(input: $input) { orders { uid status pendingSettlements { auctionId } } } }',
  variables: (input) => ({ input }),
  answer: ({ cancelOrders }) => ({
    orders: cancelOrders.orders.map(({ pendingSettlements, ...order }) => ({
      ...order,
      pendingSettlements: pendingSettlements.length,
    })),
  }),
  words: ({ orders }) =>
    orders.map(({ uid, status, pendingSettlements }) =>
      pendingSettlements > 0
        ? `${uid}: ${status}; a settlement under way can still fill it.`
        : `${uid}: ${status}.`,
    ),
})

/** The typed data that an owner signs to cancel an order. */
export const cancellationTypedData = (
  { chainId, settlementContract }: { chainId: number; settlementContract: string },
  uid: string,
) => ({
  types: {
    EIP712Domain: [
      { name: 'name', type: 'string' },
      { name: 'version', type: 'string' },
      { name: 'chainId', type: 'uint256' },
      { name: 'verifyingContract', type: 'address' },
    ],
    OrderCancellations: [{ name: 'orderUids', type: 'bytes[]' }],
  },
  primaryType: 'OrderCancellations',
  domain: { name: domainName, version: domainVersion, chainId, verifyingContract: settlementContract },
  message: { orderUids: [uid] },
})
