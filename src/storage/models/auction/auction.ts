import { auctionKeys, auctionNumberSql, isHeldHereSql } from '../../../domain/auction/key.ts'
import type { Bytes32 } from '../../../domain/evm/hex.ts'
import { bytea } from '../../database/columns.ts'
import { Prisma } from '../../generated/client.ts'
import {
  address,
  amount,
  boolean,
  bytes32,
  orderUid,
  rowKey,
  safeInt,
  smallInt,
  string,
  time,
} from '../../query/codec.ts'
import type { FeedSource } from '../../query/feed-source.ts'
import {
  column,
  defineModel,
  derived,
  hasAll,
  type ManyRows,
  type Model,
  modelNamed,
  type Relation,
} from '../../query/model.ts'
import { nodeId } from '../../query/node-id.ts'
import type { PageKey } from '../../query/page-key.ts'
import { hidesCompetitions, now } from '../../query/selection.ts'
import { areAllAuctionsKept, isAny, isNoneRemoved } from '../completeness.ts'
import { tokenIn } from '../token.ts'
import { feePolicy } from './fee-policy.ts'
import { settlementAttempt } from './settlement-attempt.ts'
import { excludedOrder, refusedSolution, solution, solverAnswer } from './solution.ts'

const fields = {
  block: column(safeInt, 'a.block', 'The block it was built on.'),
  deadline: column(safeInt, 'a.deadline_block', 'The last block for a settlement.'),
}
const auctionId = derived(rowKey, auctionNumberSql('a.id'), 'Its number, unique in its network.')

/** SQL condition: the indexer has passed the deadline of auction `a`; null before its first block. */
const isPastDeadline =
  'a.deadline_block < (SELECT cp.block_number FROM checkpoints cp WHERE cp.chain_id = a.chain_id)'

/**
 * SQL condition of every list of solutions or attempts: the competition of auction `a` may be shown. Where
 * competitions are hidden, the indexer must have passed its deadline: no solver can settle it any more.
 */
export const isShown = `(NOT ${hidesCompetitions} OR
  ${isPastDeadline})`

/** Seconds after `validTo` from which an order can't settle any more: the indexer may be behind. */
const expiryMargin = 3_600

/** SQL condition: a settlement that names auction `a`, or one of its time without a solver, is to be read. */
const hasUnread = `(EXISTS (SELECT FROM settlements ku WHERE ku.chain_id = a.chain_id
    AND ku.called_auction = ${auctionNumberSql('a.id')} AND ku.auction_id IS NULL AND ku.is_unread)
  OR EXISTS (SELECT FROM settlements ku WHERE ku.chain_id = a.chain_id AND ku.solver_due IS NOT NULL
    AND ku.block_number BETWEEN a.block AND a.deadline_block))`

/**
 * SQL condition: no field of auction `a` can change any more. Its deadline is final, and each solution is
 * settled in a final block, or can't be settled because an order has expired or was filled in a final block.
 * No settlement of it waits to be read.
 * @param finality SQL for how many blocks may be reorganised
 */
export const isOver = (finality: string) => `EXISTS (
  SELECT FROM (SELECT block_number - ${finality} AS final FROM checkpoints WHERE chain_id = a.chain_id) c
  WHERE a.deadline_block <= c.final
  AND NOT EXISTS (SELECT FROM settlements t WHERE t.auction_id = a.id AND t.block_number > c.final)
  AND NOT ${hasUnread}
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

/** Token of a price, for bodies that show only the address. */
export const pricedToken = column(address, 'np.token', 'The token.')

/** Attempts of auction `a`, oldest first. */
export const attemptsOfAuction = `settlement_attempts t WHERE t.auction_id = a.id AND ${isShown} ORDER BY t.started_at, t.solution_uid`

/** Fields of an auction and of its report for one order. */
export const auctionFields = fields
export const nativePrices = (rows: string, description: string): ManyRows => ({
  kind: 'many',
  model: () => nativePrice,
  rows,
  description,
})

const isHeldHere = isHeldHereSql('a.id')

const elsewhere = 'for an auction of another order book, which does not report them'

/** Lists of attempts of auction `a` are complete: see `attemptsOfAuction`. */
export const hasAllAttempts = hasAll(
  'settlementAttempts',
  `${isShown} AND ${isHeldHere}`,
  `while the competition is hidden, and ${elsewhere}.`,
)

/** SQL condition: the answers of solvers to auction `a` were recorded. A stored auction has one at least. */
const areAnswersKnown = isAny('solver_answers ka WHERE ka.auction_id = a.id')

/** SQL condition: all orders of auction `a` are stored. Null in rows that an earlier version read. */
const areOrdersKnown = `(${isHeldHere} OR coalesce(a.unknown_orders = 0, false))`

/**
 * SQL condition: the chain was read for settlements of auction `a`: from its block on, or each winner is
 * settled, and no settlement of it waits to be read.
 */
const areSettlementsKnown = `(EXISTS (SELECT FROM checkpoints kc WHERE kc.chain_id = a.chain_id)
  AND NOT (EXISTS (SELECT FROM order_books kb WHERE kb.chain_id = a.chain_id AND NOT ${isHeldHere}
      AND coalesce(a.block < kb.indexed_from, true))
    AND ${isAny(
      `solutions ks WHERE ks.auction_id = a.id AND ks.is_winner AND NOT ${isAny(
        'settlements kt WHERE kt.auction_id = ks.auction_id AND kt.solution_uid = ks.uid',
      )}`,
    )})
  AND NOT ${hasUnread})`

/** SQL conditions for members of a competition over REST that are not complete, by member. */
export const unknownOfCompetition = {
  'auction.orders': `NOT ${areOrdersKnown}`,
  transactionHashes: `NOT ${areSettlementsKnown}`,
  'solutions.clearingPrices': isAny('solutions up WHERE up.auction_id = a.id AND up.clearing_prices IS NULL'),
}

const heldOrders = 'auction_orders ho JOIN orders o ON o.id = ho.order_id WHERE ho.auction_id = a.id'

/** Auction `a`. */
export const auction: Model = defineModel({
  name: 'Auction',
  description:
    'A competition of solvers for a batch of orders. Stored if one or more valid solutions were received.',
  isFollowed: true,
  fields: {
    id: nodeId('Auction', 'a.id'),
    auctionId,
    ...fields,
    createdAt: column(
      time,
      'a.created_at',
      'When it was stored: soon after its solvers had answered, or when it was read from the order book that the network follows.',
    ),
    isFinished: derived(
      boolean,
      `coalesce(${isPastDeadline}, false)`,
      'True once the deadline block has passed: no solver can settle it any more.',
    ),
    solutionCount: derived(
      safeInt,
      `(SELECT count(*) FROM solutions s WHERE s.auction_id = a.id AND ${isShown})`,
      'The number of solutions; 0 while the competition is hidden: see hasAllSolutions.',
    ),
    orderCount: derived(
      safeInt,
      '((SELECT count(*) FROM auction_orders ho WHERE ho.auction_id = a.id) + coalesce(a.unknown_orders, 0))',
      'The number of orders that could be traded, with those that are not stored here.',
      // Counts up to a thousand rows.
      { weight: 10 },
    ),
    ...hasAll('solutions', isShown, 'while the competition is hidden; solutionCount is 0 then.'),
    ...hasAll(
      'orderUids',
      areOrdersKnown,
      'if orders of an auction of another order book could not be read before it was stored.',
    ),
    ...hasAll(
      'settlements',
      areSettlementsKnown,
      'if the chain is not read from its block on, or a transaction that names it is still to be read: transactionHashes lacks the same.',
    ),
    ...hasAll(
      'solverAnswers',
      `${isShown} AND ${areAnswersKnown}`,
      `while the competition is hidden, for an auction without records of them, and ${elsewhere}.`,
    ),
    ...hasAll(
      'refusedSolutions',
      `${isShown} AND ${areAnswersKnown} AND ${isNoneRemoved('refused_solutions', 'a.created_at')}`,
      `while the competition is hidden, once they are removed by their age, and ${elsewhere}.`,
    ),
    ...hasAllAttempts,
  },
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
      isComplete: areOrdersKnown,
      mayBeEmpty: true,
      description: 'The orders that could be traded, oldest first.',
    },
    excludedOrders: {
      kind: 'page',
      model: () => excludedOrder,
      rows: `exclusion_spans xs JOIN orders o ON o.id = xs.order_id WHERE xs.chain_id = a.chain_id
        AND int8range(xs.first_auction, xs.last_auction, '[]') @> a.id AND ${isShown}`,
      key: { letter: 'x', parts: [{ sql: 'xs.order_id', type: 'number' }], order: 'ASC' },
      isComplete: `${isShown} AND ${isHeldHere}`,
      mayBeEmpty: true,
      description:
        'The live orders that it left out, oldest first, except those that wait for their presignature. Empty while the competition is hidden.',
    },
    solverAnswers: {
      kind: 'many',
      model: () => solverAnswer,
      rows: `solver_answers sv WHERE sv.auction_id = a.id AND ${isShown} ORDER BY sv.solver`,
      items: 3,
      description: 'The answer of each solver. Empty while the competition is hidden.',
    },
    refusedSolutions: {
      kind: 'many',
      model: () => refusedSolution,
      rows: `refused_solutions rs WHERE rs.auction_id = a.id AND ${isShown} ORDER BY rs.id`,
      items: 3,
      description:
        'Solutions that never competed, up to ten of each solver. Empty while the competition is hidden.',
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
      rows: `auction_orders ho JOIN orders o ON o.id = ho.order_id
        LEFT JOIN unnest(a.order_ids) WITH ORDINALITY AS sent(order_id, place) ON sent.order_id = ho.order_id
        WHERE ho.auction_id = a.id ORDER BY sent.place, ho.order_id`,
      description:
        'UIDs of the orders that could be traded: in the sequence of the order book that the network follows, else oldest first.',
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

/** SQL for the last auction of span `sp`. */
const lastOf = `coalesce(sp.last_auction, 9223372036854775807)`

/**
 * Auctions `a` that held order `o`: in the newest span that has begun by then. The bounds before that
 * condition let a page read from either end of the index. One look-up for each auction: an order may have as
 * many spans as there are auctions.
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

/**
 * SQL for the whole seconds since auction `a` was read from the order book that its network follows, as text;
 * null for one that is held here.
 */
export const readAge = `CASE WHEN NOT ${isHeldHere}
  THEN greatest(0, ${now} - ceil(extract(epoch FROM a.created_at))::bigint)::text END`

/** SQL for the same since the order book was asked for its newest auction. */
export const lookedAge = `(SELECT greatest(0, ${now} - ceil(extract(epoch FROM ob.looked_at))::bigint)::text
  FROM order_books ob WHERE ob.chain_id = a.chain_id)`

/** Rows of auctions `a`, by the arguments of a request; without hidden competitions. */

const shown = Prisma.raw(isShown)

/**
 * The newer of two that have the number: one was held here before the network followed an order book.
 */
export const oneAuction = ({ id, chainId }: { id: number; chainId: number }): Prisma.Sql =>
  Prisma.sql`auctions a WHERE a.id = ANY(${auctionKeys(chainId, BigInt(id))}::bigint[]) AND a.chain_id = ${chainId} AND ${shown}
    ORDER BY a.id DESC LIMIT 1`

/**
 * The auction of this number where no network is named: the one that is held here, or the only one of these
 * chains.
 */
export const auctionOfAny = ({ id, chainIds }: { id: number; chainIds: readonly number[] }): Prisma.Sql => {
  const keys = [...new Set(chainIds.flatMap((chainId) => auctionKeys(chainId, BigInt(id))))]
  return Prisma.sql`auctions a WHERE a.id = ANY(${keys}::bigint[]) AND ${shown} AND (a.id = ${BigInt(id)}
    OR (SELECT count(*) FROM auctions e WHERE e.id = ANY(${keys}::bigint[])) = 1)`
}

export const latestAuction = ({ chainId }: { chainId: number }): Prisma.Sql =>
  Prisma.sql`auctions a WHERE a.chain_id = ${chainId} AND ${shown} ORDER BY a.id DESC LIMIT 1`

export const auctionOfTransaction = ({ hash, chainId }: { hash: Bytes32; chainId: number }): Prisma.Sql =>
  Prisma.sql`auctions a WHERE a.id IN (SELECT se.auction_id FROM settlements se
    WHERE se.tx_hash = ${bytea(hash)} AND se.chain_id = ${chainId} AND se.auction_id IS NOT NULL) AND ${shown}
    ORDER BY a.id DESC LIMIT 1`

/** Auctions of a network, newest first. */
const auctionsKey: PageKey = {
  letter: 'a',
  parts: [{ sql: 'a.id', type: 'number' }],
  order: 'DESC',
}

export const listedAuctions: Relation = {
  kind: 'page',
  model: () => auction,
  rows: ({ chainId }: { chainId: number }) => ({
    ranges: [Prisma.sql`auctions a WHERE a.chain_id = ${chainId} AND ${shown}`],
    isComplete: areAllAuctionsKept([chainId]),
    mayBeEmpty: true,
  }),
  key: auctionsKey,
  description: 'Stored auctions of a network, newest first, without those that are hidden.',
}

const filled = column(amount, 'e.filled', 'Filled atoms of the fixed side when the auction was built.')

/** The policies of entry `e`, as `p`. */
const policies = `(SELECT (l.policy->>'kind') AS kind, (l.policy->>'factor')::int AS factor, (l.policy->>'maxVolumeFactor')::int AS max_volume_factor, l.position
  FROM jsonb_array_elements(e.policies) WITH ORDINALITY AS l(policy, position)) p ORDER BY p.position`

/** Order `o` as entry `e` of the current auction. */
export const currentAuctionOrder: Model = {
  name: 'CurrentAuctionOrder',
  description: 'An order as solvers are given it.',
  fields: { filled },
  relations: {
    order: { kind: 'same', model: modelNamed('Order'), description: 'The order.' },
    feePolicies: {
      kind: 'many',
      model: () => feePolicy,
      rows: policies,
      only: 'e.policies IS NOT NULL',
      items: 2,
      description: 'The fees of the protocol, in the order of application.',
    },
  },
}

/** The orders `o` of the current auction `ca`, with their entries. */
export const currentOrders =
  'unnest(ca.order_ids, ca.filled, ca.policies) AS e(order_id, filled, policies) JOIN orders o ON o.id = e.order_id'

/** Prices `np` of the current auction. */
export const currentPrices = 'unnest(ca.tokens, ca.prices) AS np(token, price)'

/**
 * Current auction `ca`. Not an `Auction`: it has no solutions, and is not kept. `a` is the name of its row in
 * prices.
 */
export const currentAuction: Model = {
  name: 'CurrentAuction',
  description: 'The current input of solvers. Each auction replaces it, even without solutions.',
  fields: {
    auctionId: derived(
      rowKey,
      auctionNumberSql('ca.auction_id'),
      'Its number; an Auction has it once there are solutions.',
    ),
    block: column(safeInt, 'ca.block', 'The block it was built on.'),
  },
  relations: {
    nativePrices: nativePrices(
      `(SELECT ca.chain_id) AS a(chain_id) CROSS JOIN LATERAL ${currentPrices} ORDER BY np.token`,
      'Prices that solutions are scored with.',
    ),
    orders: {
      kind: 'page',
      model: () => currentAuctionOrder,
      rows: `${currentOrders} WHERE true`,
      key: { letter: 'e', parts: [{ sql: 'e.order_id', type: 'number' }], order: 'ASC' },
      description: 'The orders that can be traded, oldest first.',
    },
  },
  lists: {
    surplusCapturingJitOrderOwners: {
      kind: 'values',
      field: derived(address, 'jo.owner', ''),
      rows: 'unnest(ca.jit_order_owners) AS jo(owner) ORDER BY jo.owner',
      description: 'Owners whose JIT orders solvers may bring, with surplus that counts.',
    },
  },
}

export const currentAuctionOf = (chainId: number): Prisma.Sql =>
  Prisma.sql`current_auctions ca WHERE ca.chain_id = ${chainId}`

/** Entry `f` of auction `a`, and of attempt `t` if it is about one. */
export const auctionFeedEntry: Model = {
  name: 'AuctionEntry',
  description: 'A competition, or an outcome of a settlement of it, in a stream.',
  fields: { cursor: derived(string, 'f.place::text', 'Continues here, without loss or repetition.') },
  relations: {
    auction: { kind: 'same', model: () => auction, description: 'The auction.' },
    settlementAttempt: {
      kind: 'same',
      model: () => settlementAttempt,
      nullable: true,
      unless: 'f.solution_uid IS NULL',
      description:
        'The attempt to settle a solution, which has ended, or runs again because a reorg undid its settlement. Null in the entry of the competition.',
    },
  },
}

/**
 * The competitions of a network and the state of their settlements. Competitions hidden until their deadline
 * have entries of their own when the indexer passes it, and again after a reorg to before it.
 */
export const auctionFeed: FeedSource = {
  name: 'network',
  table: 'auction_feed',
  entry: auctionFeedEntry,
  rows: `auction_feed f JOIN auctions a ON a.id = f.auction_id
    LEFT JOIN settlement_attempts t ON t.auction_id = f.auction_id AND t.solution_uid = f.solution_uid
    WHERE (f.hides IS NULL OR f.hides = ${hidesCompetitions})`,
  key: 'f.chain_id',
  keyType: 'int',
}
