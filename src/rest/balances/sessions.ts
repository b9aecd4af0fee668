import { z } from 'zod'
import { Refusal } from '../../domain/errors/error.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Context } from '../../graphql/context/context.ts'
import { tradingOn } from '../../graphql/context/networks.ts'
import { storing } from '../../graphql/context/stored-bytes.ts'
import { objectExpected, tokenAddressField } from '../../graphql/input/fields.ts'
import { parseInput } from '../../graphql/input/parse.ts'
import { maxNamedTokens, watchedPerRead } from '../../graphql/token/watched.ts'
import { idleMs } from '../../tokens/balance-sessions.ts'
import type { Operations, Parameter, WrittenExample } from '../openapi/operation.ts'
import { sample } from '../openapi/sample.ts'
import type { ActionRoute, EventRoute } from '../routing/endpoint.ts'
import { readAddress } from '../routing/request.ts'
import type { RestRequest, Route } from '../routing/route.ts'
import { eventOf } from '../stream.ts'
import { events, holder, lastEventId } from './balances.ts'
import { sessionForm, sessionStream } from './events.ts'

const maxLists = 20
/**
 * Cost units of a list, which may have to be read first. With the named tokens they are below a full bucket
 * at the default rate.
 */
const unitsPerList = 4
/** A size above that of 1,500 addresses. */
const maxBodyBytes = 131_072
/** The bytes that a token takes in a stored session. */
const tokenBytes = 24

const listOf = (of: string) => ({
  error: ({ input }: { input?: unknown }) =>
    input === undefined ? 'is required' : `must be a list of ${of}`,
})

export const watchedTokensOfSession = z.object(
  {
    tokensListsUrls: z
      .array(z.string().max(2_000), listOf('addresses'))
      .max(maxLists, `must name at most ${maxLists} lists`)
      .default([])
      .meta({
        description:
          'Token lists, whose contracts on this chain are added. The setting `TOKEN_LISTS` defines which are read.',
      }),
    customTokens: z
      .array(tokenAddressField, listOf('addresses'))
      .max(maxNamedTokens, `must name at most ${maxNamedTokens} tokens`)
      .default([])
      .meta({ description: 'Contracts; `-` is the chain’s own coin.' }),
  },
  objectExpected,
)

export const balanceSession = z.object({
  clientId: z.uuid().meta({ description: 'The client’s name for it.' }),
  tokens: z.int().meta({ description: 'The number of tokens that it follows, each once.' }),
  idleSeconds: z.int().meta({ description: 'The seconds without a stream after which it ends.' }),
})

/** Statuses as on the routes of tokens: an unknown network is 400. */
const statuses: Route['statuses'] = { 'NotFound of network': 400 }

const begin: Omit<ActionRoute, 'on'> = {
  statuses,
  maxBytes: maxBodyBytes,
  units({ body }) {
    const { tokensListsUrls, customTokens } = parseInput(watchedTokensOfSession, body)
    return Math.max(tokensListsUrls.length * unitsPerList, Math.ceil(customTokens.length / watchedPerRead))
  },
  async act(request, context) {
    const { headers } = request
    const key = keyOf(request, context, 'X-Client-Id', headers['x-client-id'])
    const tokens = await tokensOf(request, key.chainId, context)
    const open = () => context.balanceSessions.open(key, tokens, context.client)
    await storing(context, 'sessions of balances', open, () => tokenBytes * tokens.length)
    return answer(201, key.clientId, tokens)
  },
}

/** Routes of sessions: a client names its tokens once, and opens streams by its own id. */
export const balanceSessionRoutes: (ActionRoute | EventRoute)[] = [
  { on: 'POST /:network/sessions/:owner', ...begin },
  {
    on: 'PUT /:network/sessions/:owner',
    ...begin,
    async act(request, context) {
      const key = keyOf(request, context, 'X-Client-Id', request.headers['x-client-id'])
      const tokens = await tokensOf(request, key.chainId, context)
      const replace = () => context.balanceSessions.replace(key, tokens)
      await storing(context, 'sessions of balances', replace, () => tokenBytes * tokens.length)
      return answer(200, key.clientId, tokens)
    },
  },
  {
    on: 'GET /sse/:network/balances/:owner',
    statuses,
    units: () => 1,
    events: (request, context) =>
      sessionStream(
        tradingOn(context, request.network),
        keyOf(request, context, 'client_id', request.query.get('client_id') ?? undefined),
        context,
      ),
    form: sessionForm,
  },
]

const answer = (status: number, clientId: string, { length: tokens }: readonly Address[]) => ({
  status,
  body: { clientId, tokens, idleSeconds: idleMs / 1_000 },
})

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** @param id the value of the request's member `name` @throws Refusal */
function keyOf(
  { network, path }: RestRequest<string>,
  context: Context,
  name: string,
  id: string | string[] | undefined,
) {
  const { chainId } = tradingOn(context, network).network
  const owner = readAddress('owner', path.owner)
  if (typeof id !== 'string' || !uuid.test(id))
    throw new Refusal('InvalidParameter', `${name} must be a UUID that the client has made for itself`, {
      field: name,
    })
  return { chainId, owner, clientId: id.toLowerCase() }
}

/** Returns all tokens, of lists and named, each once. @throws Refusal; Outage when a list cannot be read */
async function tokensOf(
  { body }: RestRequest<string>,
  chainId: number,
  { tokenLists }: Context,
): Promise<Address[]> {
  const { tokensListsUrls, customTokens } = parseInput(watchedTokensOfSession, body)
  const lists = await Promise.all(
    [...new Set(tokensListsUrls)].map((url) => tokenLists.contracts(url, chainId)),
  )
  const tokens = new Set([...customTokens, ...lists.flat()])
  if (tokens.size >= 1 && tokens.size <= maxNamedTokens) return [...tokens]
  throw new Refusal(
    'InvalidParameter',
    tokens.size === 0
      ? 'customTokens must name a token, or tokensListsUrls a list with tokens of this chain'
      : `lists and customTokens must have at most ${maxNamedTokens} tokens together, but have ${tokens.size}`,
    { field: 'customTokens' },
  )
}

const path = { owner: holder }

const clientId: Parameter = {
  description: 'A UUID that the client generates. It names the session, and should be hard to guess.',
  schema: z.uuid(),
}
const headers = { 'X-Client-Id': clientId }

const ofTrader = { owner: sample.trader }
const id = '5a0d3c52-92f1-4f3a-8f53-b3a4c1f0e7d6'
const other = '00000000-0000-4000-8000-000000000000'
const coin = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'

const refusals: Record<string, WrittenExample> = {
  none: {
    summary: 'No tokens',
    path: ofTrader,
    headers: { 'X-Client-Id': id },
    body: {},
    refused: [
      'InvalidParameter',
      'customTokens must name a token, or tokensListsUrls a list with tokens of this chain',
    ],
  },
  list: {
    summary: 'A token list that this deployment does not read',
    path: ofTrader,
    headers: { 'X-Client-Id': id },
    body: { tokensListsUrls: ['https://lists.example.com/all.json'] },
    refused: [
      'InvalidParameter',
      'tokensListsUrls must be empty: this service reads no token lists, name the tokens in customTokens',
    ],
  },
}

const session = { description: 'The session.', schema: balanceSession }

const answered = (tokens: number) => ({ clientId: id, tokens, idleSeconds: 10 })

export const balanceSessionOperations: Operations = {
  'POST /:network/sessions/:owner': {
    id: 'beginBalanceSession',
    summary: 'Name the tokens whose balances a client follows',
    description:
      'Up to 1,500 tokens, named once: streams are then opened by the client’s id, at any process of the service. The same id again replaces them. A session ends ten seconds after its last stream. A client address has at most five sessions about one owner, and 100 in all. Sixteen tokens count as one read, a token list as four reads; the larger of both applies.',
    path,
    headers,
    body: watchedTokensOfSession,
    answers: { 201: session },
    examples: {
      two: {
        summary: 'USDC of the local stack, and the chain’s own coin',
        path: ofTrader,
        headers: { 'X-Client-Id': id },
        body: { customTokens: [sample.usdc, '-'] },
        answer: answered(2),
      },
      ...refusals,
    },
  },
  'PUT /:network/sessions/:owner': {
    id: 'replaceBalanceSession',
    summary: 'Replace the tokens of a session',
    description: 'Open streams of the session go on with all balances of the new tokens.',
    path,
    headers,
    body: watchedTokensOfSession,
    answers: { 200: session },
    codes: ['NotFound'],
    examples: {
      three: {
        summary: 'The same two, and an address that is not a token',
        path: ofTrader,
        headers: { 'X-Client-Id': id },
        body: { customTokens: [sample.usdc, '-', sample.newcomer] },
        answer: answered(3),
      },
      ended: {
        summary: 'An unknown session',
        path: ofTrader,
        headers: { 'X-Client-Id': other },
        body: { customTokens: ['-'] },
        refused: ['NotFound', 'there is no such session, or it has ended: begin one with POST'],
      },
    },
  },
  'GET /sse/:network/balances/:owner': {
    id: 'balanceSessionStream',
    summary: 'Balances of a session as they change',
    description: [
      'Server-sent events. `balance_update` has atoms by token in `balances`: first of all tokens, zeros too, then of those that changed. An address that is no token is left out. Tokens that cannot be read now are in `unavailable`. There are no allowances: `GET /{network}/accounts/{account}/balances/sse` has them.',
      'An event named `error` has `code` and `message`: the node is away, and all balances follow when it is back. A client may as well open the stream again.',
      'The `id` of an event stands for all that a client knows. One that sends it as `Last-Event-ID`, as browsers do, gets all balances only if it has missed something.',
    ].join('\n\n'),
    path,
    query: {
      client_id: clientId,
      lastEventId,
    },
    answers: { 200: events },
    codes: ['NotFound'],
    examples: {
      all: {
        summary: 'The first event; numbers of `retry` differ',
        path: ofTrader,
        query: { client_id: id },
        answer: `retry: 2000\n\nid: 7-1dtdlp8jjqn92\n${eventOf({ balances: { [sample.usdc]: '2500000000', [coin]: '2000000000000000000' } }, 'balance_update')}`,
      },
      ended: {
        summary: 'An unknown session',
        path: ofTrader,
        query: { client_id: other },
        refused: ['NotFound', 'there is no such session, or it has ended: begin one with POST'],
      },
      nobody: {
        summary: 'A malformed id',
        path: ofTrader,
        refused: ['InvalidParameter', 'client_id must be a UUID that the client has made for itself'],
      },
    },
  },
}
