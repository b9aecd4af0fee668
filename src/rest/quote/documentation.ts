import type { RefusalCode } from '../../domain/errors/refusal-codes.ts'
import { quoteBody } from '../../graphql/quote/rest-input.ts'
import type { Operations } from '../openapi/operation.ts'
import { sample } from '../openapi/sample.ts'
import { text } from '../openapi/schemas/text.ts'
import { quoteAnswer } from './example.ts'
import { quoteResponse } from './schema.ts'

const request = {
  kind: 'sell',
  sellAmountBeforeFee: '1000000000000000000',
  sellToken: sample.weth,
  buyToken: sample.usdc,
  from: sample.trader,
  validFor: 1_800,
  appData: '{}',
  priceQuality: 'verified',
}

const codes: readonly RefusalCode[] = [
  'SellAmountDoesNotCoverFee',
  'NoLiquidity',
  'UnsupportedToken',
  'SellAmountOverflow',
  'BuyAmountOverflow',
  'InvalidAppData',
  'AppDataHashMismatch',
  'IncompatibleSigningScheme',
  'UnsupportedBuyTokenDestination',
  'UnsupportedSellTokenSource',
  'InsufficientValidTo',
  'ExcessiveValidTo',
  'SameBuyAndSellToken',
  'InvalidNativeSellToken',
  'TradingOutsideAllowedWindow',
  'TokenTemporarilySuspended',
  'InsufficientLiquidity',
  'CustomSolverError',
  'QuoteNotVerified',
  'Forbidden',
]

export const quoteOperations: Operations = {
  'POST /api/v1/quote': {
    id: 'quote',
    summary: 'Quote an order',
    description:
      'Price and fee for an order that is described. Give exactly one of sellAmountBeforeFee, sellAmountAfterFee (kind sell) and buyAmountAfterFee (kind buy), and at most one of validTo and validFor. To trade at the quote, sign the order with `feeAmount` 0 and the fee added to the sell amount.',
    body: quoteBody,
    answers: { 200: { description: 'The best quote that was found in time.', schema: quoteResponse } },
    codes,
    examples: {
      sell: { summary: 'One WETH for USDC, on the local stack', body: request, answer: quoteAnswer },
      missingKind: {
        summary: 'A field is missing',
        body: { ...request, kind: undefined },
        refused: ['InvalidParameter', 'kind is required'],
      },
      tooSmall: {
        summary: 'Less than the settlement costs',
        body: { ...request, sellAmountBeforeFee: '100000000000000' },
        refused: [
          'SellAmountDoesNotCoverFee',
          'the fee is 205391000000000 sell token atoms, the sell amount 100000000000000',
          { fee_amount: '0xbacd51985600' },
        ],
      },
      noRoute: {
        summary: 'No route at this size',
        body: { ...request, sellAmountBeforeFee: `1${'0'.repeat(40)}` },
        refused: ['NoLiquidity', 'no route trades this pair at this size'],
      },
    },
  },
  'POST /api/v1/quote/stream': {
    id: 'quoteStream',
    summary: 'Quotes as they get better',
    description:
      'Server-sent events: each is a whole quote, better than the one before; the last is what `quote` would have answered. A failure after the first event is sent as an event named `error`, with the body of an error.',
    body: quoteBody,
    answers: {
      200: {
        description: 'Events until nothing better can come.',
        schema: text,
        contentType: 'text/event-stream',
      },
    },
    codes,
    examples: {
      sell: {
        summary: 'One WETH for USDC, on the local stack',
        body: request,
        answer: `data: ${JSON.stringify(quoteAnswer)}\n\n`,
      },
    },
  },
}
