import type { Operations, WrittenOperation } from '../openapi/operation.ts'
import { page } from '../openapi/page-parameters.ts'
import { anyAddress, anyOrderUid } from '../openapi/path-parameters.ts'
import { sample } from '../openapi/sample.ts'
import { trades } from '../openapi/schemas/stored.ts'
import { tradeOfSettled } from './example.ts'

const filter = {
  owner: { description: 'Trades of this account’s orders.', schema: anyAddress },
  orderUid: { description: 'Trades of this order.', schema: anyOrderUid },
}

const shared: Omit<WrittenOperation, 'id' | 'summary'> = {
  answers: { 200: { description: 'Newest first.', schema: trades } },
  examples: {
    ofOrder: { summary: 'Of one order', query: { orderUid: sample.settled }, answer: [tradeOfSettled] },
    ofNothing: {
      summary: 'Neither owner nor order',
      query: {},
      refused: ['InvalidTradeFilter', 'give exactly one of owner and orderUid'],
    },
  },
}

export const tradeOperations: Operations = {
  'GET /api/v2/trades': {
    ...shared,
    id: 'trades',
    summary: 'Trades of an account or of an order',
    description: 'Give exactly one of owner and orderUid.',
    query: { ...filter, ...page },
    codes: ['InvalidTradeFilter', 'InvalidLimit'],
  },
  'GET /api/v1/trades': {
    ...shared,
    id: 'tradesV1',
    summary: 'Trades, without pages',
    description: 'The newest 1000. Give exactly one of owner and orderUid.',
    query: filter,
    codes: ['InvalidTradeFilter'],
  },
}
