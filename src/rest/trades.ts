import { Refusal } from '../domain/errors/error.ts'
import { refusalCodes } from '../domain/errors/refusal-codes.ts'
import { tradesOfOrder } from '../graphql/order/trade.ts'
import { checkLimit } from '../graphql/paging.ts'
import { listOfBodies, readBody } from '../storage/bodies/read.ts'
import { listedTrade } from '../storage/bodies/trade.ts'
import { listAge } from '../storage/models/completeness.ts'
import { oldestComparedAge } from '../storage/models/order/mirror.ts'
import { oneOrder } from '../storage/models/order/relations.ts'
import { isCompleteFor, pageOfTrades, type TradeFilter, unknownOfTrades } from '../storage/models/trade.ts'
import { trades } from './openapi/body-schemas.ts'
import type { Operations, WrittenOperation } from './openapi/operation.ts'
import { anyAddress, anyOrderUid, pageParameters } from './openapi/parameters.ts'
import { sample } from './openapi/sample.ts'
import { listAnswer } from './routing/completeness.ts'
import type { StoredRoute } from './routing/endpoint.ts'
import { readAddress, readPage, readUid } from './routing/request.ts'
import type { RestRequest } from './routing/route.ts'

const tradeList = listOfBodies(listedTrade)

export const tradeRoutes: StoredRoute[] = ['v1', 'v2'].map((version) => ({
  on: `GET /api/${version}/trades`,
  items: ({ query }) => pageOf(version, query).limit,
  read: async ({ query }, { db, network: { chainId }, ambient, readAccount, readOrders, client }) => {
    const filter = readFilter(query)
    const { offset, limit } = pageOf(version, query)
    checkLimit(limit, 'InvalidLimit')
    await ('owner' in filter ? readAccount?.(filter.owner, client) : readOrders?.([filter.orderUid], client))
    const rows = pageOfTrades({ filter, chainId, offset, limit })
    return listAnswer(
      await readBody(db, tradeList, rows, {
        ...ambient,
        columns: [isCompleteFor(filter, [chainId]), ageOf(filter, chainId), unknownOfTrades(rows)],
      }),
    )
  },
}))

const ageOf = (filter: TradeFilter, chainId: number) =>
  'owner' in filter
    ? listAge(filter.owner, chainId)
    : oldestComparedAge(oneOrder({ uid: filter.orderUid, chainId }))

/** Returns the maximum page for v1, which has no pages. */
function pageOf(version: string, query: RestRequest['query']) {
  return version === 'v1' ? { offset: 0, limit: 1_000 } : readPage(query)
}

/** @throws Refusal InvalidParameter, InvalidTradeFilter */
function readFilter(query: RestRequest['query']): TradeFilter {
  const [owner, orderUid] = [query.get('owner'), query.get('orderUid')]
  const filter = {
    ...(owner !== null && { owner: readAddress('owner', owner) }),
    ...(orderUid !== null && { orderUid: readUid('orderUid', orderUid) }),
  }
  if ((owner === null) === (orderUid === null)) {
    throw new Refusal('InvalidTradeFilter', 'give exactly one of owner and orderUid')
  }
  return filter as TradeFilter
}

const tradeOfSettled = {
  blockNumber: 109,
  logIndex: 3,
  sellAmount: '1000000000000000000',
  sellAmountBeforeFees: '1000000000000000000',
  buyAmount: '2940000000',
  orderUid:
    '0xb8d5324dba0b1933165ed1dea75ac1a296070f2f44b36a1127d594e7afcbd36570997970c51812dc3a010c7d01b50e0d17dc79c877359400',
  owner: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
  txHash: '0xabababababababababababababababababababababababababababababababab',
  sellToken: '0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
  buyToken: '0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb',
  executedProtocolFees: [
    {
      policy: { surplus: { factor: 0.5, maxVolumeFactor: 0.01 } },
      amount: '20000000',
      token: '0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb',
    },
  ],
}

const filter = {
  owner: { description: 'Trades of this account’s orders.', schema: anyAddress },
  orderUid: { description: tradesOfOrder, schema: anyOrderUid },
}

const shared: Omit<WrittenOperation, 'id' | 'summary'> = {
  answers: {
    200: {
      description: 'Newest first.',
      schema: trades,
      headers: ['Age', 'X-Is-Complete', 'X-Unknown-Members'],
    },
  },
  examples: {
    ofOrder: {
      summary: 'Trades of one order',
      query: { orderUid: sample.settled },
      answer: [tradeOfSettled],
    },
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
    description: refusalCodes.InvalidTradeFilter.description,
    query: { ...filter, ...pageParameters },
    codes: ['InvalidTradeFilter', 'InvalidLimit'],
  },
  'GET /api/v1/trades': {
    ...shared,
    id: 'tradesV1',
    summary: 'Trades, without pages',
    description: `The newest 1000. ${refusalCodes.InvalidTradeFilter.description}`,
    query: filter,
    codes: ['InvalidTradeFilter'],
  },
}
