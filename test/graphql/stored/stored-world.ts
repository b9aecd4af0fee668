import fc from 'fast-check'
import { defaultProgramme } from '../../../src/domain/affiliate/affiliate.ts'
import type { Address } from '../../../src/domain/evm/address.ts'
import { keccakText } from '../../../src/domain/evm/keccak.ts'
import { notificationTypes } from '../../../src/domain/notification.ts'
import type { Order } from '../../../src/domain/order/order.ts'
import { insertAffiliate } from '../../../src/storage/affiliate/affiliates.ts'
import { bytea } from '../../../src/storage/database/columns.ts'
import { type Database, sql } from '../../../src/storage/database/database.ts'
import { detachNotifications, recordNotifications, revertDetached } from '../../../src/storage/feed.ts'
import { pricedToken, randomStory, storeStory } from '../../fakes/random-story.ts'
import { storeTokens } from '../../fakes/stored-tokens.ts'
import { eventually } from '../../setup/eventually.ts'

/** Random stories that share owners, tokens, auctions and transactions, and all other stored rows. */
export async function storeWorld(db: Database, seed: number): Promise<void> {
  const stories = fc.sample(randomStory, { seed, numRuns: 9 })
  const orders: Order[] = []
  for (const story of stories) orders.push(await storeStory(db, story))
  const [first, ...others] = orders
  if (!first) throw new Error('no story')
  await share(db, first, others)
  await storeTokensOf(db, orders)
  await storeSettlements(db)
  await storeProse(db, first)
  await storeNotifications(db, orders)
  await storeAffiliates(db, [first.owner, others.at(-1)?.owner ?? first.owner])
  await feedIsSettled(db)
}

/** Every second order has the first one's owner; the first is in the others' auctions, and two trade the same pair. */
async function share(db: Database, { id, owner, sellToken, buyToken }: Order, others: readonly Order[]) {
  const shared = others.filter((_, index) => index % 2 === 0).map((order) => order.id)
  const data = { owner: bytea(owner) }
  await sql(db).order.updateMany({ where: { id: { in: shared } }, data: { ...data, appCode: 'an app' } })
  await sql(db).trade.updateMany({ where: { orderId: { in: shared } }, data })
  const pair = { sellToken: bytea(sellToken), buyToken: bytea(buyToken) }
  await sql(db).order.updateMany({ where: { id: { in: shared.slice(0, 2) } }, data: pair })
  await sql(db).$executeRaw`
    INSERT INTO auction_orders (order_id, auction_id) SELECT ${id}, id FROM auctions ON CONFLICT DO NOTHING`
  await sql(db).$executeRaw`
    INSERT INTO solution_executions (order_id, auction_id, solution_uid, executed_sell, executed_buy)
    SELECT ${id}, auction_id, uid, uid + 1, uid + 2 FROM solutions WHERE uid < 2 ON CONFLICT DO NOTHING`
}

/** Every token that a row names: for a missing one, resolvers would ask the chain and read more. */
async function storeTokensOf(db: Database, orders: readonly Order[]): Promise<void> {
  const priced = { address: pricedToken, symbol: 'P', name: 'Priced', decimals: 0 }
  const chainIds = [...new Set(orders.map(({ chainId }) => chainId))]
  await storeTokens(
    db,
    chainIds.map((chainId) => ({ chainId, ...priced })),
  )
  await storeTokens(
    db,
    orders.flatMap(({ chainId, sellToken, buyToken }) => [
      { chainId, address: sellToken, symbol: 'S "1"\\', name: null, decimals: 18 },
      { chainId, address: buyToken, symbol: null, name: 'B\n\u0007ü', decimals: null },
    ]),
  )
}

/** A transaction for each block of trades; the first one settles two auctions. */
async function storeSettlements(db: Database): Promise<void> {
  await sql(db).$executeRaw`UPDATE trades SET tx_hash = decode(lpad(to_hex(block_number), 64, '0'), 'hex')`
  await sql(db).$executeRaw`
    INSERT INTO settlements (chain_id, block_number, log_index, solver, tx_hash, auction_id, solution_uid)
    SELECT chain_id, block_number, log_index + 100, owner, tx_hash, auction_id, CASE WHEN auction_id IS NULL THEN NULL ELSE 0 END
    FROM trades`
  await sql(db).$executeRaw`
    INSERT INTO trades (chain_id, block_number, log_index, order_id, order_uid, owner, sell_token, buy_token, sell_amount, buy_amount, fee_amount, tx_hash)
    SELECT chain_id, block_number, log_index + 50, NULL, order_uid, owner, sell_token, buy_token, 1, 1, 0, tx_hash FROM trades LIMIT 1`
}

async function storeProse(db: Database, { id }: Order): Promise<void> {
  const timestamp = new Date(1_799_000_000_250)
  await sql(db).orderEvent.createMany({
    data: [
      { orderId: id, label: 'cancelled', reason: 'because "I"\\ say so', timestamp },
      { orderId: id, label: 'invalid', reason: 'banned_user', timestamp },
    ],
  })
}

async function storeNotifications(db: Database, orders: readonly Order[]): Promise<void> {
  const items = orders.flatMap(({ uid, owner, chainId }, index) =>
    notificationTypes.map((type, kind) => ({
      cause: `${type}:${uid}`,
      account: index % 2 === 0 ? (orders[0]?.owner ?? owner) : owner,
      type,
      message: `it is "${type}"\\`,
      timestamp: new Date(1_799_000_000_000 + kind * 500 + index),
      metadata: { orderId: uid, chainId, ...metadataOf(kind + index), nested: { b: [1, null], a: '"' } },
      blockNumber: type === 'order_filled' && index < 2 ? 5 : null,
    })),
  )
  await db.transaction((tx) => recordNotifications(tx, items))
  await db.transaction(async (tx) => {
    await detachNotifications(tx, orders[0]?.chainId ?? 0, 4)
    await revertDetached(tx, orders[0]?.chainId ?? 0, 10)
  })
}

function metadataOf(step: number): object {
  const all = {
    executedAmount: '12',
    txHash: keccakText('tx'),
    validTo: 4_294_967_295,
    reason: 'no "reason"',
  }
  return step % 3 === 0 ? {} : all
}

async function storeAffiliates(db: Database, wallets: readonly Address[]): Promise<void> {
  for (const [index, wallet] of wallets.entries()) {
    await insertAffiliate(db, {
      ...defaultProgramme,
      rewardAmount: '20.123456789012345678',
      revenueSplitAffiliatePct: '33.33',
      revenueSplitTraderPct: '66.67',
      wallet,
      code: `CODE-${index}`,
      enabled: index === 0,
      createdAt: new Date(1_799_000_000_000 + index),
      digest: keccakText(`digest ${wallet}`),
      signedMessage: '0x00',
    })
  }
}

/** A feed is readable up to the oldest running transaction in any database of the server. */
async function feedIsSettled(db: Database): Promise<void> {
  await eventually('the feed is settled', async () => {
    const [row] = await sql(db).$queryRaw<{ settled: boolean }[]>`
      SELECT max(tx) < pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS settled FROM feed_entries`
    return row?.settled
  })
}
