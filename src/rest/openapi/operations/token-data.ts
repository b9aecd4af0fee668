import type { RefusalCode } from '../../../domain/refusal-codes.ts'
import { tokenAddressField, tokenDetailsInput } from '../../../graphql/inputs/token-addresses.ts'
import type { HeaderName } from '../headers.ts'
import type { Example, Operations } from '../operation.ts'
import { sample } from '../sample.ts'
import { tokenDetails, tokenDetailsList, tokenHolders, usdPrice } from '../schemas/token-data.ts'

const path = {
  token: {
    description:
      'The token’s contract, or `-` for the chain’s own coin. Mixed case has to be a valid EIP-55 checksum.',
    schema: tokenAddressField,
  },
}

const freshness: readonly HeaderName[] = ['Cache-Control', 'ETag', 'Age', 'Warning']

const wrongChecksum: Example = {
  summary: 'A wrong checksum',
  path: { token: '0xFff9976782d46cc05630d1f6ebab18b2324d6b14' },
  status: 400,
  answer: {
    message: 'address has a wrong checksum: look for a mistyped character, or write all letters in lowercase',
  },
}

/** A token that no source knows of. */
const unknown = { path: { token: sample.newcomer }, status: 404 }

const codes: readonly RefusalCode[] = ['NotFound']

export const tokenDataOperations: Operations = {
  'GET /:network/tokens/:token/usdPrice': {
    id: 'usdPrice',
    tag: 'Token data',
    summary: 'What a token is worth in US dollars',
    description: '404 says that no source knows of a price; a source that does not answer is 503.',
    path,
    answers: { 200: { description: 'Its price.', schema: usdPrice, headers: freshness } },
    codes,
    examples: {
      native: { summary: 'The chain’s own coin', path: { token: '-' }, status: 200, answer: { price: 3000 } },
      usdc: {
        summary: 'USDC of the local stack',
        path: { token: sample.usdc },
        status: 200,
        answer: { price: 1 },
      },
      unknown: { summary: 'No price', ...unknown, answer: { message: 'Price not found' } },
      wrongChecksum,
      elsewhere: {
        summary: 'A chain that is not served',
        path: { network: 'atlantis', token: '-' },
        status: 400,
        answer: { message: 'there is no network atlantis, but sepolia' },
      },
    },
  },
  'GET /:network/tokens/:token/topHolders': {
    id: 'topHolders',
    tag: 'Token data',
    summary: 'Who holds most of a token',
    path,
    answers: {
      200: { description: 'At most 100, the greatest first.', schema: tokenHolders, headers: freshness },
    },
    codes,
    examples: {
      usdc: {
        summary: 'USDC of the local stack',
        path: { token: sample.usdc },
        status: 200,
        answer: [
          { address: '0xd1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1', balance: '30000000000000' },
          { address: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266', balance: '1000000000000' },
        ],
      },
      unknown: { summary: 'No holders', ...unknown, answer: { message: 'Token holders not found' } },
      wrongChecksum,
    },
  },
  'GET /:network/tokens/:token/details': {
    id: 'tokenDetails',
    tag: 'Token data',
    summary: 'What a token is called',
    path,
    answers: {
      200: {
        description: 'What its contract says; the rest is left out.',
        schema: tokenDetails,
        headers: ['ETag'],
      },
    },
    codes,
    examples: {
      usdc: {
        summary: 'USDC of the local stack',
        path: { token: sample.usdc },
        status: 200,
        answer: {
          address: '0x95bd8d42f30351685e96c62eddc0d0613bf9a87a',
          name: 'USD Coin',
          symbol: 'USDC',
          decimals: 6,
        },
      },
      unknown: { summary: 'No token', ...unknown, answer: { message: 'Token not found' } },
      wrongChecksum,
    },
  },
  'POST /:network/tokens/details': {
    id: 'tokensDetails',
    tag: 'Token data',
    summary: 'What many tokens are called',
    description: 'What is no token is left out, so that answers do not stand where they were asked for.',
    body: tokenDetailsInput,
    answers: { 200: { description: 'The tokens that there are.', schema: tokenDetailsList } },
    codes,
    examples: {
      two: {
        summary: 'One that is a token, and one that is not',
        body: { tokenAddresses: [sample.usdc, sample.newcomer] },
        status: 200,
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
        summary: 'None that is a token',
        body: { tokenAddresses: [sample.newcomer] },
        status: 404,
        answer: { message: 'No tokens found' },
      },
      empty: {
        summary: 'Nothing asked for',
        body: { tokenAddresses: [] },
        status: 400,
        answer: { message: 'tokenAddresses must name a token' },
      },
    },
  },
}
