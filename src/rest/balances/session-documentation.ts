import { z } from 'zod'
import type { Operations, Parameter, WrittenExample } from '../openapi/operation.ts'
import { anyAddress } from '../openapi/path-parameters.ts'
import { sample } from '../openapi/sample.ts'
import { text } from '../openapi/schemas/text.ts'
import { eventOf } from '../stream.ts'
import { balanceSession, watchedTokensOfSession } from './sessions.ts'

const path = { owner: { description: 'Whose balances.', schema: anyAddress } }

const clientId: Parameter = {
  description:
    'A UUID that the client has made for itself. It names the session, and should be hard to guess.',
  schema: z.uuid(),
}
const headers = { 'X-Client-Id': clientId }

const asked = { owner: sample.trader }
const id = '5a0d3c52-92f1-4f3a-8f53-b3a4c1f0e7d6'
const other = '00000000-0000-4000-8000-000000000000'
const coin = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'

const refusals: Record<string, WrittenExample> = {
  none: {
    summary: 'No token',
    path: asked,
    headers: { 'X-Client-Id': id },
    body: {},
    refused: [
      'InvalidParameter',
      'customTokens must name a token, or tokensListsUrls a list with tokens of this chain',
    ],
  },
  list: {
    summary: 'A token list that is not read here',
    path: asked,
    headers: { 'X-Client-Id': id },
    body: { tokensListsUrls: ['https://lists.example.com/all.json'] },
    refused: [
      'InvalidParameter',
      'tokensListsUrls must be empty: this service reads no token lists, name the tokens in customTokens',
    ],
  },
}

const answered = (tokens: number) => ({ clientId: id, tokens, idleSeconds: 10 })

export const balanceSessionOperations: Operations = {
  'POST /:network/sessions/:owner': {
    id: 'beginBalanceSession',
    summary: 'Name the tokens whose balances a client follows',
    description:
      'Up to 1,500, once: streams are then opened by the client’s id, at any process of the service. The same id again replaces them. A session ends ten seconds after its last stream. At most five sessions of a client address about one owner, and 100 in all. Sixteen tokens count as a read, or a token list as four, whichever are more.',
    path,
    headers,
    body: watchedTokensOfSession,
    answers: { 201: { description: 'The session.', schema: balanceSession } },
    examples: {
      two: {
        summary: 'USDC of the local stack, and the chain’s own coin',
        path: asked,
        headers: { 'X-Client-Id': id },
        body: { customTokens: [sample.usdc, '-'] },
        answer: answered(2),
      },
      ...refusals,
    },
  },
  'PUT /:network/sessions/:owner': {
    id: 'replaceBalanceSession',
    summary: 'Name other tokens in their place',
    description: 'Open streams of the session go on with all balances of the new tokens.',
    path,
    headers,
    body: watchedTokensOfSession,
    answers: { 200: { description: 'The session.', schema: balanceSession } },
    codes: ['NotFound'],
    examples: {
      three: {
        summary: 'The same two, and what is no token',
        path: asked,
        headers: { 'X-Client-Id': id },
        body: { customTokens: [sample.usdc, '-', sample.newcomer] },
        answer: answered(3),
      },
      ended: {
        summary: 'There is no such session',
        path: asked,
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
      lastEventId: { description: 'In place of the header `Last-Event-ID`.', schema: z.string() },
    },
    answers: {
      200: {
        description: 'Events until the client leaves.',
        schema: text,
        contentType: 'text/event-stream',
      },
    },
    codes: ['NotFound'],
    examples: {
      all: {
        summary: 'The first event; numbers of `retry` differ',
        path: asked,
        query: { client_id: id },
        answer: `retry: 2000\n\nid: 7-1dtdlp8jjqn92\n${eventOf({ balances: { [sample.usdc]: '2500000000', [coin]: '2000000000000000000' } }, 'balance_update')}`,
      },
      ended: {
        summary: 'There is no such session',
        path: asked,
        query: { client_id: other },
        refused: ['NotFound', 'there is no such session, or it has ended: begin one with POST'],
      },
      nobody: {
        summary: 'No id',
        path: asked,
        refused: ['InvalidParameter', 'client_id must be a UUID that the client has made for itself'],
      },
    },
  },
}
