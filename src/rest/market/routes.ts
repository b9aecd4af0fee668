import { z } from 'zod'
import { Refusal } from '../../domain/errors/error.ts'
import { parseInput } from '../../graphql/errors/input.ts'
import { tokenAddressField } from '../../graphql/token/addresses-input.ts'
import type { GetNetworkMarketsPairVolatilityDetailsResult } from '../documents.generated.ts'
import { type RestRequest, type Route, route } from '../row/route.ts'
import { slippageQuery } from './schema.ts'

/** As on the routes of tokens. */
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

/** How much the price of one token in another moves. */
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
