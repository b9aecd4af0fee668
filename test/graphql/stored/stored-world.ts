import fc from 'fast-check'
import { defaultProgramme } from '../../../src/domain/affiliate/affiliate.ts'
import type { Address } from '../../../src/domain/evm/address.ts'
import { keccakText } from '../../../src/domain/evm/keccak.ts'
import { type NotificationType, notificationTypes } from '../../../src/domain/notification/notification.ts'
import { cancellationReason, cancellationSources } from '../../../src/domain/order/event.ts'
import type { Order, OrderUid } from '../../../src/domain/order/order.ts'
import { insertAffiliate } from '../../../src/storage/affiliate/affiliates.ts'
import { bytea } from '../../../src/storage/database/columns.ts'
import { type Database, sql } from '../../../src/storage/database/database.ts'
import {
  detachNotifications,
  recordNotifications,
  revertDetached,
} from '../../../src/storage/notifications.ts'
import { pricedToken, randomStory, storeStory } from '../../fakes/random-story.ts'
import { storeTokens } from '../../fakes/stored-tokens.ts'

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
  await storeStandings(db)
  await storeMirror(db)
  await storeMarketPrices(db)
  await storeNotifications(db, orders)
  await storeAffiliates(db, [first.owner, others.at(-1)?.owner ?? first.owner])
  await storeHistories(db)
  await moveHead(db)
}

/**
 * Every second order has the first one's owner; the first is in the others' auctions, and two trade the same
 * pair.
 */
async function share(db: Database, { id, owner, sellToken, buyToken }: Order, others: readonly Order[]) {
  const shared = others.filter((_, index) => index % 2 === 0).map((order) => order.id)
  const data = { owner: bytea(owner) }
  await sql(db).order.updateMany({ where: { id: { in: shared } }, data: { ...data, appCode: 'an app' } })
  await sql(db).trade.updateMany({ where: { orderId: { in: shared } }, data })
  const pair = { sellToken: bytea(sellToken), buyToken: bytea(buyToken) }
  await sql(db).order.updateMany({ where: { id: { in: shared.slice(0, 2) } }, data: pair })
  await sql(db).$executeRaw`
    INSERT INTO auction_orders (order_id, auction_id) SELECT ${id}, id FROM auctions`
  await sql(db).$executeRaw`
    INSERT INTO solution_executions (order_id, auction_id, solution_uid, executed_sell, executed_buy)
    SELECT ${id}, auction_id, uid, uid + 1, uid + 2 FROM solutions WHERE uid < 2 ON CONFLICT DO NOTHING`
  await sql(db).$executeRaw`
    UPDATE solutions SET clearing_prices = jsonb_build_object(${sellToken}::text, '7', ${buyToken}::text, (uid + 3)::text) WHERE uid > 0`
}

/** Of every second order, in auctions or not, with all figures or none. */
async function storeStandings(db: Database): Promise<void> {
  await sql(db).$executeRaw`
    INSERT INTO order_standings (order_id, chain_id, reason, since, updated_at, market_gap, fee_share, missing, funds_taken_by,
      routed_sell, routed_buy, routed_block)
    SELECT id, chain_id, CASE WHEN id % 4 = 0 THEN 'insufficient_balance' END, created_at, now(), CASE WHEN id % 3 > 0 THEN 1250 - id END,
      CASE WHEN id % 3 > 0 THEN 50000 END, CASE WHEN id % 4 = 0 THEN sell_amount END, CASE WHEN id % 4 = 0 THEN id - 1 END,
      CASE WHEN id % 3 > 0 THEN sell_amount END, CASE WHEN id % 3 > 0 THEN buy_amount + id END, CASE WHEN id % 3 > 0 THEN id END
    FROM orders WHERE id % 2 = 0`
}

/** Of every third order: signed or not, with a document, a fee, or neither. */
async function storeMirror(db: Database): Promise<void> {
  await sql(db).$executeRaw`
    INSERT INTO order_books (chain_id, url, client_calls_at, own_calls_at, paused_until, looked_at)
    SELECT DISTINCT chain_id, 'https://order-book.example/sepolia', now(), now() + interval '9 seconds', now(), now() FROM orders`
  await sql(db).$executeRaw`UPDATE orders SET signing_scheme = 'eip1271' WHERE id % 2 = 1`
  await sql(db).$executeRaw`
    INSERT INTO mirrored_orders (order_id, chain_id, compared_at, is_live, executed_fee, is_signed, unverified_document)
    SELECT id, chain_id, created_at, id % 2 = 0, CASE WHEN id % 2 = 0 THEN id END, CASE WHEN id % 4 > 0 THEN id % 4 = 1 END,
      CASE WHEN id % 2 = 0 THEN '{"a":"document"}' END FROM orders WHERE id % 3 = 0`
}

/** Stores that every account of the world was read; one outside of it is not. */
async function storeHistories(db: Database): Promise<void> {
  await sql(db).$executeRaw`
    INSERT INTO account_histories (chain_id, account, unread_to, turn_at, is_listed, read_at, listed_to)
    SELECT DISTINCT b.chain_id, a.account, -1, now(), true, timestamptz '2040-01-01', now() FROM order_books b, (
      SELECT owner AS account FROM orders UNION SELECT owner FROM trades UNION SELECT wallet FROM affiliates
    ) a`
}

/** Of the tokens of every order, at six times before and after its placement; some tokens lack some times. */
async function storeMarketPrices(db: Database): Promise<void> {
  await sql(db).$executeRaw`
    INSERT INTO price_series (chain_id, token)
    SELECT DISTINCT chain_id, token FROM orders, unnest(ARRAY[sell_token, buy_token]) token ON CONFLICT DO NOTHING`
  await sql(db).$executeRaw`
    INSERT INTO market_prices (series_id, at, price)
    SELECT s.id, m.at + n * interval '5 minutes', (s.id * 7 + n) % 50 FROM price_series s,
      (SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY created_at) AS at FROM orders) m, generate_series(-2, 3) n
    WHERE (s.id + n) % 4 > 0`
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
  await sql(db)
    .$executeRaw`UPDATE settlements SET gas_used = 100000 + log_index, effective_gas_price = 7, is_measured = true
    WHERE block_number % 2 = 0`
  await sql(db).$executeRaw`
    INSERT INTO settlement_amounts (chain_id, block_number, log_index, position, kind, policy, token, amount, value)
    SELECT chain_id, block_number, log_index, k.position, k.kind, k.policy, solver, k.amount, k.value FROM settlements,
      (VALUES (0, 'network', NULL, 5, 4), (1, 'protocol', 'priceImprovement', 6, NULL), (2, 'slippage', NULL, -7, -9))
        AS k(position, kind, policy, amount, value)`
  await sql(db).$executeRaw`
    INSERT INTO settlement_bookings (auction_id, solution_uid, token, network_fee, protocol_fee, internalized, least, change)
    SELECT auction_id, solution_uid, k.token, 5, 6, -1, -2, k.change FROM settlement_attempts,
      (VALUES ('\\x22'::bytea, NULL), ('\\x11', 4)) AS k(token, change)`
  await sql(db).$executeRaw`
    INSERT INTO trades (chain_id, block_number, log_index, order_id, order_uid, owner, sell_token, buy_token, sell_amount, buy_amount, fee_amount, tx_hash)
    SELECT chain_id, block_number, log_index + 50, NULL, order_uid, owner, sell_token, buy_token, 1, 1, 0, tx_hash FROM trades LIMIT 1`
}

async function storeProse(db: Database, { id, uid }: Order): Promise<void> {
  const replacement = { by: 'replacement' as const, uid }
  const invalidated = { by: 'chain' as const, blockNumber: 3, txHash: keccakText('tx') }
  const timestamp = new Date(1_799_000_000_250)
  await sql(db).orderEvent.createMany({
    data: [
      { orderId: id, label: 'cancelled', reason: 'because "I"\\ say so', timestamp },
      { orderId: id, label: 'invalid', reason: 'banned_user', timestamp },
      { orderId: id, label: 'cancelled', reason: cancellationReason(replacement), timestamp },
      { orderId: id, label: 'cancelled', reason: cancellationReason(invalidated), timestamp },
      { orderId: id, label: 'cancelled', reason: null, timestamp },
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
      metadata: {
        orderId: uid,
        chainId,
        ...metadataOf(kind + index, type, uid, orders[0]?.sellToken),
        nested: { b: [1, null], a: '"' },
      },
      blockNumber: type === 'order_filled' && index < 2 ? 5 : null,
    })),
  )
  await db.transaction((tx) => recordNotifications(tx, items))
  await sql(db).$executeRaw`UPDATE notifications SET read_at = timestamp + interval '1 hour' WHERE id % 3 = 0`
  await db.transaction(async (tx) => {
    await detachNotifications(tx, orders[0]?.chainId ?? 0, 4)
    await revertDetached(tx, orders[0]?.chainId ?? 0, 10)
  })
}

function metadataOf(step: number, type: NotificationType, uid: OrderUid, token: Address | undefined): object {
  const amounts = {
    token,
    reference: 'quote',
    referenceAmount: '1000',
    improvementAmount: '21',
    improvementShare: '0.021',
    ...(step % 3 !== 0 && { isFilled: step % 2 === 0 }),
    ...(step % 2 === 0 && {
      quotedAmount: '1022',
      quoteImprovementAmount: '-1',
      quoteImprovementShare: '-0.000979',
    }),
  }
  if (type === 'price_improvement') return amounts
  if (type === 'insufficient_balance')
    return { token, ...(step % 2 === 0 ? { missingBalance: '7' } : { missingAllowance: '8' }) }
  const parts = {
    wasPlaced: step % 2 === 0,
    failedParts: 3,
    ...(step % 2 === 0 && { partIndex: 7, partCount: 4_294_967_295 }),
  }
  const ending = { filledParts: 2, executedSellAmount: '5', executedBuyAmount: '6', removedBlock: 9 }
  if (type === 'part_failed')
    return { ...parts, ...(step % 3 === 0 && { reason: 'late', validTo: 4_294_967_295 }) }
  if (type.startsWith('programmatic_')) return { ...ending, partCount: 5 }
  const all = {
    ...(type === 'part_filled' && parts),
    executedAmount: '12',
    txHash: keccakText('tx'),
    validTo: 4_294_967_295,
    reason: 'no "reason"',
    source: cancellationSources[step % 4],
    ...(step % 2 === 0 && { replacedBy: uid }),
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

/** The head of the feed, which no entry has. */
export const headPlace = 1_000_000n

async function moveHead(db: Database): Promise<void> {
  await sql(db).feedMark.create({ data: { feed: 'account', key: Buffer.from('none'), place: headPlace } })
}
