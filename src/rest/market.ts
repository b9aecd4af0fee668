import { z } from 'zod'
import { Refusal } from '../domain/errors/error.ts'
import { tokenAddressField } from '../graphql/input/fields.ts'
import { parseInput } from '../graphql/input/parse.ts'
import type { GetNetworkMarketsPairVolatilityDetailsResult } from './documents.generated.ts'
import type { Operations, Parameter, WrittenExample } from './openapi/operation.ts'
import { address } from './openapi/primitives.ts'
import { sample } from './openapi/sample.ts'
import { fieldSchema } from './openapi/selected.ts'
import { type RestRequest, type Route, route } from './routing/route.ts'
import { tokenDollars } from './token/tokens.ts'

export const slippageTolerance = z.object({ slippageBps: fieldSchema('MarketSlippage.bps') })

export const pricePoint = z.object({
  date: fieldSchema('PricePoint.at'),
  price: z.number().min(0).meta({ description: tokenDollars }),
  volume: z
    .number()
    .min(0)
    .meta({ description: 'US dollars traded in the 24 hours before; 0 if the source does not report it.' }),
})

export const tokenVolatility = z.object({
  tokenAddress: address.meta({ description: 'The token’s contract, as the pair names it.' }),
  usdPrice: z.number().min(0).meta({ description: 'US dollars for one whole token now.' }),
  prices: z.array(pricePoint).meta({ description: 'The prices of a day, every five minutes, oldest first.' }),
  volatilityInUsd: z.number().min(0).meta({
    description: 'The movement of the price within five minutes in US dollars: one standard deviation.',
  }),
  volatilityInTokens: z.number().min(0).meta({ description: 'The same as a share of the price now.' }),
})

const ifKnown = tokenVolatility.nullable().meta({ description: 'Null when too few prices are known.' })

export const volatilityDetails = z.object({ baseToken: ifKnown, quoteToken: ifKnown })

const atoms: Parameter = {
  description: 'An amount of the order in atoms; has no effect.',
  schema: z
    .string()
    .regex(/^[0-9]{1,78}$/, 'must be atoms as digits')
    .optional(),
}

/** The order for which a slippage is requested. The volatility does not depend on it. */
const query: Record<string, Parameter> = {
  orderKind: {
    description: 'The kind of the order; has no effect.',
    schema: z.enum(['buy', 'sell'], 'must be buy or sell').optional(),
  },
  partiallyFillable: {
    description: 'True if the order is partially fillable; has no effect.',
    schema: z.enum(['true', 'false'], 'must be true or false').optional(),
  },
  sellAmount: atoms,
  buyAmount: atoms,
  feeAmount: atoms,
  expirationTimeInSeconds: {
    description: 'The lifetime of the order; has no effect.',
    schema: z
      .string()
      .regex(/^[0-9]{1,10}$/, 'must be seconds as digits')
      .optional(),
  },
}

const slippageQuery = z.object(
  Object.fromEntries(Object.entries(query).map(([name, { schema }]) => [name, schema])),
)

/** Like the routes of tokens. */
const statuses: Route['statuses'] = { 'NotFound of network': 400 }
const headers = { 'Cache-Control': 'public, max-age=120' }

const tokens = z.object({ base: tokenAddressField, quote: tokenAddressField })

/** Two addresses with a hyphen between them; a hyphen alone is the chain’s own coin. */
const pairPattern = /^(-|[^-]{1,100})-(-|[^-]{1,100})$/

function marketVariables({ network, path, query }: RestRequest) {
  parseInput(slippageQuery, Object.fromEntries(query))
  const [, base, quote] = pairPattern.exec(path.pair ?? '') ?? []
  if (!base || !quote)
    throw new Refusal('InvalidParameter', 'pair must be two addresses with a hyphen between them', {
      field: 'pair',
    })
  return { network, ...parseInput(tokens, { base, quote }) }
}

/** Routes for the volatility of a token's price in another token. */
export const marketRoutes: Route[] = [
  route({
    on: 'GET /:network/markets/:pair/slippageTolerance',
    run: `query ($network: NetworkName!, $base: TokenAddress!, $quote: TokenAddress!) {
      market(network: $network, base: $base, quote: $quote) { slippage { bps } }
    }`,
    variables: marketVariables,
    answer: ({ market }) => ({ slippageBps: market.slippage?.bps ?? 0 }),
    statuses,
    headers,
  }),
  route({
    on: 'GET /:network/markets/:pair/volatilityDetails',
    run: `query ($network: NetworkName!, $base: TokenAddress!, $quote: TokenAddress!) {
      market(network: $network, base: $base, quote: $quote) {
        base { address usdPrice { price } priceHistory { deviation points { at price volume } } }
        quote { address usdPrice { price } priceHistory { deviation points { at price volume } } }
      }
    }`,
    variables: marketVariables,
    answer: ({ market: { base, quote } }) => ({
      baseToken: writeVolatility(base),
      quoteToken: writeVolatility(quote),
    }),
    statuses,
    headers,
  }),
]

type TokenResult = GetNetworkMarketsPairVolatilityDetailsResult['market']['base']

function writeVolatility({ address, usdPrice, priceHistory }: TokenResult) {
  const price = Number(usdPrice?.price ?? 0)
  if (!priceHistory || priceHistory.deviation === null || !(price > 0)) return null
  const deviation = Number(priceHistory.deviation)
  return {
    tokenAddress: address,
    usdPrice: price,
    prices: priceHistory.points.map((point) => ({
      date: point.at,
      price: Number(point.price),
      volume: Number(point.volume ?? 0),
    })),
    volatilityInUsd: deviation,
    volatilityInTokens: deviation / price,
  }
}

const path = {
  pair: {
    description:
      '`{base}-{quote}`: the token that is priced and the token that it is priced in; `-` is the chain’s own coin.',
    schema: z.string().regex(/^(-|0x[0-9a-fA-F]{40})-(-|0x[0-9a-fA-F]{40})$/),
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

/** Prices of the sample data: every five minutes, up and down. */
export const sampleHistory = [2997, 3003, 2997, 3003].map((price, index) => ({
  date: `2027-01-15T07:${40 + 5 * index}:00Z`,
  price,
  volume: 0,
}))

export const marketDataOperations: Operations = {
  'GET /:network/markets/:pair/slippageTolerance': {
    id: 'slippageTolerance',
    summary: 'The movement of a market’s price while an order waits',
    description:
      'Computed from the prices of a day, every five minutes. 0 also means that too few are known; `Market.slippage` of GraphQL distinguishes these. 503 means that a source does not answer.',
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
    answers: {
      200: { description: 'The volatility of each token.', schema: volatilityDetails, headers: ['ETag'] },
    },
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
