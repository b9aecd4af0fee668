import { orderUid } from '../../query/codec.ts'
import { column, type Model, type Relation } from '../../query/model.ts'
import { modelNamed } from '../../query/registry.ts'
import { orderAuctions } from '../auction/auction.ts'
import { auctionReport, auctionReportsKey } from '../auction/report.ts'
import { orderTrades } from '../trade/trade.ts'
import { orderEvents } from './event.ts'
import { orderHooks } from './hook.ts'

const relations: Record<string, Relation> = {
  order: { kind: 'same', model: modelNamed('Order'), description: 'The order.' },
  events: { ...orderEvents, description: 'Its events, oldest first.' },
  auctions: {
    kind: 'page',
    model: () => auctionReport,
    rows: orderAuctions,
    key: auctionReportsKey,
    description: 'The auctions that held it, by id, with what concerns it.',
  },
  trades: { ...orderTrades, description: 'Its trades, newest first.' },
  hooks: orderHooks,
}

/** Of order `o`. */
export const debugReport: Model = {
  name: 'DebugReport',
  description: 'Everything that happened to one order, read in one statement.',
  fields: { orderUid: column(orderUid, 'o.uid', 'The order’s UID.') },
  relations,
}
