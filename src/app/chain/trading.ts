import { Refusal } from '../../domain/errors/error.ts'
import type { TradingServices } from '../../graphql/context/networks.ts'
import type { StoredBytes } from '../../graphql/context/stored-bytes.ts'
import type { MirrorClient } from '../../mirror/mirror.ts'
import type { StoreDocument } from '../../mirror/read-through.ts'
import { cancelByPolicy, cancelOrder, cancelOrders } from '../../orders/cancel.ts'
import { placedSince, placeOrder } from '../../orders/place.ts'
import { quote, quoteStream, replyTo } from '../../quotes/quote.ts'
import type { Database } from '../../storage/database/database.ts'
import type { NetworkParts } from '../network.ts'
import { checkReadiness } from '../observing/monitoring.ts'
import type { Mirror } from './mirror.ts'

/** Limits on what is stored for clients, and the way of documents that they cause to be read. */
interface Storing {
  stored: StoredBytes
  storeDocument: StoreDocument
}

/** Services of one network for the interfaces. */
export function tradingOf(parts: NetworkParts, db: Database, storing: Storing): TradingServices {
  const { orderServices, quoteServices, tokenData, market, holdings, simulations, mirror } = parts
  return {
    network: parts.network,
    placeOrder: (creation, meter) => placeOrder(creation, { ...orderServices, meter }),
    placedSince: (creation, since) => placedSince(creation, since, orderServices),
    cancelOrder: (cancellation) => cancelOrder(cancellation, orderServices),
    cancelOrders: (cancellation) => cancelOrders(cancellation, orderServices),
    cancelByPolicy: (cancellation) => cancelByPolicy(cancellation, orderServices),
    quote: (request, meter) => quote(request, quoteServices, meter),
    quotes: (request, signal, meter) => quoteStream(request, quoteServices, signal, meter),
    ...simulations,
    storedQuote: (id, from) => replyTo(from, id, quoteServices),
    tokens: parts.tokens,
    nativeRates: parts.nativeRates,
    ...tokenData,
    ...market.services,
    ...holdings,
    poolFigures: parts.poolCounts.figures,
    watchBalances: parts.balances.subscribe,
    watchPrices: parts.prices.subscribe,
    ...(mirror && followed(mirror, parts, storing)),
    ready: async () => Object.values(await checkReadiness([parts], db)).every(Boolean),
  }
}

/** Services of a network whose order book is run elsewhere: writes are passed on. */
function followed(
  {
    writes,
    read,
    readAccount,
    hasReadAccount,
    readTransaction,
    readCompetition,
    documentReader,
    passOn,
  }: Mirror,
  { network }: NetworkParts,
  { stored, storeDocument }: Storing,
): Partial<TradingServices> {
  const readDocument = documentReader(storeDocument)
  const clientOf = (key: string): MirrorClient => ({
    key,
    checkRoom: () => stored.check('orders', key),
    addStored: (textBytes) => stored.add('orders', key, textBytes),
  })
  return {
    ...writes,
    readOrders: (uids, client) => read(uids, clientOf(client)),
    readAccount: (owner, client) => readAccount(owner, clientOf(client)),
    hasReadAccount,
    readTransaction: (hash, client) => readTransaction(hash, clientOf(client)),
    readAuction: (number, client) => readCompetition(`${number}`, clientOf(client)),
    readDocument: (hash, client) => readDocument(hash, clientOf(client)),
    passOn,
    cancelByPolicy: () =>
      Promise.reject(
        new Refusal(
          'FeatureDisabled',
          `the order book of ${network.name} is not run here: its operator cancels orders`,
        ),
      ),
  }
}
