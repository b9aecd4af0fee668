import { tokenAddressField, tokenDetailsInput } from '../../graphql/token/addresses-input.ts'
import type { HeaderName } from '../openapi/headers.ts'
import type { Operations, WrittenExample } from '../openapi/operation.ts'
import { sample } from '../openapi/sample.ts'
import { tokenDetails, tokenDetailsList, tokenHolders, usdPrice } from './data-schema.ts'

const path = {
  token: {
    description:
      'The token’s contract, or `-` for the chain’s own coin. Mixed case has to be a valid EIP-55 checksum.',
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

/** A token that no source knows of. */
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
      200: { description: 'At most 100, the greatest first.', schema: tokenHolders, headers: freshness },
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
        description: 'What its contract returns; the rest is left out.',
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
      unknown: { summary: 'No token', path: unknown, refused: 'missing' },
      wrongChecksum,
    },
  },
  'POST /:network/tokens/details': {
    id: 'tokensDetails',
    summary: 'Name, symbol and decimals of many tokens',
    description:
      'Addresses that are no token are left out, so that positions differ from those of the request.',
    body: tokenDetailsInput,
    answers: { 200: { description: 'Those addresses that are tokens.', schema: tokenDetailsList } },
    examples: {
      two: {
        summary: 'One that is a token, and one that is not',
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
        summary: 'None that is a token',
        body: { tokenAddresses: [sample.newcomer] },
        refused: 'missing',
      },
      empty: {
        summary: 'No address',
        body: { tokenAddresses: [] },
        refused: ['InvalidParameter', 'tokenAddresses must name a token'],
      },
    },
  },
}
