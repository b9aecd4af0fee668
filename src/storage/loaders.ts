import DataLoader from 'dataloader'
import type { Address } from '../domain/address.ts'
import type { Bytes32 } from '../domain/hex.ts'
import type { Order } from '../domain/order.ts'
import type { OrderUid } from '../domain/order-uid.ts'
import type { Token } from '../domain/token.ts'
import { findAppDataMany } from './app-data.ts'
import {
  attemptsOfAuctions,
  auctionsOfOrders,
  executionsOfAuctions,
  findAuctions,
  ordersOfAuctions,
  pricesOfAuctions,
  solutionsOfAuctions,
} from './auctions.ts'
import type { Db } from './database.ts'
import { eventsOfOrders } from './events.ts'
import { findOrders, findOrdersById } from './orders.ts'
import { storiesOfOrders } from './story.ts'
import { tradesOfOrders } from './trades.ts'

/** Metadata of tokens of one chain, read together. What is missing from the answer is not known. */
export type ReadTokens = (chainId: number, addresses: readonly Address[]) => Promise<Map<Address, Token>>

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
export function createLoaders(db: Db, readTokens: ReadTokens, proceed: () => void) {
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
    ordersOfAuction: lists(ordersOfAuctions, ({ auctionId }) => auctionId),
    appData: loader(async (hashes: readonly Bytes32[]) => {
      const documents = await findAppDataMany(db, hashes)
      return hashes.map((hash) => documents.get(hash) ?? null)
    }),
    token: loader<TokenKey, Token | undefined, string>((keys) => loadTokens(keys, readTokens), {
      cacheKeyFn: ({ chainId, address }) => `${chainId}:${address}`,
    }),
  }
}

async function loadTokens(
  keys: readonly TokenKey[],
  readTokens: ReadTokens,
): Promise<(Token | undefined | Error)[]> {
  const chains = [...groupBy(keys, ({ chainId }) => chainId)]
  const reads = chains.map(async ([chainId, wanted]) => {
    const tokens = readTokens(
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

function inOrder<Key, Row>(
  keys: readonly Key[],
  rows: readonly Row[],
  keyOf: (row: Row) => Key,
): (Row | undefined)[] {
  const byKey = new Map(rows.map((row) => [keyOf(row), row]))
  return keys.map((key) => byKey.get(key))
}
