import type { Address } from '../../domain/address.ts'
import { orderStatuses } from '../../domain/order-status.ts'
import type { OrderUid } from '../../domain/order-uid.ts'
import { bytea } from '../columns.ts'
import { type Db, readPrepared } from '../database.ts'
import { listOf } from '../story-rows.ts'
import type { TradeFilter } from '../trades.ts'
import { amount, hex } from './expressions.ts'
import { type Noun, objectOf, objectWithOptional, pairsOf, selectionSql } from './noun.ts'
import { interactions, order, quote, statusIn } from './order-nouns.ts'
import { attempt, event, execution, feePolicy, proposedSolution, trade } from './story-nouns.ts'

/** Bodies of REST routes as the database writes them. The shapes are those of the adapter's writers; a test holds the two equal. */

const words = Object.fromEntries(orderStatuses.map((status) => [status, status])) as Parameters<
  typeof statusIn
>[0]

/** Everything asked of a noun that has no further arguments. */
function whole(noun: Noun): string {
  const leaves = Object.keys(noun.leaves).map((field) => ({ key: field, field, selection: [] }))
  const children = Object.entries(noun.children).map(([field, { noun: inner }]) => ({
    key: field,
    field,
    selection: Object.keys(inner().leaves).map((name) => ({ key: name, field: name, selection: [] })),
  }))
  const compiled = selectionSql(noun, [...leaves, ...children])
  if (!compiled) throw new TypeError(`${noun.name} is not hot`)
  return compiled.json
}

/** Nobody but the service places orders yet, so that whoever placed one on chain is left out. */
const { validFrom = '', quoteId = '', onchainUser: _user, ...orderLeaves } = order.leaves
const quoteOf = `(SELECT ${objectOf(pairsOf(quote.leaves))} FROM order_quotes q WHERE q.order_id = o.id)`

const orderWith = (optional: Record<string, string>) =>
  objectWithOptional(
    [
      ...pairsOf({
        ...orderLeaves,
        kind: 'o.kind',
        class: 'o.class',
        status: statusIn(words),
        signingScheme: 'o.signing_scheme',
        sellTokenBalance: 'o.sell_token_balance',
        buyTokenBalance: 'o.buy_token_balance',
        sellToken: hex('o.sell_token'),
        buyToken: hex('o.buy_token'),
      }),
      `'interactions', ${whole(interactions)}`,
    ],
    { validFrom, quoteId, ...optional },
  )

const listedOrder = orderWith({})
const wholeOrder = orderWith({ quote: quoteOf })

const { reason = '', ...eventLeaves } = event.leaves
const { endTimestamp = '', endBlock = '', outcome = '', ...attemptLeaves } = attempt.leaves
const { kind: _kind, ...factors } = feePolicy.leaves
const { txHash = '', auctionId = '', orderUid: _uid, owner: _owner, ...tradeLeaves } = trade.leaves

const auctionReport = objectOf([
  `'id', a.id, 'block', a.block, 'deadline', a.deadline_block`,
  `'nativePrices', (SELECT coalesce(json_object_agg(${hex('np.token')}, ${amount('np.price')}), '{}')
    FROM auction_prices np WHERE np.auction_id = a.id AND np.token IN (o.sell_token, o.buy_token))`,
  `'proposedSolutions', ${listOf(`SELECT ${whole(proposedSolution)} AS json FROM solution_executions px
    JOIN solutions s ON s.auction_id = px.auction_id AND s.uid = px.solution_uid
    WHERE px.order_id = o.id AND px.auction_id = a.id ORDER BY s.uid`)}`,
  `'executions', ${listOf(`SELECT ${whole(execution)} AS json FROM executions x WHERE x.order_id = o.id AND x.auction_id = a.id`)}`,
  `'settlementAttempts', ${listOf(`SELECT ${objectWithOptional(pairsOf(attemptLeaves), { endTimestamp, endBlock, outcome })} AS json
    FROM settlement_attempts t WHERE t.auction_id = a.id ORDER BY t.started_at, t.solution_uid`)}`,
  `'feePolicies', ${listOf(`SELECT ${objectWithOptional([`'kind', p.kind`], factors)} AS json
    FROM fee_policies p WHERE p.order_id = o.id AND p.auction_id = a.id ORDER BY p.position`)}`,
])

const debugReport = objectOf([
  `'orderUid', ${hex('o.uid')}`,
  `'order', ${wholeOrder}`,
  `'events', ${listOf(`SELECT ${objectWithOptional(pairsOf({ ...eventLeaves, label: 'ev.label' }), { reason })} AS json
    FROM order_events ev WHERE ev.order_id = o.id ORDER BY ev.timestamp, ev.id`)}`,
  `'auctions', ${listOf(`SELECT ${auctionReport} AS json FROM auction_orders ao JOIN auctions a ON a.id = ao.auction_id
    WHERE ao.order_id = o.id ORDER BY a.id`)}`,
  `'trades', ${listOf(`SELECT ${objectWithOptional(pairsOf(tradeLeaves), { txHash, auctionId })} AS json
    FROM trades tr WHERE tr.order_id = o.id ORDER BY tr.block_number DESC, tr.log_index DESC LIMIT 100`)}`,
])

/** A policy tagged from outside by its kind. The quote is the order's, zero where it has none. */
const taggedPolicy = `CASE p.kind
  WHEN 'surplus' THEN json_build_object('surplus', json_build_object(
    'factor', ${factors.surplusFactor}, 'maxVolumeFactor', ${factors.surplusMaxVolumeFactor}))
  WHEN 'volume' THEN json_build_object('volume', json_build_object('factor', ${factors.volumeFactor}))
  ELSE json_build_object('priceImprovement', json_build_object(
    'factor', ${factors.priceImprovementFactor}, 'maxVolumeFactor', ${factors.priceImprovementMaxVolumeFactor},
    'quote', coalesce((SELECT json_build_object('fee', ${amount('q.fee_amount')}, 'sellAmount', ${amount('q.sell_amount')},
      'buyAmount', ${amount('q.buy_amount')}) FROM order_quotes q WHERE q.order_id = tr.order_id),
      '{"fee": "0", "sellAmount": "0", "buyAmount": "0"}'))) END`

const listedTrade = objectOf([
  ...pairsOf({
    ...tradeLeaves,
    orderUid: hex('tr.order_uid'),
    owner: hex('tr.owner'),
    txHash,
    sellToken: hex('tr.sell_token'),
    buyToken: hex('tr.buy_token'),
  }),
  `'executedProtocolFees', ${listOf(`SELECT json_build_object('policy', ${taggedPolicy}, 'amount', ${amount('pf.amount')},
      'token', ${hex('pf.token')}) AS json
    FROM executions x, unnest(x.protocol_fee_tokens, x.protocol_fee_amounts) WITH ORDINALITY AS pf(token, amount, place)
    JOIN fee_policies p ON p.order_id = tr.order_id AND p.auction_id = tr.auction_id
    WHERE x.order_id = tr.order_id AND x.auction_id = tr.auction_id AND p.position = pf.place - 1 ORDER BY pf.place`)}`,
])

const oneOrder = (json: string) =>
  `SELECT ${json}::text FROM orders o WHERE o.uid = $2 AND o.chain_id = $3 AND $1::bigint IS NOT NULL`

const statements = {
  order: oneOrder(wholeOrder),
  debugReport: oneOrder(debugReport),
  accountOrders: `SELECT ${listedOrder}::text FROM orders o
    WHERE o.owner = $2 AND o.chain_id = $3 AND $1::bigint IS NOT NULL
    ORDER BY o.created_at DESC, o.id DESC LIMIT $4 OFFSET $5`,
  tradesOf: (column: string) => `SELECT ${listedTrade}::text FROM trades tr
    WHERE ${column} = $1 AND tr.chain_id = $2 AND tr.order_id IS NOT NULL
    ORDER BY tr.block_number DESC, tr.log_index DESC LIMIT $3 OFFSET $4`,
}
const tradesByOwner = statements.tradesOf('tr.owner')
const tradesByOrder = statements.tradesOf('tr.order_uid')

export type OrderText = 'order' | 'debugReport'

/** null when there is no such order. `now` in Unix seconds. */
export async function orderText(
  db: Db,
  what: OrderText,
  given: { uid: OrderUid; chainId: number; now: number },
): Promise<string | null> {
  const [row] = await readPrepared<[string]>(db, statements[what], [
    given.now,
    bytea(given.uid),
    given.chainId,
  ])
  return row ? row[0] : null
}

export interface TextPage {
  offset: number
  limit: number
}

export async function accountOrdersText(
  db: Db,
  { chainId, owner, now }: { chainId: number; owner: Address; now: number },
  { offset, limit }: TextPage,
): Promise<string> {
  return listText(
    await readPrepared<[string]>(db, statements.accountOrders, [now, bytea(owner), chainId, limit, offset]),
  )
}

export async function tradesText(
  db: Db,
  chainId: number,
  filter: TradeFilter,
  { offset, limit }: TextPage,
): Promise<string> {
  const [statement, subject] =
    'owner' in filter ? [tradesByOwner, filter.owner] : [tradesByOrder, filter.orderUid]
  return listText(await readPrepared<[string]>(db, statement, [bytea(subject), chainId, limit, offset]))
}

function listText(rows: readonly [string][]): string {
  return `[${rows.map(([json]) => json).join(',')}]`
}
