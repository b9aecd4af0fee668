import { z } from 'zod'
import type { Operations } from '../openapi/operation.ts'
import { sample } from '../openapi/sample.ts'
import { selected } from '../openapi/selected.ts'
import { type Route, route } from '../routing/route.ts'
import { writeNativePrice } from './tokens.ts'

const tokenDocument = <const Fields extends string>(fields: Fields) =>
  `query ($network: NetworkName!, $token: Address!) { tokens(network: $network, addresses: [$token]) { ${fields} } }` as const

const metadataFields = 'firstTradeBlock nativePrice: lastAuctionPrice'

export const tokenRoutes: Route[] = [
  route({
    on: 'GET /api/v1/token/:token/native_price',
    isPassedOn: 'without pools',
    run: tokenDocument('nativePrice'),
    variables: ({ network, path }) => ({ network, token: path.token }),
    answer: ({ tokens: [token] }) => writeNativePrice(token?.nativePrice),
  }),
  route({
    on: 'GET /api/v1/token/:token/metadata',
    run: tokenDocument(metadataFields),
    variables: ({ network, path }) => ({ network, token: path.token }),
    answer: ({ tokens: [token] }) => token,
  }),
]

export const nativePrice = z.object({
  price: z.number().min(0).meta({
    description: 'Native atoms for one atom: the double nearest to a decimal of 18 digits, rounded down.',
  }),
})

export const tokenMetadata = selected('Token', metadataFields)

export const totalSurplus = selected('Account', 'totalSurplus')

export const tokenOperations: Operations = {
  'GET /api/v1/token/:token/native_price': {
    id: 'nativePrice',
    summary: 'The price of a token in the native coin',
    answers: { 200: { description: 'Its price now.', schema: nativePrice } },
    codes: ['NoLiquidity', 'UnsupportedToken'],
    examples: {
      usdc: {
        summary: 'USDC of the local stack',
        path: { token: sample.usdc },
        answer: { price: 333333333.3333333 },
      },
      noRoute: {
        summary: 'A token without a route',
        path: { token: sample.newcomer },
        refused: ['NoLiquidity', 'no route leads from this token to the native coin'],
      },
      malformed: {
        summary: 'A malformed address',
        path: { token: '0x12' },
        refused: ['InvalidParameter', 'token must be an address: 20 bytes of hex with 0x in front'],
      },
    },
  },
  'GET /api/v1/token/:token/metadata': {
    id: 'tokenMetadata',
    summary: 'Data of the auctions about a token',
    answers: { 200: { description: 'The metadata, with null for unknown values.', schema: tokenMetadata } },
    examples: {
      traded: {
        summary: 'A token that was traded',
        path: { token: `0x${'aa'.repeat(20)}` },
        answer: { firstTradeBlock: 109, nativePrice: '1000000000000000000' },
      },
      malformed: {
        summary: 'A malformed address',
        path: { token: '0x12' },
        refused: ['InvalidParameter', 'token must be an address: 20 bytes of hex with 0x in front'],
      },
    },
  },
  'GET /api/v1/users/:user/total_surplus': {
    id: 'totalSurplus',
    summary: 'The surplus of all trades of an account',
    answers: {
      200: {
        description: 'Native atoms: each trade at its own auction’s prices, rounded down.',
        schema: totalSurplus,
      },
    },
    examples: {
      trader: {
        summary: 'An account that traded',
        path: { user: sample.otherTrader },
        answer: { totalSurplus: '13333333333333333' },
      },
      malformed: {
        summary: 'A malformed address',
        path: { user: '0x12' },
        refused: ['InvalidParameter', 'user must be an address: 20 bytes of hex with 0x in front'],
      },
    },
  },
}
