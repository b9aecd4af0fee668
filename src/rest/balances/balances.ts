import { z } from 'zod'
import { Refusal } from '../../domain/errors/error.ts'
import type { Address } from '../../domain/evm/address.ts'
import { parseTokenAddress } from '../../domain/token/token.ts'
import { objectExpected, tokenAddressField } from '../../graphql/input/fields.ts'
import { parseInput } from '../../graphql/input/parse.ts'
import { maxNamedTokens, watchedPerRead } from '../../graphql/token/watched.ts'
import type { GetNetworkAccountsAccountBalancesResult } from '../documents.generated.ts'
import type { Operations, Parameter, WrittenExample } from '../openapi/operation.ts'
import { anyAddress } from '../openapi/parameters.ts'
import { address, amount, plainText } from '../openapi/primitives.ts'
import { sample } from '../openapi/sample.ts'
import type { AnyRoute, EventRoute } from '../routing/endpoint.ts'
import { readAddress } from '../routing/request.ts'
import { type RestRequest, type Route, route } from '../routing/route.ts'
import { eventOf } from '../stream.ts'
import { tokenDetails, writeToken } from '../token/tokens.ts'
import { balanceStream, streamForm } from './events.ts'

type Nodes = NonNullable<GetNetworkAccountsAccountBalancesResult['account']>['balances']['nodes']

/** Writes the known balances, without addresses that are not tokens. */
function writeBalances(nodes: Nodes) {
  return nodes.flatMap(({ token, balance, allowance }) =>
    balance === null ? [] : [{ balance, allowance: allowance ?? '0', token: writeToken(token) }],
  )
}

/** Writes the balances above zero. */
function writeHeld(nodes: readonly { token: { address: string }; balance: string | null }[]) {
  const held = nodes.flatMap(({ token, balance }) =>
    balance === null || balance === '0' ? [] : [[token.address, balance] as const],
  )
  return { balances: Object.fromEntries(held) }
}

/** Names the tokens that the node cannot read now, which are missing from the body. */
function unavailableHeader(
  nodes: readonly { token: { address: string }; state: string }[],
): Record<string, string> {
  const tokens = nodes.flatMap(({ token, state }) => (state === 'unavailable' ? [token.address] : []))
  return tokens.length > 0 ? { 'X-Unavailable-Tokens': tokens.join(', ') } : {}
}

const maxShown = 80

export const watchedTokensInput = z.object(
  {
    tokens: z
      .array(tokenAddressField, {
        error: ({ input }) => (input === undefined ? 'is required' : 'must be a list of addresses'),
      })
      .min(1, 'must name a token')
      .max(maxNamedTokens, `must name at most ${maxNamedTokens} tokens`)
      .meta({ description: 'Token contracts; `-` is the chain’s own coin.' }),
  },
  objectExpected,
)

/** Reads a stream's tokens from the query or the body. @throws Refusal InvalidParameter */
function watchedTokens({ query, body }: RestRequest<string>): Address[] {
  if (body === undefined) return parseTokens(query.getAll('tokens'), maxNamedTokens)
  return [...new Set(parseInput(watchedTokensInput, body).tokens)]
}

/**
 * Parses comma-separated lists from all parameters of one name. Duplicates and blanks are skipped.
 * @throws Refusal InvalidParameter
 */
function parseTokens(texts: readonly string[], max: number): Address[] {
  if (texts.length === 0) throw refusal('tokens is required')
  const entries = texts
    .flatMap((text) => text.split(','))
    .map((entry) => entry.trim())
    .filter(Boolean)
  if (entries.length === 0) throw refusal('At least one token address is required')
  const tokens = new Set(entries.map(parseToken))
  if (tokens.size > max) throw refusal(`tokens must name at most ${max} tokens`)
  return [...tokens]
}

function parseToken(entry: string): Address {
  const parsed = parseTokenAddress(entry)
  if ('address' in parsed) return parsed.address
  throw refusal(`Invalid Ethereum address: ${entry.slice(0, maxShown)}: it ${parsed.fault}`)
}

function refusal(message: string): Refusal {
  return new Refusal('InvalidParameter', message, { field: 'tokens' })
}

/** The page size of the GraphQL list behind these routes. */
const maxBalances = 500
/** The maximum of tokens in a URL of 16 KiB. */
const maxNamed = 350

/** Statuses as on the routes of tokens: an unknown network is 400. */
const statuses: Route['statuses'] = { 'NotFound of network': 400 }

/** A size above that of 1,500 addresses. */
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

export const accountBalance = z.object({
  balance: amount.meta({ description: 'The balance in atoms.' }),
  allowance: amount.meta({
    description: 'Atoms that the vault relayer may take; 0 for the chain’s own coin, which it cannot take.',
  }),
  token: tokenDetails,
})

export const accountBalances = z.array(accountBalance)

export const heldBalances = z.object({
  balances: z.record(address, amount).meta({ description: 'Atoms by token, above zero.' }),
})

export const holder: Parameter = { description: 'The account that holds the balances.', schema: anyAddress }
const path = { account: holder }

export const lastEventId: Parameter = {
  description: 'Replaces the header `Last-Event-ID`.',
  schema: z.string(),
}

export const events = {
  description: 'Events until the client leaves.',
  schema: plainText,
  contentType: 'text/event-stream',
}

const tokensOf = (count: string): Parameter => ({
  description: `Comma-separated contracts, \`-\` for the chain’s own coin: ${count}. Mixed case must be a valid EIP-55 checksum.`,
  schema: z.string(),
})

const usdc = {
  balance: '2500000000',
  allowance: '1000000000',
  token: { address: sample.usdc, name: 'USD Coin', symbol: 'USDC', decimals: 6 },
}
const coin = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'
const ether = {
  balance: '2000000000000000000',
  allowance: '0',
  token: { address: coin, name: 'Ether', symbol: 'ETH', decimals: 18 },
}

const ofTrader = { account: sample.trader }
const named = { tokens: `${sample.usdc},-,${sample.newcomer}` }

const refusals: Record<string, WrittenExample> = {
  none: {
    summary: 'No tokens',
    path: ofTrader,
    query: { tokens: ' , ' },
    refused: ['InvalidParameter', 'At least one token address is required'],
  },
  malformed: {
    summary: 'A malformed address',
    path: ofTrader,
    query: { tokens: '0x12' },
    refused: [
      'InvalidParameter',
      'Invalid Ethereum address: 0x12: it must be an address: 20 bytes of hex with 0x in front, or - for the chain’s own coin',
    ],
  },
}

export const balanceOperations: Operations = {
  'GET /:network/accounts/:account/balances': {
    id: 'balances',
    summary: 'Balances of an account in the named tokens',
    description:
      'All balances are at one block, in the order of the tokens, each once. An address that is not a token is left out; so is a token that the node cannot read now, which `X-Unavailable-Tokens` names. 503 means that nothing can be read.',
    path,
    query: { tokens: tokensOf('1 to 350: a URL has at most 16 KiB') },
    answers: {
      200: {
        description: 'Balances, and the parts that the vault relayer may take.',
        schema: accountBalances,
        headers: ['X-Unavailable-Tokens'],
      },
    },
    examples: {
      three: {
        summary: 'USDC of the local stack, the chain’s own coin, and an address that is not a token',
        path: ofTrader,
        query: named,
        answer: [usdc, ether],
      },
      ...refusals,
    },
  },
  'GET /:network/accounts/:account/balances/sse': {
    id: 'balanceStream',
    summary: 'Balances of an account as they change',
    description: [
      'Server-sent events. `initial_balances` has all balances as the route without `/sse` has them, in `balances`; tokens that cannot be read now are in `unavailable`. `balance_update` is a change: `type` `balance_change` with `oldBalance` and `newBalance`, or `allowance_change` with `oldAllowance` and `newAllowance`; both with `chainId`, `userAddress` as the path has it, `tokenAddress`, and `timestamp` in milliseconds. What was not known before is null. `ping` keeps the connection.',
      'An event named `error` has `code` and `message`. Without `tokenAddress` the node is away: `initial_balances` follows when it is back. With it, this token cannot be read at the moment.',
      'The `id` of an event stands for all that a client knows. One that sends it as `Last-Event-ID`, as browsers do, gets `initial_balances` only if it has missed something.',
    ].join('\n\n'),
    path,
    query: {
      tokens: tokensOf('1 to 350: a URL has at most 16 KiB. A POST names up to 1,500'),
      lastEventId,
    },
    answers: { 200: events },
    examples: {
      three: {
        summary: 'The first event; numbers of `retry` differ',
        path: ofTrader,
        query: named,
        answer: `retry: 2000\n\nid: 7-3jm71kf063289\n${eventOf({ balances: [usdc, ether] }, 'initial_balances')}`,
      },
      ...refusals,
    },
  },
  'POST /:network/accounts/:account/balances/sse': {
    id: 'balanceStreamOfMany',
    summary: 'The same, for tokens that do not fit into a URL',
    path,
    body: watchedTokensInput,
    answers: { 200: events },
    examples: {
      one: {
        summary: 'The first event; numbers of `retry` differ',
        path: ofTrader,
        body: { tokens: [sample.usdc] },
        answer: `retry: 2000\n\nid: 7-1ure3pj4k5f12\n${eventOf({ balances: [usdc] }, 'initial_balances')}`,
      },
      none: {
        summary: 'No tokens',
        path: ofTrader,
        body: { tokens: [] },
        refused: ['InvalidParameter', 'tokens must name a token'],
      },
    },
  },
  'GET /:network/address/:account/balances': {
    id: 'heldBalances',
    summary: 'Balances that an account holds',
    description:
      'Balances of the chain’s own coin, of the account’s tokens whose transfers the service follows (`holderTokens` of the network), and of the named tokens. Zeros are left out. `X-Unavailable-Tokens` names tokens that cannot be read now.',
    path,
    query: {
      tokens: tokensOf('at most 350, in addition to held tokens'),
      ignoreCache: {
        description: '`true` prevents caches from keeping the answer.',
        schema: z.enum(['true', 'false']),
      },
    },
    answers: {
      200: {
        description: 'Atoms by token.',
        schema: heldBalances,
        headers: ['ETag', 'X-Unavailable-Tokens'],
      },
    },
    examples: {
      all: {
        summary: 'USDC of the local stack, and the chain’s own coin',
        path: ofTrader,
        answer: { balances: { [coin]: ether.balance, [sample.usdc]: usdc.balance } },
      },
      malformed: {
        summary: 'A malformed address',
        path: { account: '0x12' },
        refused: ['InvalidParameter', 'account must be an address: 20 bytes of hex with 0x in front'],
      },
    },
  },
}
