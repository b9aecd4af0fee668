import type { Address } from '../../domain/address.ts'
import type { OrderUid } from '../../domain/order-uid.ts'
import { bytea } from '../columns.ts'
import { type Db, readPrepared } from '../database.ts'
import { statusWords } from '../order-status.ts'
import type { TradeFilter } from '../trades.ts'
import { amount, hex, listOf, nothing, number, word } from './expressions.ts'
import { type Leaf, type Noun, objectOf, selectionSql, textOf, textsOf } from './noun.ts'
import { contractLeaves, interactions, quote, statusIn } from './order-nouns.ts'
import { attempt, event, execution, feePolicy, proposedSolution, trade } from './story-nouns.ts'
import { literal, sql, type Text, toSql } from './text.ts'

/** Bodies of REST routes as the database writes them. The shapes are those of the adapter's writers; a test holds the two equal. */

/** Everything asked of a noun that has no further arguments. */
function whole(noun: Noun): Text {
  const leaves = Object.keys(noun.leaves).map((field) => ({ key: field, field, selection: [] }))
  const children = Object.entries(noun.children).map(([field, { noun: inner }]) => ({
    key: field,
    field,
    selection: Object.keys(inner().leaves).map((name) => ({ key: name, field: name, selection: [] })),
  }))
  const compiled = selectionSql(noun, [...leaves, ...children])
  if (!compiled) throw new TypeError(`${noun.name} is not hot`)
  return compiled.text
}

/** Members that are left out where there is nothing; all others always stand. */
function without<Key extends string>(leaves: Noun['leaves'], ...keys: Key[]) {
  const optional = Object.fromEntries(keys.map((key) => [key, leaves[key] ?? nothing]))
  return {
    always: Object.fromEntries(Object.entries(leaves).filter(([key]) => !(key in optional))),
    optional,
  }
}

/** Nobody but the service places orders yet: `onchainUser` is left out of all. */
const orderMembers = without(contractLeaves, 'validFrom', 'quoteId', 'onchainUser')
const quoteOf: Leaf = {
  text: sql(`SELECT ${toSql(whole(quote))} FROM order_quotes q WHERE q.order_id = o.id`),
}

const orderWith = (more: Record<string, Leaf>) =>
  objectOf(
    {
      ...textsOf({
        ...orderMembers.always,
        kind: word('o.kind'),
        class: word('o.class'),
        status: statusIn(statusWords),
        signingScheme: word('o.signing_scheme'),
        sellTokenBalance: word('o.sell_token_balance'),
        buyTokenBalance: word('o.buy_token_balance'),
        sellToken: hex('o.sell_token'),
        buyToken: hex('o.buy_token'),
      }),
      interactions: whole(interactions),
    },
    { ...orderMembers.optional, ...more },
  )

const listedOrder = orderWith({})
const wholeOrder = orderWith({ quote: quoteOf })

const eventMembers = without(event.leaves, 'reason')
const attemptMembers = without(attempt.leaves, 'endTimestamp', 'endBlock', 'outcome')
const { kind: _kind, ...factors } = feePolicy.leaves
const { id: _id, orderUid: _uid, owner: _owner, ...tradeLeaves } = trade.leaves
const tradeMembers = without(tradeLeaves, 'txHash', 'auctionId')

const nativePrice = [...textOf(hex('np.token')), ...literal(':'), ...textOf(amount('np.price'))]

const auctionReport = objectOf({
  ...textsOf({ id: number('a.id'), block: number('a.block'), deadline: number('a.deadline_block') }),
  nativePrices: [
    ...literal('{'),
    ...sql(`coalesce((SELECT string_agg(${toSql(nativePrice)}, ',') FROM auction_prices np
      WHERE np.auction_id = a.id AND np.token IN (o.sell_token, o.buy_token)), '')`),
    ...literal('}'),
  ],
  proposedSolutions: listOf(
    whole(proposedSolution),
    `solution_executions px JOIN solutions s ON s.auction_id = px.auction_id AND s.uid = px.solution_uid
     WHERE px.order_id = o.id AND px.auction_id = a.id ORDER BY px.solution_uid`,
  ),
  executions: listOf(whole(execution), `executions x WHERE x.order_id = o.id AND x.auction_id = a.id`),
  settlementAttempts: listOf(
    objectOf(textsOf(attemptMembers.always), attemptMembers.optional),
    `settlement_attempts t WHERE t.auction_id = a.id ORDER BY t.started_at, t.solution_uid`,
  ),
  feePolicies: listOf(
    objectOf(textsOf({ kind: word('p.kind') }), factors),
    `fee_policies p WHERE p.order_id = o.id AND p.auction_id = a.id ORDER BY p.position`,
  ),
})

const debugReport = objectOf({
  orderUid: textOf(hex('o.uid')),
  order: wholeOrder,
  events: listOf(
    objectOf(textsOf({ ...eventMembers.always, label: word('ev.label') }), eventMembers.optional),
    `order_events ev WHERE ev.order_id = o.id ORDER BY ev.timestamp, ev.id`,
  ),
  auctions: listOf(
    auctionReport,
    `auction_orders ao JOIN auctions a ON a.id = ao.auction_id WHERE ao.order_id = o.id ORDER BY a.id`,
  ),
  trades: listOf(
    objectOf(textsOf(tradeMembers.always), tradeMembers.optional),
    `trades tr WHERE tr.order_id = o.id ORDER BY tr.block_number DESC, tr.log_index DESC LIMIT 100`,
  ),
})

const factorText = (leaf: Leaf | undefined) => textOf(leaf ?? nothing)

/** The quote of a trade's order, zero where it has none. */
const quotedPrice = sql(
  `coalesce((SELECT ${toSql(
    objectOf(
      textsOf({
        fee: amount('q.fee_amount'),
        sellAmount: amount('q.sell_amount'),
        buyAmount: amount('q.buy_amount'),
      }),
    ),
  )} FROM order_quotes q WHERE q.order_id = tr.order_id), '{"fee":"0","sellAmount":"0","buyAmount":"0"}')`,
)

/** A policy tagged from outside by its kind. */
const taggedPolicy = sql(`CASE p.kind
  WHEN 'surplus' THEN ${toSql(
    objectOf({
      surplus: objectOf({
        factor: factorText(factors.surplusFactor),
        maxVolumeFactor: factorText(factors.surplusMaxVolumeFactor),
      }),
    }),
  )}
  WHEN 'volume' THEN ${toSql(objectOf({ volume: objectOf({ factor: factorText(factors.volumeFactor) }) }))}
  ELSE ${toSql(
    objectOf({
      priceImprovement: objectOf({
        factor: factorText(factors.priceImprovementFactor),
        maxVolumeFactor: factorText(factors.priceImprovementMaxVolumeFactor),
        quote: quotedPrice,
      }),
    }),
  )} END`)

const listedTrade = objectOf({
  ...textsOf({
    ...tradeMembers.always,
    orderUid: hex('tr.order_uid'),
    owner: hex('tr.owner'),
    txHash: hex('tr.tx_hash'),
    sellToken: hex('tr.sell_token'),
    buyToken: hex('tr.buy_token'),
  }),
  executedProtocolFees: listOf(
    objectOf({ policy: taggedPolicy, ...textsOf({ amount: amount('pf.amount'), token: hex('pf.token') }) }),
    `executions x, unnest(x.protocol_fee_tokens, x.protocol_fee_amounts) WITH ORDINALITY AS pf(token, amount, place)
     JOIN fee_policies p ON p.order_id = tr.order_id AND p.auction_id = tr.auction_id
     WHERE x.order_id = tr.order_id AND x.auction_id = tr.auction_id AND p.position = pf.place - 1 ORDER BY pf.place`,
  ),
})

const oneOrder = (text: Text) =>
  `SELECT ${toSql(text)} FROM orders o WHERE o.uid = $2 AND o.chain_id = $3 AND $1::bigint IS NOT NULL`

const statements = {
  order: oneOrder(wholeOrder),
  debugReport: oneOrder(debugReport),
  accountOrders: `SELECT ${toSql(
    listOf(
      listedOrder,
      `orders o WHERE o.owner = $2 AND o.chain_id = $3 AND $1::bigint IS NOT NULL
       ORDER BY o.created_at DESC, o.id DESC LIMIT $4 OFFSET $5`,
    ),
  )}`,
  tradesOf: (column: string) =>
    `SELECT ${toSql(
      listOf(
        listedTrade,
        `trades tr WHERE ${column} = $1 AND tr.chain_id = $2 AND tr.order_id IS NOT NULL
         ORDER BY tr.block_number DESC, tr.log_index DESC LIMIT $3 OFFSET $4`,
      ),
    )}`,
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
  return onlyText(
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
  return onlyText(await readPrepared<[string]>(db, statement, [bytea(subject), chainId, limit, offset]))
}

function onlyText(rows: readonly [string][]): string {
  const [row] = rows
  if (!row) throw new TypeError('a list of nothing is a list')
  return row[0]
}
