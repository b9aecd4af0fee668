import {
  leftOutReasons,
  type StoredSolution,
  solutionRefusals,
  solverAnswers,
} from '../../../domain/auction/competition.ts'
import { auctionNumberSql } from '../../../domain/auction/key.ts'
import { orderTexts } from '../../../domain/order/order.ts'
import {
  address,
  amount,
  asText,
  boolean,
  bytes32,
  enumOf,
  orderUid,
  rowKey,
  safeInt,
  smallInt,
  string,
  time,
  wideKey,
} from '../../query/codec.ts'
import type { RowFields } from '../../query/json.ts'
import { column, derived, hasAll, type Model, modelNamed, orNull } from '../../query/model.ts'
import { nodeId } from '../../query/node-id.ts'
import { tokenIn } from '../token.ts'

/** Span `xs` of order `o`. */
export const excludedOrder: Model = {
  name: 'ExcludedOrder',
  description: 'An order that an auction left out.',
  isFollowed: true,
  fields: { reason: column(enumOf('LeftOutReason', leftOutReasons), 'xs.reason', 'Why.') },
  relations: {
    order: { kind: 'same', model: modelNamed('Order'), description: 'The order.' },
  },
}

/** Row `sv`. */
export const solverAnswer: Model = {
  name: 'SolverAnswer',
  description: 'The answer of a solver.',
  fields: {
    solver: column(address, 'sv.solver', 'The account that submits its settlements.'),
    answer: column(enumOf('SolverAnswerKind', solverAnswers), 'sv.answer', 'Its outcome.'),
    fault: orNull(
      column(string, 'sv.fault', 'The reason for a failure or a missing request; null otherwise.'),
    ),
    milliseconds: orNull(
      column(smallInt, 'sv.milliseconds', 'The time from the request to the response; null without one.'),
    ),
  },
}

const refusalModel = (code: `${string}.${string}`, message: `${string}.${string}`): Model => ({
  name: 'SolutionRefusal',
  description: 'The reason why a solution was refused.',
  fields: {
    code: column(enumOf('SolutionRefusalCode', solutionRefusals), code, 'The rule that it broke.'),
    message: column(
      string,
      message,
      'The same in words, with orders and amounts; of a simulation, the reason of the revert. For people: the text may change.',
    ),
  },
})

/** Refusal of solution `s`. */
const refusalOfSolution = refusalModel('s.refusal', 's.refusal_message')
const refusalOfRefused = refusalModel('rs.code', 'rs.message')

/** Row `rs`. */
export const refusedSolution: Model = {
  name: 'RefusedSolution',
  description: 'A solution that never competed, because it broke a rule.',
  isFollowed: true,
  fields: {
    auctionId: derived(
      rowKey,
      auctionNumberSql('rs.auction_id'),
      'The auction it is for. One without a valid solution is not stored.',
    ),
    solver: column(address, 'rs.solver', 'The solver that proposed it.'),
    deadline: column(safeInt, 'rs.deadline_block', 'The last block for a settlement of the auction.'),
    timestamp: column(time, 'rs.at', 'The time of the refusal.'),
  },
  relations: {
    refusal: { kind: 'same', model: () => refusalOfRefused, description: 'The reason for the refusal.' },
  },
  lists: {
    solutionIds: {
      kind: 'values',
      field: derived(string, 'si.id::text', ''),
      rows: 'unnest(rs.solution_ids) AS si(id)',
      description: 'The solver’s own ids of it; empty for the built-in solver.',
    },
    orderUids: {
      kind: 'values',
      field: { ...derived(orderUid, 'o.uid', ''), weight: 5 },
      rows: 'unnest(rs.order_ids) AS ri(id) JOIN orders o ON o.id = ri.id ORDER BY o.id',
      description: 'UIDs of the orders of the auction that it trades.',
    },
  },
}

export const ranked = {
  ranking: column(smallInt, 's.ranking', 'Its place, from 1.'),
  solver: column(address, 's.solver', 'The solver that proposed it.'),
  isWinner: column(boolean, 's.is_winner', 'True if it won.'),
  filteredOut: column(boolean, 's.filtered_out', 'Left out because it was unfair to an order.'),
  score: column(amount, 's.score', 'Its value, in native atoms.'),
}
const uid = column(smallInt, 's.uid', 'Its index in the stored ranking.')
const referenceScore = orNull(
  column(amount, 's.reference_score', 'For winners: the score attainable without this solver.'),
)

export const traded = {
  executedSell: column(amount, 'px.executed_sell', 'Sell amount, all fees included.'),
  executedBuy: column(amount, 'px.executed_buy', 'Buy amount after all fees.'),
}

const settlementOf = (auctionId: string, solutionUid: string) => `(SELECT st.tx_hash FROM settlements st
  WHERE st.auction_id = ${auctionId} AND st.solution_uid = ${solutionUid} ORDER BY st.block_number, st.log_index LIMIT 1)`

const clearingPrice: Model = {
  name: 'ClearingPrice',
  description: 'The price of a token in a solution. Two of them are the rate of a trade.',
  fields: { price: derived(asText('Uint256'), 'cp.price', 'The price, in a unit of the solution’s own.') },
  relations: { token: tokenIn('a.chain_id', `decode(substr(cp.token, 3), 'hex')`, 'The token.') },
}

/** Solution `s`. */
export const solution: Model = {
  name: 'Solution',
  description: 'A proposal of a solver for an auction.',
  fields: {
    id: nodeId('Solution', 's.auction_id', 's.uid'),
    solutionUid: uid,
    ...ranked,
    referenceScore,
    txHash: orNull(
      derived(
        bytes32,
        settlementOf('s.auction_id', 's.uid'),
        'The transaction that settled it; null when none did, or none is indexed yet.',
      ),
    ),
    ...hasAll(
      'clearingPrices',
      's.clearing_prices IS NOT NULL',
      'where they are not known: the order book did not report them, or an earlier version stored the solution without.',
    ),
  },
  relations: {
    refusal: {
      kind: 'same',
      model: () => refusalOfSolution,
      nullable: true,
      unless: 's.refusal IS NULL',
      description:
        'The reason why it could not win although it is valid: another order of it was cancelled, its settlement fails, or it is unfair. Null for the others.',
    },
    auction: {
      kind: 'one',
      model: modelNamed('Auction'),
      rows: 'auctions a WHERE a.id = s.auction_id',
      description: 'The auction it is for.',
    },
    clearingPrices: {
      kind: 'many',
      model: () => clearingPrice,
      rows: `auctions a CROSS JOIN jsonb_each_text(s.clearing_prices) AS cp(token, price)
        WHERE a.id = s.auction_id ORDER BY cp.token`,
      only: 's.clearing_prices IS NOT NULL',
      items: 2,
      description:
        'Its uniform prices by token, before fees; as the order book reports them that the network follows.',
    },
    orders: {
      kind: 'many',
      model: () => solutionOrder,
      rows: `(SELECT x.order_id, x.executed_sell, x.executed_buy, NULL::bytea AS uid, NULL::int AS chain_id,
          NULL::bytea AS sell_token, NULL::bytea AS buy_token
        FROM solution_executions x WHERE x.auction_id = s.auction_id AND x.solution_uid = s.uid
        UNION ALL SELECT jo.id, j.executed_sell, j.executed_buy, j.order_uid, j.chain_id, j.sell_token, j.buy_token
        FROM jit_executions j LEFT JOIN orders jo ON jo.uid = j.order_uid AND jo.chain_id = j.chain_id
        WHERE j.auction_id = s.auction_id AND j.solution_uid = s.uid) px
        LEFT JOIN orders o ON o.id = px.order_id ORDER BY px.order_id, px.uid`,
      items: 2,
      description: 'The orders that it trades, with its proposed amounts, including JIT orders.',
    },
  },
}

/**
 * SQL for a column of order `o` in a solution. An order that the solver brings is not stored until it is
 * traded.
 */
export const inSolution = (column: 'uid' | 'chain_id' | 'sell_token' | 'buy_token') =>
  `coalesce(o.${column}, px.${column})`

const solutionOrder: Model = {
  name: 'SolutionOrder',
  description: 'An order in a solution.',
  fields: { orderUid: derived(orderUid, inSolution('uid'), 'The order’s UID.'), ...traded },
  relations: {
    sellToken: tokenIn(inSolution('chain_id'), inSolution('sell_token'), orderTexts.sellToken),
    buyToken: tokenIn(inSolution('chain_id'), inSolution('buy_token'), orderTexts.buyToken),
    order: {
      kind: 'same',
      model: modelNamed('Order'),
      nullable: true,
      unless: 'o.id IS NULL',
      description: 'The order; null for one that the solver brings, until it is traded.',
    },
  },
}

/** Solution `s` as far as it concerns the order of execution `px`. */
export const proposedSolution: Model = {
  name: 'ProposedSolution',
  description: 'A solution as far as it concerns one order.',
  fields: { solutionUid: uid, ...ranked, ...traded },
}

export const solutionRow: RowFields<StoredSolution> = {
  ...ranked,
  uid,
  referenceScore,
  auctionId: column(wideKey, 's.auction_id', ''),
}
