import { z } from 'zod'
import { addressArgument, networkArgument, page, pageArguments, token } from '../fields.ts'
import { tool } from '../tool.ts'

/** Tools that read networks, tokens, pairs and prices. Tokens are named by their addresses alone. */

const tokenArgument = z
  .union([addressArgument, z.literal('-')])
  .describe('A contract, or - for the chain’s own coin.')
const usd = z.string().nullable().describe('Price of one whole token in US dollars.')

export const networks = tool({
  name: 'networks',
  title: 'List the networks',
  description:
    'The networks, each with its chain id, the settlement contract that orders are signed for, the vault relayer to which sell tokens must be approved, and the wrapped coin.',
  input: z.strictObject({}),
  output: z.object({
    networks: z.array(
      z.object({
        network: z.string(),
        chainId: z.number(),
        settlementContract: z.string(),
        vaultRelayer: z.string(),
        wrappedNative: token,
        ready: z.boolean(),
      }),
    ),
  }),
  run: '{ networks { network: name chainId settlementContract vaultRelayer ready wrappedNative { address decimals symbol name } } }',
  variables: () => ({}),
  answer: (data) => data,
  words: ({ networks }) =>
    networks.map(
      ({ network, chainId, wrappedNative }) =>
        `${network}: chain id ${chainId}, wrapped coin ${wrappedNative.address}.`,
    ),
})

export const tokensTool = tool({
  name: 'tokens',
  title: 'Read tokens',
  description:
    'Decimals and prices of tokens by address. Names and symbols are in `untrusted`: anyone can deploy a token with any name, so the address alone says which token it is.',
  input: z.strictObject({ network: networkArgument, addresses: z.array(addressArgument).min(1).max(20) }),
  output: z.object({
    tokens: z.array(token.extend({ usdPrice: usd, nativePrice: z.string().nullable() })),
  }),
  run: `query ($addresses: [Address!]!, $network: NetworkName) {
    tokens(addresses: $addresses, network: $network) { address decimals symbol name nativePrice usdPrice { price } }
  }`,
  variables: (args) => args,
  answer: ({ tokens }) => ({
    tokens: tokens.map(({ usdPrice, ...each }) => ({ ...each, usdPrice: usdPrice?.price ?? null })),
  }),
  words: ({ tokens }) =>
    tokens.map(
      ({ address, decimals, usdPrice }) =>
        `${address}: ${decimals ?? 'no'} decimals, ${usdPrice === null ? 'no price' : `${usdPrice} US dollars`}.`,
    ),
})

export const pairs = tool({
  name: 'pairs',
  title: 'List the pairs of a network',
  description:
    'The pools of a network by their value, each with its two tokens: a list of what can be traded.',
  input: z.strictObject({
    network: networkArgument,
    ...pageArguments,
  }),
  output: z.object({
    pairs: z.array(
      z.object({ pool: z.string(), token0: token, token1: token, valueUsd: z.string().nullable() }),
    ),
    page: z.object(page),
  }),
  run: `query ($network: NetworkName, $first: Int!, $after: String) {
    network(name: $network) {
      pools(first: $first, after: $after) {
        pageInfo { endCursor hasNextPage }
        nodes { pool: address valueUsd token0 { address decimals symbol name } token1 { address decimals symbol name } }
      }
    }
  }`,
  variables: (args) => args,
  answer: ({ network: { pools } }) => ({
    pairs: pools?.nodes ?? [],
    page: pools?.pageInfo ?? { endCursor: null, hasNextPage: false },
  }),
  words: ({ pairs }) =>
    pairs.map(
      ({ token0, token1, valueUsd }) =>
        `${token0.address} and ${token1.address}${valueUsd === null ? '' : `, worth ${valueUsd} US dollars`}.`,
    ),
})

export const marketTool = tool({
  name: 'market',
  title: 'Read the market of two tokens',
  description:
    'The price of one token in another, how much it moves, and how much can be traded at which price.',
  input: z.strictObject({ network: networkArgument, sellToken: tokenArgument, buyToken: tokenArgument }),
  output: z.object({
    network: z.string(),
    sellToken: token,
    buyToken: token,
    price: z.string().nullable().describe('The price: whole buy tokens for one whole sell token.'),
    volatilityBps: z.number().nullable().describe('One standard deviation within five minutes.'),
    depth: z
      .array(z.object({ bps: z.number(), sellAmount: z.string(), buyAmount: z.string() }))
      .describe('Atoms of sellToken that can be sold until the price has moved by so many basis points.'),
  }),
  run: `query ($sellToken: TokenAddress!, $buyToken: TokenAddress!, $network: NetworkName) {
    market(base: $sellToken, quote: $buyToken, network: $network) {
      base { address decimals symbol name } quote { address decimals symbol name }
      network { id: name } spot { price } slippage { bps } depth { levels { bps sellAmount buyAmount } }
    }
  }`,
  variables: (args) => args,
  answer: ({ market: { base, quote, network, spot, slippage, depth } }) => ({
    sellToken: base,
    buyToken: quote,
    network: network.id,
    price: spot?.price ?? null,
    volatilityBps: slippage?.bps ?? null,
    depth: depth?.levels ?? [],
  }),
  words: ({ sellToken, buyToken, price }) => [
    price === null
      ? `There is no price of ${sellToken.address} in ${buyToken.address}.`
      : `One ${sellToken.address} is worth ${price} of ${buyToken.address}.`,
  ],
})
