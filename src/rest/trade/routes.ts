import { Refusal } from '../../domain/errors/error.ts'
import { checkLimit } from '../../graphql/relay/paging.ts'
import { listOfBodies, readBody } from '../../storage/bodies/read.ts'
import { listedTrade } from '../../storage/bodies/trade.ts'
import { pageOfTrades, type TradeFilter } from '../../storage/models/trade/roots.ts'
import { page } from '../row/page.ts'
import { readAddress, readUid } from '../row/parameters.ts'
import type { RestRequest } from '../row/route.ts'
import type { StoredRoute } from '../row/stored-route.ts'

const tradeList = listOfBodies(listedTrade)

export const tradeRoutes: StoredRoute[] = ['v1', 'v2'].map((version) => ({
  on: `GET /api/${version}/trades`,
  items: ({ query }) => pageOf(version, query).limit,
  read: async ({ query }, { db, network: { chainId }, ambient }) => {
    const filter = readFilter(query)
    const { offset, limit } = pageOf(version, query)
    checkLimit(limit, 'InvalidLimit')
    const row = await readBody(db, tradeList, pageOfTrades({ filter, chainId, offset, limit }), ambient)
    return row ? { body: row[0] } : null
  },
}))

/** v1 has no pages: it returns one of the greatest size. */
function pageOf(version: string, query: RestRequest['query']) {
  return version === 'v1' ? { offset: 0, limit: 1_000 } : page(query)
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
