import { z } from 'zod'
import type { Address } from '../../domain/evm/address.ts'
import { parseTokenAddress } from '../../domain/token/address.ts'
import { ageDown, maxAgeDown, type Sourced } from '../../domain/token/sourced.ts'
import type { TokenHolder } from '../../domain/token/token.ts'
import type { TradingServices } from '../../graphql/context/networks.ts'
import { parseInput } from '../../graphql/errors/input.ts'
import { tokenAddressField, tokenDetailsInput } from '../../graphql/token/addresses-input.ts'
import { type RestRequest, type Route, route } from '../row/route.ts'
import { type TokenResult, writeToken, writeUsdPrice } from './result.ts'

/** Asks for any address, also one without a contract: the sources decide what is missing. */
const tokensDocument = <const Fields extends string>(fields: Fields) =>
  `query ($network: NetworkName!, $addresses: [Address!]!) { tokens(network: $network, addresses: $addresses) { ${fields} } }` as const

/** An unknown network is 400 here: 404 is for the token. */
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
    recall: recall((trading, token) => trading.peekUsdPrice(token), writeUsdPrice),
  }),
  route({
    on: 'GET /:network/tokens/:token/topHolders',
    run: tokensDocument('holders(first: 100) { age maxAge isStale nodes { address balance } }'),
    variables: tokenVariables,
    answer: ({ tokens: [token] }) => nullIfEmpty(token?.holders?.nodes),
    missing: 'Token holders not found',
    statuses,
    freshness: ({ tokens: [token] }) => token?.holders,
    recall: recall((trading, token) => trading.peekTopHolders(token), writeHolders),
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

/** A contract with neither symbol nor decimals is no token. */
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
): NonNullable<Route['recall']> {
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
