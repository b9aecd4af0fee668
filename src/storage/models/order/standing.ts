import { auctionNumberSql } from '../../../domain/auction/key.ts'
import { standingReasons } from '../../../domain/order/event.ts'
import { orderHasEnded } from '../../order/status.ts'
import {
  address,
  amount,
  boolean,
  decimal,
  enumOf,
  rowKey,
  safeInt,
  string,
  time,
} from '../../query/codec.ts'
import { column, derived, type Model, modelNamed, orNull, type Relation } from '../../query/model.ts'
import { now } from '../../query/selection.ts'
import { isShown } from '../auction/auction.ts'
import { settlementAttempt } from '../auction/settlement-attempt.ts'
import { price } from './value.ts'

/** Balance of the sell token of order `o`'s owner: by logs it is current, by a standing it may be old. */
export const readBalance = `coalesce((SELECT tb.balance FROM holder_tokens ht JOIN token_balances tb ON tb.token_id = ht.id AND tb.holder = o.owner
    WHERE ht.chain_id = o.chain_id AND ht.address = o.sell_token AND ht.indexed_to IS NOT NULL AND ht.fault_block IS NULL),
  (SELECT ob.balance FROM order_standings ob WHERE ob.order_id = o.id))`

/** Parts per million as a plain decimal. */
const share = (sql: string, description: string) =>
  orNull(derived(decimal, `trim_scale(${sql} / 1000000.0)::text`, description))

/** The newest bids on order `o`, so that an order that was in any number of competitions costs no more. */
export const newestBids = `(SELECT px.auction_id, px.solution_uid, px.executed_sell, px.executed_buy FROM solution_executions px
  WHERE px.order_id = o.id ORDER BY px.auction_id DESC, px.solution_uid DESC LIMIT 300)`

/** Its gap is `limitGap` of the domain in SQL; a test holds the two equal. */
const bestPrice: Model = {
  name: 'FoundPrice',
  description: 'A price that a solver or the router found for an order.',
  fields: {
    solver: orNull(derived(address, 'bp.solver', 'Its solver; null for the router of the service.')),
    auctionId: orNull(
      derived(
        rowKey,
        auctionNumberSql('bp.auction_id'),
        'The auction it was proposed in; null for the router.',
      ),
    ),
    block: derived(safeInt, 'bp.block', 'The block it was found at.'),
    gap: share(
      `CASE WHEN bp.sell * o.buy_amount = 0 THEN 1e12
        ELSE least(div((bp.buy * o.sell_amount - bp.sell * o.buy_amount) * 1000000, bp.sell * o.buy_amount), 1e12) END`,
      'Its advantage over the limit price, as a share of the limit, up to 1000000; negative if it is worse.',
    ),
  },
  relations: {
    price: price(
      'bp.buy',
      'bp.sell',
      'A solver’s is after all fees; the router’s is after fees of pools only.',
    ),
  },
}

const bestPriceRows = `(SELECT bs.solver, b.auction_id, a.block, b.solution_uid AS uid, b.executed_sell AS sell,
    b.executed_buy AS buy
  FROM ${newestBids} b JOIN auctions a ON a.id = b.auction_id AND ${isShown}
    JOIN solutions bs ON bs.auction_id = b.auction_id AND bs.uid = b.solution_uid
  UNION ALL SELECT NULL, NULL, sd.routed_block, 0, sd.routed_sell, sd.routed_buy WHERE sd.routed_sell IS NOT NULL) bp
  ORDER BY bp.buy / nullif(bp.sell, 0) DESC NULLS LAST, bp.block DESC, bp.auction_id DESC NULLS LAST, bp.uid LIMIT 1`

const standing: Model = {
  name: 'OrderStanding',
  description:
    'The standing of a live order in the auctions, written when it changes; figures change once a minute or less often.',
  fields: {
    isInAuctions: derived(boolean, 'sd.reason IS NULL', 'True if auctions hold the order.'),
    reason: orNull(
      column(
        enumOf('OrderStandingReason', standingReasons),
        'sd.reason',
        'The reason why no auction holds it; null while they do.',
      ),
    ),
    since: column(time, 'sd.since', 'The time since when it is so.'),
    updatedAt: column(time, 'sd.updated_at', 'The time at which the figures were written.'),
    marketGap: share(
      'sd.market_gap',
      'The market’s advantage over the limit price, as a share of the limit, up to 1000000; negative if it is worse. The market is the price of both tokens in the native coin, without fees of pools and the effect of the order’s size. Null if unknown.',
    ),
    feeShare: share(
      'sd.fee_share',
      'The network fee of a settlement of this order alone, as a share of its sell amount. Null if unknown.',
    ),
    missing: orNull(
      column(amount, 'sd.missing', 'Sell atoms that the owner lacks, for INSUFFICIENT_BALANCE.'),
    ),
    failingToken: orNull(
      column(address, 'sd.failing_token', 'The token that makes trades fail, independently of the order.'),
    ),
    failingPool: orNull(
      column(address, 'sd.failing_pool', 'The pool that makes trades fail, independently of the order.'),
    ),
    failure: orNull(
      derived(
        string,
        'CASE WHEN sd.failing_token IS NOT NULL OR sd.failing_pool IS NOT NULL THEN sd.revert END',
        'Its response to an attempted trade, or the behaviour of the token.',
      ),
    ),
  },
  relations: {
    bestPrice: {
      kind: 'one',
      model: () => bestPrice,
      nullable: true,
      rows: bestPriceRows,
      description:
        'The best price for the order in the newest 300 solutions with it, and in the last result of the router. Solutions count once they are shown. Null if none was found.',
    },
    lastFailedAttempt: {
      kind: 'one',
      model: () => settlementAttempt,
      nullable: true,
      rows: `${newestBids} b JOIN auctions a ON a.id = b.auction_id AND ${isShown}
        JOIN settlement_attempts t ON t.auction_id = b.auction_id AND t.solution_uid = b.solution_uid
        WHERE t.outcome <> 'success' ORDER BY t.auction_id DESC, t.solution_uid DESC LIMIT 1`,
      description:
        'The last settlement with the order that failed, and how. Null when none did, and while it is hidden.',
    },
    fundsTakenBy: {
      kind: 'one',
      model: modelNamed('Order'),
      nullable: true,
      rows: 'orders o WHERE o.id = sd.funds_taken_by',
      description:
        'The owner’s order that uses the balance first, because the market is nearer to its limit.',
    },
  },
}

/** Standing of order `o`. */
export const orderStanding: Relation = {
  kind: 'one',
  model: () => standing,
  nullable: true,
  rows: `order_standings sd WHERE sd.order_id = o.id AND NOT ${orderHasEnded(now)}`,
  description:
    'Its standing in the auctions; null once it has ended, and before the first auction that could hold it.',
}
