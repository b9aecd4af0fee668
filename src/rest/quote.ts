import type { z } from 'zod'
import type { RefusalCode } from '../domain/errors/refusal-codes.ts'
import { quoteBody } from '../graphql/quote/input.ts'
import type { PostApiV1QuoteResult } from './documents.generated.ts'
import type { Operations } from './openapi/operation.ts'
import { basisPoints, decimal, plainText } from './openapi/primitives.ts'
import { sample } from './openapi/sample.ts'
import { fragmentSchema } from './openapi/selected.ts'
import { present } from './routing/route.ts'

/** A sample quote; the id depends on the database. */
const quoteAnswer = {
  quote: {
    sellToken: '0xfff9976782d46cc05630d1f6ebab18b2324d6b14',
    buyToken: '0x95bd8d42f30351685e96c62eddc0d0613bf9a87a',
    receiver: null,
    sellAmount: '999794609000000000',
    buyAmount: '2990087563',
    feeAmount: '205391000000000',
    validTo: 1800001800,
    appData: '{}',
    appDataHash: '0xb48d38f93eaa084033fc5970bf96e559c33c4cdc07d889ab00b4d63f9590739d',
    gasAmount: '205391',
    gasPrice: '1000000000',
    sellTokenPrice: '1',
    kind: 'sell',
    partiallyFillable: false,
    sellTokenBalance: 'erc20',
    buyTokenBalance: 'erc20',
    signingScheme: 'eip712',
  },
  from: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
  expiration: '2027-01-15T08:01:00Z',
  id: 1,
  verified: true,
}

export const quoteFields = `
  quote {
    sellToken { address } buyToken { address } receiver sellAmount buyAmount feeAmount validTo appData appDataHash
    gasAmount gasPrice sellTokenPrice kind partiallyFillable sellTokenBalance buyTokenBalance signingScheme
  }
  from expiration id: quoteId verified protocolFeeBps slippage { bps }
`

const selectedQuote = fragmentSchema(`fragment quote on QuoteResponse { ${quoteFields} }`)

export const quotedOrder = selectedQuote.shape.quote as z.ZodObject

export const quoteResponse = selectedQuote.omit({ slippage: true }).extend({
  protocolFeeBps: decimal.optional(),
  slippageBps: basisPoints
    .optional()
    .meta({ description: 'The market’s slippage, at least 50, if `slippage` is `auto`.' }),
})

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
      'Returns price and fee for a described order. Give exactly one of sellAmountBeforeFee, sellAmountAfterFee (kind sell) and buyAmountAfterFee (kind buy), and at most one of validTo and validFor. To trade at the quote, sign the order with `feeAmount` 0 and the fee added to the sell amount.',
    body: quoteBody,
    answers: { 200: { description: 'The best quote found in time.', schema: quoteResponse } },
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
      'Server-sent events: each is a whole quote, better than the previous one; the last equals the response of `quote`. A failure after the first event is sent as an event named `error`, with the body of an error.',
    body: quoteBody,
    answers: {
      200: {
        description: 'Events until no better quote can follow.',
        schema: plainText,
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

type QuoteResult = PostApiV1QuoteResult['quote']

/**
 * Writes a quote. `id` is null if it is not stored; `protocolFeeBps` is left out without a volume fee,
 * `slippageBps` unless requested.
 */
export function writeQuote({ quote, protocolFeeBps, slippage, ...rest }: QuoteResult) {
  const { sellToken, buyToken } = quote
  return {
    quote: { ...quote, sellToken: sellToken.address, buyToken: buyToken.address },
    ...rest,
    ...present({ protocolFeeBps, slippageBps: slippage?.bps ?? null }),
  }
}
