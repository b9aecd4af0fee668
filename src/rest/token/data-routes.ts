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

/** Of a token whether or not there is a contract: who has its price or its holders decides what is absent. */
const about = <const Fields extends string>(fields: Fields) =>
  `query ($network: NetworkName!, $addresses: [Address!]!) { tokens(network: $network, addresses: $addresses) { ${fields} } }` as const

/** A chain that is not served is a parameter at fault: 404 says something of the token. */
const statuses: Route['statuses'] = { 'NotFound of network': 400 }

const pathInput = z.object({ address: tokenAddressField })

function named({ network, path }: RestRequest) {
  return { network, addresses: [parseInput(pathInput, { address: path.token }).address] }
}

/** Prices, holders and metadata of tokens, below a chain. */
export const tokenDataRoutes: Route[] = [
  route({
    on: 'GET /:network/tokens/:token/usdPrice',
    run: about('usdPrice { price age maxAge isStale }'),
    variables: named,
    answer: ({ tokens: [token] }) => writeUsdPrice(token?.usdPrice?.price),
    missing: 'Price not found',
    statuses,
    freshness: ({ tokens: [token] }) => token?.usdPrice,
    recall: recall((trading, token) => trading.peekUsdPrice(token), writeUsdPrice),
  }),
  route({
    on: 'GET /:network/tokens/:token/topHolders',
    run: about('holders(first: 100) { age maxAge isStale nodes { address balance } }'),
    variables: named,
    answer: ({ tokens: [token] }) => filled(token?.holders?.nodes),
    missing: 'Token holders not found',
    statuses,
    freshness: ({ tokens: [token] }) => token?.holders,
    recall: recall((trading, token) => trading.peekTopHolders(token), writeHolders),
  }),
  route({
    on: 'GET /:network/tokens/:token/details',
    run: about('address symbol name decimals'),
    variables: named,
    answer: ({ tokens }) => writeTokens(tokens)?.[0] ?? null,
    missing: 'Token not found',
    statuses,
    headers: { 'Cache-Control': 'public, max-age=3600' },
  }),
  route({
    on: 'POST /:network/tokens/details',
    run: about('address symbol name decimals'),
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
  return filled(holders.map(({ address, balance }) => ({ address, balance: String(balance) })))
}

/** What is neither called something nor divided into something is no token. */
function writeTokens(tokens: readonly TokenResult[]) {
  return filled(tokens.filter(({ symbol, decimals }) => symbol !== null || decimals !== null).map(writeToken))
}

function filled<Item>(list: Item[] = []): Item[] | null {
  return list.length > 0 ? list : null
}

function recall<Value>(
  peek: (trading: TradingServices, token: Address) => Sourced<Value> | undefined,
  write: (value: Value) => unknown,
): NonNullable<Route['recall']> {
  return ({ network, path }, { networks, now }) => {
    const trading = networks.byName(network)
    const parsed = parseTokenAddress(path.token ?? '')
    const known = trading && 'address' in parsed ? peek(trading, parsed.address) : undefined
    return (
      known && {
        of: known,
        answer: () => write(known.value),
        freshness: { age: ageDown(known, now()), maxAge: maxAgeDown(known), isStale: known.isStale },
      }
    )
  }
}
