import { watchedPerRead } from '../../graphql/token/watched.ts'
import type { EventRoute } from '../row/event-route.ts'
import { readAddress } from '../row/parameters.ts'
import { type Route, route } from '../row/route.ts'
import type { AnyRoute } from '../row/stored-route.ts'
import { balanceStream, streamForm } from './events.ts'
import { unavailableHeader, writeBalances, writeHeld } from './result.ts'
import { parseTokens, watchedTokens } from './tokens.ts'

/** A page of the GraphQL list that these routes are made of. */
const maxBalances = 500
/** As an address of 16 KiB has. */
const maxNamed = 350

/** An unknown network is 400 here, as on the routes of tokens. */
const statuses: Route['statuses'] = { 'NotFound of network': 400 }

/** More than 1,500 addresses take. */
const maxStreamBytes = 131_072

const stream: Omit<EventRoute, 'on'> = {
  statuses,
  maxBytes: maxStreamBytes,
  units: (request) => Math.ceil(watchedTokens(request).length / watchedPerRead),
  events: (request, context) =>
    balanceStream(
      {
        network: request.network,
        account: readAddress('account', request.path.account),
        typed: request.path.account ?? '',
        tokens: watchedTokens(request),
      },
      context,
    ),
  form: streamForm,
}

export const balanceRoutes: AnyRoute[] = [
  route({
    on: 'GET /:network/accounts/:account/balances',
    run: `query ($network: NetworkName!, $account: Address!, $tokens: [TokenAddress!]!, $first: Int!) {
      account(address: $account) {
        balances(network: $network, tokens: $tokens, first: $first) {
          nodes { token { address symbol name decimals } state balance allowance }
        }
      }
    }`,
    variables({ network, path, query }) {
      const tokens = parseTokens(query.getAll('tokens'), maxNamed)
      return { network, account: readAddress('account', path.account), tokens, first: tokens.length }
    },
    answer: ({ account }) => writeBalances(account.balances.nodes),
    statuses,
    headersOf: ({ account }) => unavailableHeader(account.balances.nodes),
  }),
  { on: 'GET /:network/accounts/:account/balances/sse', ...stream },
  { on: 'POST /:network/accounts/:account/balances/sse', ...stream },
  route({
    on: 'GET /:network/address/:account/balances',
    run: `query ($network: NetworkName!, $account: Address!, $tokens: [TokenAddress!], $first: Int!) {
      account(address: $account) {
        balances(network: $network, tokens: $tokens, held: true, first: $first) {
          nodes { token { address } state balance }
        }
      }
    }`,
    variables({ network, path, query }) {
      const tokens = query.has('tokens') ? parseTokens(query.getAll('tokens'), maxNamed) : null
      return { network, account: readAddress('account', path.account), tokens, first: maxBalances }
    },
    answer: ({ account }) => writeHeld(account.balances.nodes),
    statuses,
    headers: { 'Cache-Control': 'public, max-age=5' },
    headersOf: ({ account }, { query }) => ({
      ...unavailableHeader(account.balances.nodes),
      ...(query.get('ignoreCache') === 'true' && { 'Cache-Control': 'no-store' }),
    }),
  }),
]
