import { z } from 'zod'
import { Refusal } from '../../domain/errors/error.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Context } from '../../graphql/context/context.ts'
import { tradingOn } from '../../graphql/context/networks.ts'
import { parseInput } from '../../graphql/errors/input.ts'
import { objectExpected } from '../../graphql/input/fields.ts'
import { tokenAddressField } from '../../graphql/token/addresses-input.ts'
import { maxNamedTokens, watchedPerRead } from '../../graphql/token/watched.ts'
import { idleMs } from '../../tokens/watch/sessions.ts'
import type { ActionRoute } from '../row/action-route.ts'
import type { EventRoute } from '../row/event-route.ts'
import { readAddress } from '../row/parameters.ts'
import type { RestRequest, Route } from '../row/route.ts'
import { sessionForm, sessionStream } from './events.ts'

const maxLists = 20
/** Cost units of a list, which may have to be read first. With what is named they are less than a full bucket at the default rate. */
const unitsPerList = 4
/** More than 1,500 addresses take. */
const mostBytes = 131_072

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
          'Token lists, whose contracts on this chain are added. The setting `TOKEN_LISTS` says which are read.',
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
  clientId: z.uuid().meta({ description: 'What the client named it by.' }),
  tokens: z.int().meta({ description: 'How many it follows, each once.' }),
  idleSeconds: z.int().meta({ description: 'It ends after so long without a stream.' }),
})

/** An unknown network is 400 here, as on the routes of tokens. */
const statuses: Route['statuses'] = { 'NotFound of network': 400 }

const begin: Omit<ActionRoute, 'on'> = {
  statuses,
  maxBytes: mostBytes,
  units({ body }) {
    const { tokensListsUrls, customTokens } = parseInput(watchedTokensOfSession, body)
    return Math.max(tokensListsUrls.length * unitsPerList, Math.ceil(customTokens.length / watchedPerRead))
  },
  async act(request, context) {
    const { headers } = request
    const key = keyOf(request, context, 'X-Client-Id', headers['x-client-id'])
    const tokens = await tokensOf(request, key.chainId, context)
    await context.balanceSessions.open(key, tokens, context.client)
    return answer(201, key.clientId, tokens)
  },
}

/** The protocol of sessions: tokens are named once, a stream is opened by the client's id. */
export const sessionRoutes: (ActionRoute | EventRoute)[] = [
  { on: 'POST /:network/sessions/:owner', ...begin },
  {
    on: 'PUT /:network/sessions/:owner',
    ...begin,
    async act(request, context) {
      const key = keyOf(request, context, 'X-Client-Id', request.headers['x-client-id'])
      const tokens = await tokensOf(request, key.chainId, context)
      await context.balanceSessions.replace(key, tokens)
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

/** @param id as the member `name` of the request has it @throws Refusal */
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

/** Of the lists and of those that are named, each once. @throws Refusal; Outage where a list cannot be read */
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
