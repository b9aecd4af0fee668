import type { OrderExecution } from '../../../domain/auction/competition.ts'
import { auctionNumberSql, isHeldHereSql } from '../../../domain/auction/key.ts'
import { address, amount, rowKey, safeInt } from '../../query/codec.ts'
import type { RowFields } from '../../query/json.ts'
import { column, derived, hasAll, type Model, orNull } from '../../query/model.ts'
import { isAny } from '../completeness.ts'
import { tokenIn } from '../token.ts'
import {
  attemptsOfAuction,
  auction,
  auctionFields,
  hasAllAttempts,
  isShown,
  nativePrices,
  orderAuctionsKey,
} from './auction.ts'
import { feePolicy } from './fee-policy.ts'
import { settlementAttempt } from './settlement-attempt.ts'
import { proposedSolution } from './solution.ts'

const protocolFee: Model = {
  name: 'ProtocolFee',
  description: 'A fee that the protocol took.',
  fields: {
    amount: column(amount, 'pf.amount', 'The amount of the fee.'),
  },
  relations: { token: tokenIn('o.chain_id', 'pf.token', 'The token of amount.') },
}

const executionFields = {
  executedFee: column(amount, 'x.executed_fee', 'Network and protocol fee together, in executedFeeToken.'),
  blockNumber: column(safeInt, 'x.block_number', 'Block of the settlement.'),
  networkFee: orNull(
    derived(
      amount,
      `CASE WHEN ${isHeldHereSql('x.auction_id')} THEN x.network_fee END`,
      'The network’s part of executedFee; null for old executions, and for auctions of another order book: their fee policies are not known.',
    ),
  ),
}

/** SQL condition: the policies by which execution `x` paid fees are known. */
export const arePoliciesKnown = isHeldHereSql('x.auction_id')

export const execution: Model = {
  name: 'Execution',
  description: 'The execution of an order by a settlement on chain.',
  fields: {
    ...executionFields,
    ...hasAll('protocolFees', arePoliciesKnown, 'for an auction of another order book: see the trade.'),
  },
  relations: {
    executedFeeToken: tokenIn(
      'o.chain_id',
      'x.executed_fee_token',
      'The token of executedFee: the sell token, or the buy token where the network fee is less than one sell token atom.',
    ),
    protocolFees: {
      kind: 'many',
      model: () => protocolFee,
      rows: `unnest(x.protocol_fee_tokens, x.protocol_fee_amounts) WITH ORDINALITY AS pf(token, amount, position) ORDER BY pf.position`,
      items: 2,
      description: 'The protocol’s part, aligned with the fee policies.',
    },
  },
}

export const executionRow: RowFields<Omit<OrderExecution, 'protocolFees'>> = {
  ...executionFields,
  executedFeeToken: column(address, 'x.executed_fee_token', 'The token of executedFee.'),
  auctionId: derived(rowKey, auctionNumberSql('x.auction_id'), ''),
}

/** SQL condition: the policies of order `o` in auction `a` were recorded, with a solution that trades it. */
const arePoliciesRecorded = `(${isHeldHereSql('a.id')} AND ${isAny(
  'solution_executions kx WHERE kx.order_id = o.id AND kx.auction_id = a.id',
)})`

/** SQL condition: the chain was read from the block of auction `a` on. */
const areExecutionsKnown = `NOT EXISTS (SELECT FROM order_books kb
  WHERE kb.chain_id = a.chain_id AND coalesce(a.block < kb.indexed_from, true))`

/** SQL conditions for members of a report that are not complete, by member. */
export const unknownOfReport = {
  proposedSolutions: `NOT coalesce(${isShown}, false)`,
  settlementAttempts: `NOT coalesce(${isShown} AND ${isHeldHereSql('a.id')}, false)`,
  executions: `NOT ${areExecutionsKnown}`,
  feePolicies: `NOT ${arePoliciesRecorded}`,
}

/** Auction `a` as far as it concerns order `o`. */
export const auctionReport: Model = {
  name: 'AuctionReport',
  description: 'One auction as far as it concerns one order.',
  isFollowed: true,
  fields: {
    auctionId: derived(rowKey, auctionNumberSql('a.id'), 'The auction’s number.'),
    ...auctionFields,
    ...hasAll('proposedSolutions', isShown, 'while the competition is hidden.'),
    ...hasAll('executions', areExecutionsKnown, 'if the chain is not read from its block on.'),
    ...hasAllAttempts,
    ...hasAll(
      'feePolicies',
      arePoliciesRecorded,
      'where they are not known: no solution trades the order, or the auction is one of another order book. A trade has those that it reports.',
    ),
  },
  relations: {
    auction: { kind: 'same', model: () => auction, description: 'The auction.' },
    nativePrices: {
      ...nativePrices(
        `auction_prices np WHERE np.auction_id = a.id AND np.token IN (o.sell_token, o.buy_token) ORDER BY np.token = o.buy_token`,
        'Prices of the order’s two tokens that the auction had.',
      ),
      items: 2,
    },
    proposedSolutions: {
      kind: 'many',
      model: () => proposedSolution,
      rows: `solution_executions px JOIN solutions s ON s.auction_id = px.auction_id AND s.uid = px.solution_uid
        WHERE px.order_id = o.id AND px.auction_id = a.id AND ${isShown} ORDER BY px.solution_uid`,
      items: 3,
      description: 'Solutions that trade the order, best first. Empty while the competition is hidden.',
    },
    executions: {
      kind: 'many',
      model: () => execution,
      rows: 'executions x WHERE x.order_id = o.id AND x.auction_id = a.id',
      items: 2,
      description: 'Executions on chain.',
    },
    settlementAttempts: {
      kind: 'many',
      model: () => settlementAttempt,
      rows: attemptsOfAuction,
      items: 2,
      description:
        'Tries to settle winning solutions of the auction, oldest first. Those whose solutionUid is among proposedSolutions trade the order. Empty while the competition is hidden.',
    },
    feePolicies: {
      kind: 'many',
      model: () => feePolicy,
      rows: 'fee_policies p WHERE p.order_id = o.id AND p.auction_id = a.id ORDER BY p.position',
      items: 2,
      description: 'The fees of the protocol, in the order of application.',
    },
  },
}

export const auctionReportsKey = orderAuctionsKey
