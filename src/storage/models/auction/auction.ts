import type { StoredAuction } from '../../../domain/auction/competition.ts'
import { address, amount, bytes32, orderUid, rowKey, safeInt, smallInt } from '../../query/codec.ts'
import { column, derived, type ManyRows, type Model } from '../../query/model.ts'
import { nodeId } from '../../query/node-id.ts'
import type { PageKey } from '../../query/page-key.ts'
import { defineModel, modelNamed } from '../../query/registry.ts'
import type { RowFields } from '../../query/row.ts'
import { hidesCompetitions, now } from '../../query/selected.ts'
import { tokenIn } from '../token.ts'
import { excludedOrder, refusedSolution, solverAnswer } from './refusal.ts'
import { settlementAttempt } from './settlement-attempt.ts'
import { solution } from './solution.ts'

const fields = {
  block: column(safeInt, 'a.block', 'The block it was built on.'),
  deadline: column(safeInt, 'a.deadline_block', 'The last block for a settlement.'),
}
const auctionId = column(rowKey, 'a.id', 'Its number, unique across networks.')

/**
 * Whether the competition of auction `a` may be shown. Where they are hidden, the indexer must have passed its deadline: no solver can
 * settle it any more. Every list of solutions or of attempts to settle them has this condition.
 */
export const isShown = `(NOT ${hidesCompetitions} OR
  a.deadline_block < (SELECT cp.block_number FROM checkpoints cp WHERE cp.chain_id = a.chain_id))`

/** Seconds after `validTo` from which an order can't settle any more: the indexer may be behind. */
const expiryMargin = 3_600

/**
 * Whether no field of auction `a` can change any more: its deadline is final, and each solution is settled in a final block, or can't
 * be settled because one of its orders has expired or was filled in a final block.
 * @param finality SQL for how many blocks may be reorganised
 */
export const isOver = (finality: string) => `EXISTS (
  SELECT FROM (SELECT block_number - ${finality} AS final FROM checkpoints WHERE chain_id = a.chain_id) c
  WHERE a.deadline_block <= c.final
  AND NOT EXISTS (SELECT FROM settlements t WHERE t.auction_id = a.id AND t.block_number > c.final)
  AND NOT EXISTS (
    SELECT FROM solutions s WHERE s.auction_id = a.id
    AND NOT EXISTS (SELECT FROM settlements t WHERE t.auction_id = a.id AND t.solution_uid = s.uid)
    AND NOT EXISTS (
      SELECT FROM solution_executions x JOIN orders o ON o.id = x.order_id
      WHERE x.auction_id = a.id AND x.solution_uid = s.uid AND (
        o.valid_to < ${now} - ${expiryMargin} OR NOT o.partially_fillable AND EXISTS (
          SELECT FROM trades t WHERE t.order_id = o.id AND t.block_number <= c.final)))))`

const nativePrice: Model = {
  name: 'NativePrice',
  description: 'The price of a token in an auction.',
  fields: {
    price: column(amount, 'np.price', 'Native atoms for 10^18 token atoms.'),
  },
  relations: { token: tokenIn('a.chain_id', 'np.token', 'The token.') },
}

/** For bodies that show only the address. */
export const pricedToken = column(address, 'np.token', 'The token.')

/** Of auction `a`, oldest first. */
export const attemptsOfAuction = `settlement_attempts t WHERE t.auction_id = a.id AND ${isShown} ORDER BY t.started_at, t.solution_uid`

/** Fields of an auction and of its report for one order. */
export const auctionFields = fields
export const nativePrices = (rows: string, description: string): ManyRows => ({
  kind: 'many',
  model: () => nativePrice,
  rows,
  description,
})

const heldOrders = 'auction_orders ho JOIN orders o ON o.id = ho.order_id WHERE ho.auction_id = a.id'

/** Auction `a`. */
export const auction: Model = defineModel({
  name: 'Auction',
  description:
    'A competition of solvers for a batch of orders. Stored when at least one valid solution came in.',
  fields: { id: nodeId('Auction', 'a.id'), auctionId, ...fields },
  relations: {
    nativePrices: nativePrices(
      'auction_prices np WHERE np.auction_id = a.id ORDER BY np.token',
      'Prices that solutions are scored with.',
    ),
    solutions: {
      kind: 'many',
      model: () => solution,
      rows: `solutions s WHERE s.auction_id = a.id AND ${isShown} ORDER BY s.uid`,
      items: 3,
      description:
        'Valid solutions, best first; those filtered out for fairness come last. Empty while the competition is hidden.',
    },
    orders: {
      kind: 'page',
      model: modelNamed('Order'),
      connection: 'AuctionOrderConnection',
      rows: heldOrders,
      key: { letter: 'h', parts: [{ sql: 'ho.order_id', type: 'number' }], order: 'ASC' },
      description: 'The orders that could be traded, oldest first.',
    },
    excludedOrders: {
      kind: 'page',
      model: () => excludedOrder,
      rows: `exclusion_spans xs JOIN orders o ON o.id = xs.order_id WHERE xs.chain_id = a.chain_id
        AND int8range(xs.first_auction, xs.last_auction, '[]') @> a.id AND ${isShown}`,
      key: { letter: 'x', parts: [{ sql: 'xs.order_id', type: 'number' }], order: 'ASC' },
      description:
        'The live orders that it left out, oldest first. Those that wait for their presignature are not among them. Empty while the competition is hidden.',
    },
    solverAnswers: {
      kind: 'many',
      model: () => solverAnswer,
      rows: `solver_answers sv WHERE sv.auction_id = a.id AND ${isShown} ORDER BY sv.solver`,
      items: 3,
      description: 'What became of the question to each solver. Empty while the competition is hidden.',
    },
    refusedSolutions: {
      kind: 'many',
      model: () => refusedSolution,
      rows: `refused_solutions rs WHERE rs.auction_id = a.id AND ${isShown} ORDER BY rs.id`,
      items: 3,
      description:
        'Solutions that never competed, at most ten of each solver. Empty while the competition is hidden.',
    },
    settlementAttempts: {
      kind: 'many',
      model: () => settlementAttempt,
      rows: attemptsOfAuction,
      items: 2,
      description: 'Tries to settle winning solutions, oldest first. Empty while the competition is hidden.',
    },
    settlements: {
      kind: 'many',
      model: modelNamed('Settlement'),
      rows: 'settlements st WHERE st.auction_id = a.id ORDER BY st.block_number, st.log_index',
      items: 2,
      description: 'Settlements of it on chain, in their order.',
    },
  },
  lists: {
    orderUids: {
      kind: 'values',
      // Up to a thousand UIDs: more than 100 kB.
      field: { ...derived(orderUid, 'o.uid', ''), weight: 50 },
      rows: `${heldOrders} ORDER BY ho.order_id`,
      description: 'UIDs of the orders that could be traded.',
    },
    transactionHashes: {
      kind: 'values',
      field: derived(bytes32, 'st.tx_hash', ''),
      rows: 'settlements st WHERE st.auction_id = a.id ORDER BY st.block_number, st.log_index',
      description: 'Transactions on chain that settle it, in their order.',
    },
  },
  identity: { chainId: column(smallInt, 'a.chain_id', '') },
})

export const auctionRow: RowFields<StoredAuction> = {
  id: auctionId,
  chainId: column(smallInt, 'a.chain_id', ''),
  block: fields.block,
  deadlineBlock: fields.deadline,
}

/** SQL for the last auction of span `sp`. */
const lastOf = `coalesce(sp.last_auction, 9223372036854775807)`

/**
 * Auctions `a` that held order `o`: in the newest span that has begun by then. The bounds before that condition let a page read from
 * either end of the index. One look-up for each auction: an order may have as many spans as there are auctions.
 */
export const orderAuctions = `auctions a WHERE a.chain_id = o.chain_id
  AND a.id >= (SELECT sp.first_auction FROM auction_spans sp WHERE sp.order_id = o.id ORDER BY sp.first_auction LIMIT 1)
  AND a.id <= (SELECT ${lastOf} FROM auction_spans sp WHERE sp.order_id = o.id ORDER BY sp.first_auction DESC LIMIT 1)
  AND a.id <= (SELECT ${lastOf} FROM auction_spans sp WHERE sp.order_id = o.id AND sp.first_auction <= a.id
    ORDER BY sp.first_auction DESC LIMIT 1)`

/** SQL for the id of the newest auction that held order `o`; null if none did. */
export const newestAuctionOfOrder = `(SELECT coalesce(sp.last_auction, (SELECT max(na.id) FROM auctions na WHERE na.chain_id = o.chain_id))
  FROM auction_spans sp WHERE sp.order_id = o.id ORDER BY sp.first_auction DESC LIMIT 1)`

/** Auctions of one order, by id. */
export const orderAuctionsKey: PageKey = {
  letter: 'c',
  parts: [{ sql: 'a.id', type: 'number' }],
  order: 'ASC',
}
