import { solverOutcomes as outcomes } from '../../../domain/auction/competition.ts'
import { auctionNumberSql, firstKeySql } from '../../../domain/auction/key.ts'
import type { Address } from '../../../domain/evm/address.ts'
import { bytea } from '../../database/columns.ts'
import { Prisma } from '../../generated/client.ts'
import { address, boolean, enumOf, rowKey, smallInt, string } from '../../query/codec.ts'
import { column, derived, type Model, orNull, type Relation } from '../../query/model.ts'
import { isShown, orderAuctions } from '../auction/auction.ts'
import { proposedSolution, refusedSolution } from '../auction/solution.ts'
import { areAuctionsComplete, isFollowed, isNoneRemoved } from '../completeness.ts'

/** SQL condition: auction `a` held order `o`. */
const isHeld = `EXISTS (SELECT FROM auction_spans sp WHERE sp.order_id = o.id
  AND int8range(sp.first_auction, sp.last_auction, '[]') @> a.id)`

/** Answer `sv` of a solver to auction `a`: its best bid `s`, `px` on order `o` and its first refusal `rs`. */
export const solverOutcome: Model = {
  name: 'SolverOutcome',
  description: 'A solver’s outcome for an order in one auction.',
  fields: {
    auctionId: derived(rowKey, auctionNumberSql('a.id'), 'The auction.'),
    solver: column(address, 'sv.solver', 'The account that submits its settlements.'),
    outcome: derived(
      enumOf('SolverOutcomeKind', outcomes),
      `(CASE WHEN NOT ${isHeld} THEN 'not_sent' WHEN sv.answer = 'not_asked' THEN 'not_asked' WHEN s.is_winner THEN 'won'
        WHEN s.uid IS NOT NULL AND s.refusal IS NULL THEN 'beaten' WHEN s.uid IS NOT NULL OR rs.id IS NOT NULL THEN 'refused'
        WHEN sv.answer = 'answered' THEN 'no_bid' ELSE sv.answer END)`,
      'The stage that it reached.',
    ),
    fault: orNull(
      column(
        string,
        'sv.fault',
        'The reason why the solver received no request, or failed, in words; null for other answers.',
      ),
    ),
    milliseconds: orNull(
      column(smallInt, 'sv.milliseconds', 'The time from the request to the response; null without one.'),
    ),
  },
  relations: {
    bid: {
      kind: 'same',
      model: () => proposedSolution,
      nullable: true,
      unless: 's.uid IS NULL',
      description: 'Its best solution with the order; null if none competed.',
    },
    winningBid: {
      kind: 'one',
      model: () => proposedSolution,
      nullable: true,
      rows: `solution_executions px JOIN solutions s ON s.auction_id = px.auction_id AND s.uid = px.solution_uid
        WHERE px.order_id = o.id AND px.auction_id = a.id AND s.is_winner LIMIT 1`,
      description: 'The winner that trades the order, by any solver; null if none does.',
    },
    refused: {
      kind: 'same',
      model: () => refusedSolution,
      nullable: true,
      unless: 'rs.id IS NULL',
      description: 'Its first solution with the order that never competed; null if none was refused.',
    },
  },
}

const newest = Prisma.raw(
  `a.id = (SELECT a.id FROM ${orderAuctions} AND ${isShown} ORDER BY a.id DESC LIMIT 1)`,
)
const firstKey = Prisma.raw(firstKeySql('o.chain_id'))
const ofNumber = (number: number) =>
  Prisma.sql`a.id IN (${BigInt(number)}::bigint, ${BigInt(number)}::bigint + ${firstKey})`
const joined = Prisma.raw(`auctions a JOIN solver_answers sv ON sv.auction_id = a.id
  LEFT JOIN LATERAL (SELECT bx.* FROM solution_executions bx JOIN solutions bs ON bs.auction_id = bx.auction_id AND bs.uid = bx.solution_uid
    WHERE bx.order_id = o.id AND bx.auction_id = a.id AND bs.solver = sv.solver
    ORDER BY bs.is_winner DESC, bs.refusal IS NOT NULL, bs.uid LIMIT 1) px ON true
  LEFT JOIN solutions s ON s.auction_id = px.auction_id AND s.uid = px.solution_uid
  LEFT JOIN LATERAL (SELECT * FROM refused_solutions r WHERE r.auction_id = a.id AND r.solver = sv.solver
    AND o.id = ANY(r.order_ids) ORDER BY r.id LIMIT 1) rs ON true`)
const shown = Prisma.raw(`a.chain_id = o.chain_id AND ${isShown}`)

export interface OutcomeArguments {
  /** null: the newest that held the order and is shown. */
  auctionId: number | null
  /** null: all. */
  solver: Address | null
}

/** Outcomes of solvers for order `o`. */
export const solverOutcomes: Relation = {
  kind: 'many',
  model: () => solverOutcome,
  rows: ({ auctionId, solver }: OutcomeArguments) => Prisma.sql`${joined}
    WHERE ${auctionId === null ? newest : ofNumber(auctionId)} AND ${shown}
    ${solver === null ? Prisma.empty : Prisma.sql`AND sv.solver = ${bytea(solver)}`} ORDER BY sv.solver`,
  items: 3,
  description:
    'Each solver’s outcome for the order in one auction. Empty while the competition is hidden, and for auctions without records of it.',
}

/** Reports whether the outcomes of an auction are known. */
export const hasAllSolverOutcomes: Relation = {
  kind: 'value',
  field: derived(boolean, 'kn.is_known', ''),
  rows: ({ auctionId }: OutcomeArguments) => Prisma.sql`(SELECT EXISTS (SELECT FROM ${joined}
    WHERE ${auctionId === null ? newest : ofNumber(auctionId)} AND ${shown})
    ${auctionId === null ? inNoAuction : Prisma.empty} AS is_known) kn`,
  description:
    'True if the outcomes of all solvers in that auction are known, or if no auction held the order. False while the competition is hidden, for an auction without records of its answers, and for an auction of another order book, which does not report them.',
}

const inNoAuction = Prisma.raw(`OR ${areAuctionsComplete} AND NOT EXISTS (SELECT FROM ${orderAuctions})`)

/** Refused solutions of order `o`. `a` has the columns of its condition: the auction need not be stored. */
export const refusedSolutions: Relation = {
  kind: 'page',
  model: () => refusedSolution,
  rows: `refused_solutions rs
    CROSS JOIN LATERAL (SELECT rs.chain_id, rs.deadline_block) a WHERE rs.order_ids @> ARRAY[o.id] AND ${isShown}`,
  key: { letter: 'r', parts: [{ sql: 'rs.id', type: 'number' }], order: 'DESC' },
  isComplete: `NOT ${isFollowed('o.chain_id')} AND ${isNoneRemoved('refused_solutions', 'o.created_at')}`,
  mayBeEmpty: true,
  description:
    'Solutions with the order that never competed, newest first, including those of auctions that are not stored for lack of a valid one. Those of a hidden competition appear when its deadline block has passed.',
}
