import { z } from 'zod'
import type { Operations, Parameter, WrittenExample } from '../openapi/operation.ts'
import { anyAddress } from '../openapi/path-parameters.ts'
import { sample } from '../openapi/sample.ts'
import { text } from '../openapi/schemas/text.ts'
import { eventOf } from '../stream.ts'
import { accountBalances, heldBalances } from './schema.ts'
import { watchedTokensInput } from './tokens.ts'

const path = { account: { description: 'Whose balances.', schema: anyAddress } }

const tokensOf = (most: string): Parameter => ({
  description: `Contracts with commas between, \`-\` for the chain’s own coin: ${most}. Mixed case has to be a valid EIP-55 checksum.`,
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

const asked = { account: sample.trader }
const named = { tokens: `${sample.usdc},-,${sample.newcomer}` }

const refusals: Record<string, WrittenExample> = {
  none: {
    summary: 'No token',
    path: asked,
    query: { tokens: ' , ' },
    refused: ['InvalidParameter', 'At least one token address is required'],
  },
  malformed: {
    summary: 'No address',
    path: asked,
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
    summary: 'Balances of an account, of tokens that are named',
    description:
      'All at one block, in the order of the tokens, each once. An address that is no token is left out; so is a token that the node cannot read now, which `X-Unavailable-Tokens` names. 503 means that nothing can be read.',
    path,
    query: { tokens: tokensOf('1 to 350: an address has 16 KiB at most') },
    answers: {
      200: {
        description: 'Balances, and what the vault relayer may take of them.',
        schema: accountBalances,
        headers: ['X-Unavailable-Tokens'],
      },
    },
    examples: {
      three: {
        summary: 'USDC of the local stack, the chain’s own coin, and an address that is no token',
        path: asked,
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
      tokens: tokensOf('1 to 350: an address has 16 KiB at most. A POST names up to 1,500'),
      lastEventId: {
        description: 'In place of the header `Last-Event-ID`.',
        schema: z.string(),
      },
    },
    answers: {
      200: {
        description: 'Events until the client leaves.',
        schema: text,
        contentType: 'text/event-stream',
      },
    },
    examples: {
      three: {
        summary: 'The first event; numbers of `retry` differ',
        path: asked,
        query: named,
        answer: `retry: 2000\n\nid: 7-3jm71kf063289\n${eventOf({ balances: [usdc, ether] }, 'initial_balances')}`,
      },
      ...refusals,
    },
  },
  'POST /:network/accounts/:account/balances/sse': {
    id: 'balanceStreamOfMany',
    summary: 'The same, of tokens that do not fit into an address',
    path,
    body: watchedTokensInput,
    answers: {
      200: {
        description: 'Events until the client leaves.',
        schema: text,
        contentType: 'text/event-stream',
      },
    },
    examples: {
      one: {
        summary: 'The first event; numbers of `retry` differ',
        path: asked,
        body: { tokens: [sample.usdc] },
        answer: `retry: 2000\n\nid: 7-1ure3pj4k5f12\n${eventOf({ balances: [usdc] }, 'initial_balances')}`,
      },
      none: {
        summary: 'No token',
        path: asked,
        body: { tokens: [] },
        refused: ['InvalidParameter', 'tokens must name a token'],
      },
    },
  },
  'GET /:network/address/:account/balances': {
    id: 'heldBalances',
    summary: 'Balances that an account holds',
    description:
      'Of the chain’s own coin, of the tokens that the account holds as far as the service follows their transfers (`holderTokens` of the network), and of those that are named. Zeros are left out. `X-Unavailable-Tokens` names what cannot be read now.',
    path,
    query: {
      tokens: tokensOf('at most 350, beside those that it holds'),
      ignoreCache: {
        description: 'With `true` the answer is not to be kept by caches.',
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
        path: asked,
        answer: { balances: { [coin]: ether.balance, [sample.usdc]: usdc.balance } },
      },
      malformed: {
        summary: 'No address',
        path: { account: '0x12' },
        refused: ['InvalidParameter', 'account must be an address: 20 bytes of hex with 0x in front'],
      },
    },
  },
}
