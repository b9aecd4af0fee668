import DataLoader from 'dataloader'
import type { Address } from '../domain/address.ts'
import type { TradeWithFees } from '../domain/competition.ts'
import type { Bytes32 } from '../domain/hex.ts'
import type { NativeRate } from '../domain/native-rate.ts'
import type { Order } from '../domain/order.ts'
import type { OrderUid } from '../domain/order-uid.ts'
import type { Sourced } from '../domain/sourced.ts'
import type { Token, TokenHolder } from '../domain/token.ts'
import { findAppDataMany } from './app-data.ts'
import {
  attemptsOfAuctions,
  auctionsOfOrders,
  executionsOfAuctions,
  findAuctions,
  ordersOfAuctions,
  pricesOfAuctions,
  settlementsOfAuctions,
  solutionsOfAuctions,
} from './auctions.ts'
import { indexedBlocks } from './chain-log.ts'
import type { Db } from './database.ts'
import { eventsOfOrders } from './events.ts'
import { findNotifications } from './feed.ts'
import { progressOfOrders } from './order-stages.ts'
import { findOrders, findOrdersById } from './orders.ts'
import { callsOfOrders } from './quotes.ts'
import { storiesOfOrders } from './story.ts'
import { tokenHistories } from './tokens.ts'
import { findTrades, type TradeKey, tradesOfOrders } from './trades.ts'

/** Something about tokens of one chain, read together. What is missing from the answer is not known; an error is that token's alone. */
export type ReadTokens<Value> = (
  chainId: number,
  addresses: readonly Address[],
) => Promise<Map<Address, Value | Error>>

/** What is not in the database alone. */
export interface Outside {
  tokens: ReadTokens<Token>
  usdPrices: ReadTokens<Sourced<string>>
  topHolders: ReadTokens<Sourced<readonly TokenHolder[]>>
  nativeRates: ReadTokens<NativeRate>
}

export interface TokenKey {
  chainId: number
  address: Address
}

export type Loaders = ReturnType<typeof createLoaders>

/** A read of many keys at once. */
type Read<Key, Value> = (keys: readonly Key[]) => Promise<(Value | Error)[]>

/**
 * Reads that gather the keys of one tick into one statement. For one request: what was read once stays as it was read.
 * Lists come back in the order of their store function. `proceed` throws when nothing more is to be read.
 */
export function createLoaders(db: Db, outside: Outside, proceed: () => void) {
  const loader = <Key, Value, CacheKey = Key>(
    read: Read<Key, Value>,
    options?: DataLoader.Options<Key, Value, CacheKey>,
  ): DataLoader<Key, Value, CacheKey> =>
    new DataLoader(async (keys) => {
      proceed()
      return read(keys)
    }, options)
  const lists = <Row>(
    read: (db: Db, ids: readonly bigint[]) => Promise<Row[]>,
    key: (row: Row) => bigint,
  ): DataLoader<bigint, Row[]> =>
    loader(async (ids) => {
      const groups = groupBy(await read(db, ids), key)
      return ids.map((id) => groups.get(id) ?? [])
    })

  const ofTokens = <Value>(read: ReadTokens<Value>) =>
    loader<TokenKey, Value | undefined, string>((keys) => loadTokens(keys, read), {
      cacheKeyFn: ({ chainId, address }) => `${chainId}:${address}`,
    })

  return {
    order: loader<OrderUid, Order | undefined>(async (uids) =>
      inOrder(uids, await findOrders(db, uids), ({ uid }) => uid),
    ),
    orderById: loader<bigint, Order | undefined>(async (ids) =>
      inOrder(ids, await findOrdersById(db, ids), ({ id }) => id),
    ),
    story: loader(async (ids: readonly bigint[]) => {
      const stories = await storiesOfOrders(db, ids)
      return ids.map((id) => stories.get(id) ?? { events: [], auctions: [], trades: [] })
    }),
    quoteCalls: loader(async (ids: readonly bigint[]) => {
      const calls = await callsOfOrders(db, ids)
      return ids.map((id) => calls.get(id) ?? null)
    }),
    progress: loader(async (ids: readonly bigint[]) => {
      const progress = await progressOfOrders(db, ids)
      return ids.map((id) => progress.get(id))
    }),
    indexedBlock: loader((chainIds: readonly number[]) => indexedBlocks(db, chainIds)),
    events: lists(eventsOfOrders, ({ orderId }) => orderId),
    trades: lists(tradesOfOrders, ({ orderId }) => orderId),
    auctionsOfOrder: lists(auctionsOfOrders, ({ orderId }) => orderId),
    auction: loader(async (ids: readonly bigint[]) =>
      inOrder(ids, await findAuctions(db, ids), ({ id }) => id),
    ),
    solutions: lists(solutionsOfAuctions, ({ auctionId }) => auctionId),
    prices: lists(pricesOfAuctions, ({ auctionId }) => auctionId),
    attempts: lists(attemptsOfAuctions, ({ auctionId }) => auctionId),
    executions: lists(executionsOfAuctions, ({ auctionId }) => auctionId),
    settlements: lists(settlementsOfAuctions, ({ auctionId }) => auctionId),
    ordersOfAuction: lists(ordersOfAuctions, ({ auctionId }) => auctionId),
    appData: loader(async (hashes: readonly Bytes32[]) => {
      const documents = await findAppDataMany(db, hashes)
      return hashes.map((hash) => documents.get(hash) ?? null)
    }),
    notification: loader(async (ids: readonly string[]) =>
      inOrder(ids, await findNotifications(db, ids), ({ id }) => String(BigInt(id))),
    ),
    trade: loader<TradeKey, TradeWithFees | undefined, string>(
      async (keys) => inOrder(keys.map(tradePlace), await findTrades(db, keys), tradePlace),
      { cacheKeyFn: tradePlace },
    ),
    token: ofTokens(outside.tokens),
    usdPrice: ofTokens(outside.usdPrices),
    topHolders: ofTokens(outside.topHolders),
    nativeRate: ofTokens(outside.nativeRates),
    tokenHistory: ofTokens((chainId, addresses) => tokenHistories(db, chainId, addresses)),
  }
}

async function loadTokens<Value>(
  keys: readonly TokenKey[],
  read: ReadTokens<Value>,
): Promise<(Value | undefined | Error)[]> {
  const chains = [...groupBy(keys, ({ chainId }) => chainId)]
  const reads = chains.map(async ([chainId, wanted]) => {
    const tokens = read(
      chainId,
      wanted.map(({ address }) => address),
    )
    // One chain that does not answer takes only its own tokens with it.
    return [chainId, await tokens.catch(toError)] as const
  })
  const byChain = new Map(await Promise.all(reads))
  return keys.map(({ chainId, address }) => {
    const tokens = byChain.get(chainId)
    return tokens instanceof Error ? tokens : tokens?.get(address)
  })
}

function groupBy<Key, Row>(rows: readonly Row[], keyOf: (row: Row) => Key): Map<Key, Row[]> {
  const groups = new Map<Key, Row[]>()
  for (const row of rows) {
    const group = groups.get(keyOf(row))
    if (group) group.push(row)
    else groups.set(keyOf(row), [row])
  }
  return groups
}

function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}

function tradePlace({ chainId, blockNumber, logIndex }: TradeKey): string {
  return `${chainId}:${blockNumber}:${logIndex}`
}

function inOrder<Key, Row>(
  keys: readonly Key[],
  rows: readonly Row[],
  keyOf: (row: Row) => Key,
): (Row | undefined)[] {
  const byKey = new Map(rows.map((row) => [keyOf(row), row]))
  return keys.map((key) => byKey.get(key))
}
