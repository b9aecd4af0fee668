import { z } from 'zod'
import type { Operations, WrittenExample } from '../openapi/operation.ts'
import { sample } from '../openapi/sample.ts'
import { slippageQuery, slippageTolerance, volatilityDetails } from './schema.ts'

const path = {
  pair: {
    description:
      '`{base}-{quote}`: the token that is priced and the token that it is priced in; `-` is the chain’s own coin.',
    schema: z.string().regex(/^(-|0x[0-9a-fA-F]{40})-(-|0x[0-9a-fA-F]{40})$/),
  },
}

const { shape } = slippageQuery
const query = {
  orderKind: { description: 'Of the order; has no effect.', schema: shape.orderKind },
  partiallyFillable: { description: 'Of the order; has no effect.', schema: shape.partiallyFillable },
  sellAmount: { description: 'Atoms of the order; have no effect.', schema: shape.sellAmount },
  buyAmount: { description: 'Atoms of the order; have no effect.', schema: shape.buyAmount },
  feeAmount: { description: 'Atoms of the order; have no effect.', schema: shape.feeAmount },
  expirationTimeInSeconds: {
    description: 'Of the order; has no effect.',
    schema: shape.expirationTimeInSeconds,
  },
}

const market = { pair: `${sample.weth}-${sample.usdc}` }

const refused: Record<string, WrittenExample> = {
  malformed: {
    summary: 'One address',
    path: { pair: sample.usdc },
    refused: ['InvalidParameter', 'pair must be two addresses with a hyphen between them'],
  },
  wrongKind: {
    summary: 'An unknown kind',
    path: market,
    query: { orderKind: 'swap' },
    refused: ['InvalidParameter', 'orderKind must be buy or sell'],
  },
}

/** As the samples have them: every five minutes, up and down. */
export const sampleHistory = [2997, 3003, 2997, 3003].map((price, index) => ({
  date: `2027-01-15T07:${40 + 5 * index}:00Z`,
  price,
  volume: 0,
}))

export const marketDataOperations: Operations = {
  'GET /:network/markets/:pair/slippageTolerance': {
    id: 'slippageTolerance',
    summary: 'How far the price of a market moves while an order waits',
    description:
      'From the prices of a day, every five minutes. 0 also means that too few are known: `Market.slippage` of GraphQL tells these apart. 503 means that a source does not answer.',
    path,
    query,
    answers: { 200: { description: 'The slippage to allow.', schema: slippageTolerance, headers: ['ETag'] } },
    examples: {
      market: { summary: 'WETH in USDC', path: market, answer: { slippageBps: 10 } },
      unknown: {
        summary: 'A token without prices',
        path: { pair: `${sample.newcomer}-${sample.trader}` },
        answer: { slippageBps: 0 },
      },
      ...refused,
    },
  },
  'GET /:network/markets/:pair/volatilityDetails': {
    id: 'volatilityDetails',
    summary: 'The prices that the slippage of a market comes from',
    path,
    query,
    answers: { 200: { description: 'By token.', schema: volatilityDetails, headers: ['ETag'] } },
    examples: {
      market: {
        summary: 'WETH in USDC',
        path: market,
        answer: {
          baseToken: {
            tokenAddress: '0xfff9976782d46cc05630d1f6ebab18b2324d6b14',
            usdPrice: 3000,
            prices: sampleHistory,
            volatilityInUsd: 3,
            volatilityInTokens: 0.001,
          },
          quoteToken: null,
        },
      },
      ...refused,
    },
  },
}
