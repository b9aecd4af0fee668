import type { Operations } from '../openapi/operation.ts'
import { sample } from '../openapi/sample.ts'
import { currentAuction } from '../openapi/schemas/stored.ts'
import { sampleCurrentAuction } from './current-auction-example.ts'

export const currentAuctionOperations: Operations = {
  'GET /api/v1/auction': {
    id: 'currentAuction',
    summary: 'What solvers are given at the moment',
    description:
      'Orders and prices of the newest auction, whether there are solutions or not. The setting `CURRENT_AUCTION_ACCESS` says who may read it: the operator where it says nothing, whose key is sent as `Authorization: Bearer …` or `X-API-Key`. Send `If-None-Match`: each auction is thousands of orders, and 304 costs nothing. `protocolFees` are the rules, without amounts; `executed` counts atoms of the fixed side; amounts of partly filled orders are those signed.',
    answers: {
      200: { description: 'The auction.', schema: currentAuction, headers: ['Cache-Control', 'ETag'] },
    },
    codes: ['FeatureDisabled', 'Unauthorized'],
    examples: {
      current: {
        summary: 'One order',
        headers: { authorization: `Bearer ${sample.key}` },
        answer: sampleCurrentAuction,
      },
      stranger: {
        summary: 'Without the operator’s key',
        refused: ['Unauthorized', 'send the operator’s key as Authorization: Bearer … or X-API-Key'],
      },
    },
  },
}
