import { z } from 'zod'
import { Refusal } from '../../domain/errors/error.ts'
import type { Address } from '../../domain/evm/address.ts'
import { ageDown, maxAgeDown, type Sourced } from '../../domain/token/sourced.ts'
import { parseTokenAddress, type TokenHolder } from '../../domain/token/token.ts'
import type { TradingServices } from '../../graphql/context/networks.ts'
import { tokenAddressField, tokenDetailsInput } from '../../graphql/input/fields.ts'
import { parseInput } from '../../graphql/input/parse.ts'
import type { GetNetworkTokensTokenDetailsResult } from '../documents.generated.ts'
import type { HeaderName, Operations, WrittenExample } from '../openapi/operation.ts'
import { address, count } from '../openapi/primitives.ts'
import { sample } from '../openapi/sample.ts'
import { selected } from '../openapi/selected.ts'
import { type RestRequest, type Route, route } from '../routing/route.ts'

/**
 * Writes the amount as a JSON number: the nearest double.
 * @throws Refusal NoLiquidity for a token without a price
 */
export function writeNativePrice(nativePrice: string | null | undefined): { price: number } {
  if (nativePrice == null)
    throw new Refusal('NoLiquidity', 'no route leads from this token to the native coin')
  return { price: Number(nativePrice) }
}

/** Writes the price as a JSON number; null if the double is not positive and finite: no price. */
function writeUsdPrice(price: string | undefined): { price: number } | null {
  const number = Number(price)
  return Number.isFinite(number) && number > 0 ? { price: number } : null
}

type TokenResult = GetNetworkTokensTokenDetailsResult['tokens'][number]

/** Writes a token without the members that its contract lacks. */
export function writeToken({ address, symbol, name, decimals }: TokenResult) {
  return {
    address,
    ...(name !== null && { name }),
    ...(symbol !== null && { symbol }),
    ...(decimals !== null && { decimals }),
  }
}

/** Requests any address, also without a contract: the sources decide what is missing. */
const tokensDocument = <const Fields extends string>(fields: Fields) =>
  `query ($network: NetworkName!, $addresses: [Address!]!) { tokens(network: $network, addresses: $addresses) { ${fields} } }` as const

const holderFields = 'address balance'

/** Statuses for an unknown network: 400, because 404 is for the token. */
const statuses: Route['statuses'] = { 'NotFound of network': 400 }

const pathInput = z.object({ address: tokenAddressField })

function tokenVariables({ network, path }: RestRequest) {
  return { network, addresses: [parseInput(pathInput, { address: path.token }).address] }
}

/** Prices, holders and metadata of tokens, below the segment of the network. */
export const tokenDataRoutes: Route[] = [
  route({
    on: 'GET /:network/tokens/:token/usdPrice',
    run: tokensDocument('usdPrice { price age maxAge isStale }'),
    variables: tokenVariables,
    answer: ({ tokens: [token] }) => writeUsdPrice(token?.usdPrice?.price),
    missing: 'Price not found',
    statuses,
    freshness: ({ tokens: [token] }) => token?.usdPrice,
    fromMemory: recall((trading, token) => trading.peekUsdPrice(token), writeUsdPrice),
  }),
  route({
    on: 'GET /:network/tokens/:token/topHolders',
    run: tokensDocument(`holders(first: 100) { age maxAge isStale nodes { ${holderFields} } }`),
    variables: tokenVariables,
    answer: ({ tokens: [token] }) => nullIfEmpty(token?.holders?.nodes),
    missing: 'Token holders not found',
    statuses,
    freshness: ({ tokens: [token] }) => token?.holders,
    fromMemory: recall((trading, token) => trading.peekTopHolders(token), writeHolders),
  }),
  route({
    on: 'GET /:network/tokens/:token/details',
    run: tokensDocument('address symbol name decimals'),
    variables: tokenVariables,
    answer: ({ tokens }) => writeTokens(tokens)?.[0] ?? null,
    missing: 'Token not found',
    statuses,
    headers: { 'Cache-Control': 'public, max-age=3600' },
  }),
  route({
    on: 'POST /:network/tokens/details',
    run: tokensDocument('address symbol name decimals'),
    variables: ({ network, body }) => ({
      network,
      addresses: parseInput(tokenDetailsInput, body).tokenAddresses,
    }),
    answer: ({ tokens }) => writeTokens(tokens),
    missing: 'No tokens found',
    statuses,
    headers: { 'Cache-Control': 'no-store' },
  }),
]

function writeHolders(holders: readonly TokenHolder[]) {
  return nullIfEmpty(holders.map(({ address, balance }) => ({ address, balance: String(balance) })))
}

/** Writes tokens; a contract with neither symbol nor decimals is not one. */
function writeTokens(tokens: readonly TokenResult[]) {
  return nullIfEmpty(
    tokens.filter(({ symbol, decimals }) => symbol !== null || decimals !== null).map(writeToken),
  )
}

function nullIfEmpty<Item>(list: Item[] = []): Item[] | null {
  return list.length > 0 ? list : null
}

function recall<Value>(
  peek: (trading: TradingServices, token: Address) => Sourced<Value> | undefined,
  write: (value: Value) => unknown,
): NonNullable<Route['fromMemory']> {
  return ({ network, path }, { networks, now }) => {
    const trading = networks.byName(network)
    const parsed = parseTokenAddress(path.token ?? '')
    const sourced = trading && 'address' in parsed ? peek(trading, parsed.address) : undefined
    return (
      sourced && {
        of: sourced,
        answer: () => write(sourced.value),
        freshness: { age: ageDown(sourced, now()), maxAge: maxAgeDown(sourced), isStale: sourced.isStale },
      }
    )
  }
}

export const tokenDollars = 'US dollars for one whole token.'

export const usdPrice = z.object({ price: z.number().positive().meta({ description: tokenDollars }) })

export const tokenHolder = selected('TokenHolder', holderFields)

export const tokenHolders = z.array(tokenHolder)

export const tokenDetails = z.object({
  address,
  name: z.string().optional(),
  symbol: z.string().optional(),
  decimals: count.max(255).optional(),
})

export const tokenDetailsList = z.array(tokenDetails)

const path = {
  token: {
    description:
      'The token’s contract, or `-` for the chain’s own coin. Mixed case must be a valid EIP-55 checksum.',
    schema: tokenAddressField,
  },
}

const freshness: readonly HeaderName[] = ['Cache-Control', 'ETag', 'Age', 'Warning']

const wrongChecksum: WrittenExample = {
  summary: 'A wrong checksum',
  path: { token: '0xFff9976782d46cc05630d1f6ebab18b2324d6b14' },
  refused: [
    'InvalidParameter',
    'address has a wrong checksum: look for a mistyped character, or write all letters in lowercase',
  ],
}

/** A token that no source knows. */
const unknown = { token: sample.newcomer }

export const tokenDataOperations: Operations = {
  'GET /:network/tokens/:token/usdPrice': {
    id: 'usdPrice',
    summary: 'The price of a token in US dollars',
    description: '404 means that no source has a price, 503 that a source does not answer.',
    path,
    answers: { 200: { description: 'Its price.', schema: usdPrice, headers: freshness } },
    examples: {
      native: { summary: 'The chain’s own coin', path: { token: '-' }, answer: { price: 3000 } },
      usdc: { summary: 'USDC of the local stack', path: { token: sample.usdc }, answer: { price: 1 } },
      unknown: { summary: 'No price', path: unknown, refused: 'missing' },
      wrongChecksum,
      elsewhere: {
        summary: 'A chain that is not served',
        path: { network: 'atlantis', token: '-' },
        refused: ['InvalidParameter', 'there is no network atlantis, but sepolia'],
      },
    },
  },
  'GET /:network/tokens/:token/topHolders': {
    id: 'topHolders',
    summary: 'The largest holders of a token',
    path,
    answers: {
      200: { description: 'Up to 100 holders, largest first.', schema: tokenHolders, headers: freshness },
    },
    examples: {
      usdc: {
        summary: 'USDC of the local stack',
        path: { token: sample.usdc },
        answer: [
          { address: '0xd1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1', balance: '30000000000000' },
          { address: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266', balance: '1000000000000' },
        ],
      },
      unknown: { summary: 'No holders', path: unknown, refused: 'missing' },
      wrongChecksum,
    },
  },
  'GET /:network/tokens/:token/details': {
    id: 'tokenDetails',
    summary: 'Name, symbol and decimals of a token',
    path,
    answers: {
      200: {
        description: 'The values that its contract returns; others are left out.',
        schema: tokenDetails,
        headers: ['ETag'],
      },
    },
    examples: {
      usdc: {
        summary: 'USDC of the local stack',
        path: { token: sample.usdc },
        answer: {
          address: '0x95bd8d42f30351685e96c62eddc0d0613bf9a87a',
          name: 'USD Coin',
          symbol: 'USDC',
          decimals: 6,
        },
      },
      unknown: { summary: 'An address that is not a token', path: unknown, refused: 'missing' },
      wrongChecksum,
    },
  },
  'POST /:network/tokens/details': {
    id: 'tokensDetails',
    summary: 'Name, symbol and decimals of many tokens',
    description: 'Addresses that are not tokens are left out, so that positions differ from the request.',
    body: tokenDetailsInput,
    answers: { 200: { description: 'The tokens among them.', schema: tokenDetailsList } },
    examples: {
      two: {
        summary: 'A token, and an address that is not one',
        body: { tokenAddresses: [sample.usdc, sample.newcomer] },
        answer: [
          {
            address: '0x95bd8d42f30351685e96c62eddc0d0613bf9a87a',
            name: 'USD Coin',
            symbol: 'USDC',
            decimals: 6,
          },
        ],
      },
      none: {
        summary: 'No address is a token',
        body: { tokenAddresses: [sample.newcomer] },
        refused: 'missing',
      },
      empty: {
        summary: 'A malformed address',
        body: { tokenAddresses: [] },
        refused: ['InvalidParameter', 'tokenAddresses must name a token'],
      },
    },
  },
}
