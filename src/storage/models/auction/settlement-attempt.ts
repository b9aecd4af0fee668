import type { SettlementAttempt } from '../../../domain/auction/competition.ts'
import { auctionNumberSql } from '../../../domain/auction/key.ts'
import { screaming } from '../../../domain/text/spelling.ts'
import {
  address,
  amount,
  bytes32,
  decimal,
  rowKey,
  safeInt,
  smallInt,
  spelledEnumOf,
  string,
  time,
} from '../../query/codec.ts'
import type { RowFields } from '../../query/json.ts'
import { column, derived, type Model, modelNamed, orNull, type Relation } from '../../query/model.ts'
import { tokenIn } from '../token.ts'

export const settlementOutcomes = ['success', 'timeout', 'failed'] as const

const outcomeCase = (spell: (value: string) => string) =>
  `CASE WHEN t.outcome IN ('success', 'timeout') THEN ${spell === screaming ? 'upper(t.outcome)' : 't.outcome'}
    WHEN t.outcome IS NOT NULL THEN '${spell('failed')}' END`

const fields = {
  auctionId: derived(rowKey, auctionNumberSql('t.auction_id'), 'The auction it is for.'),
  solver: column(address, 't.solver', 'The winner.'),
  solutionUid: column(smallInt, 't.solution_uid', 'Its solution.'),
  startTimestamp: column(time, 't.started_at', 'Its start time.'),
  startBlock: column(safeInt, 't.start_block', 'The block at that time.'),
  deadlineBlock: column(safeInt, 't.deadline_block', 'The last block for it.'),
  txHash: orNull(column(bytes32, 't.tx_hash', 'Its transaction; null while none is known.')),
  endTimestamp: orNull(column(time, 't.ended_at', 'Its end time.')),
  endBlock: orNull(column(safeInt, 't.end_block', 'The block at its end.')),
}

export const settlementAttempt: Model = {
  name: 'SettlementAttempt',
  description: 'A try to bring a winning solution on chain. The fields about its end are null while it runs.',
  fields: {
    ...fields,
    outcome: orNull(
      derived(
        spelledEnumOf('SettlementOutcome', settlementOutcomes),
        (spelling) => outcomeCase(spelling === 'graphql' ? screaming : (value) => value),
        'Its outcome.',
      ),
    ),
    detail: orNull(
      derived(
        string,
        `CASE WHEN t.outcome NOT IN ('success', 'timeout') THEN regexp_replace(t.outcome, '^driver failed: ', '') END`,
        'The reason for a failure, as text.',
      ),
    ),
    submission: orNull(
      column(
        string,
        't.submission',
        'The history of its transaction, as text: the gas price that it offered from block to block, its destination, and a cancellation. Null if it was not sent.',
      ),
    ),
    revertedGas: orNull(
      column(
        amount,
        't.reverted_gas',
        'Gas of its transaction if that reverted; 0 if it never got into a block. Null while it is not known.',
      ),
    ),
    revertedGasCost: orNull(
      derived(amount, 't.reverted_gas * t.reverted_gas_price', 'Cost of that gas, in native atoms.'),
    ),
    replacedBlock: orNull(
      column(
        safeInt,
        't.replaced_block',
        'The block that its settlement was in before a reorganisation of the chain replaced that block; null if none did.',
      ),
    ),
    cancellationGas: orNull(
      column(
        amount,
        't.cancellation_gas',
        'Gas of the transfer that took the nonce of its transaction, so that it can’t be mined any more. Null if none did, or while it is not known.',
      ),
    ),
    cancellationGasCost: orNull(
      derived(amount, 't.cancellation_gas * t.cancellation_gas_price', 'Cost of that gas, in native atoms.'),
    ),
  },
  relations: {
    settlement: {
      kind: 'one',
      model: modelNamed('Settlement'),
      nullable: true,
      rows: `settlements st WHERE st.auction_id = t.auction_id AND st.solution_uid = t.solution_uid
        ORDER BY st.block_number, st.log_index LIMIT 1`,
      description: 'The settlement on chain; null when there is none, or it is not indexed yet.',
    },
    bookings: {
      kind: 'many',
      model: () => settlementBooking,
      rows: `settlement_bookings b JOIN auctions ba ON ba.id = b.auction_id
        WHERE b.auction_id = t.auction_id AND b.solution_uid = t.solution_uid ORDER BY b.token`,
      items: 3,
      description:
        'Its changes of the settlement contract’s tokens: fees, the amounts that its solver may use, and slippage. Only changed tokens.',
    },
  },
}

/** Booking `b` of an auction `ba`. */
const settlementBooking: Model = {
  name: 'SettlementBooking',
  description: 'The change of one token of the settlement contract by a settlement, in atoms.',
  fields: {
    networkFee: column(amount, 'b.network_fee', 'Network fees of its trades.'),
    protocolFee: column(amount, 'b.protocol_fee', 'Fees of the protocol and of partners.'),
    internalized: derived(
      decimal,
      'b.internalized::text',
      'Internalized interactions, left out by permission: the amount that the contract keeps; negative if it pays.',
    ),
    least: derived(
      decimal,
      'b.least::text',
      'The required change of the contract’s balance; negative if it may decrease.',
    ),
    change: orNull(
      derived(
        decimal,
        'b.change::text',
        'The actual change of the balance by the logs of the transaction, fees included; null until they are read.',
      ),
    ),
    slippage: orNull(
      derived(
        decimal,
        '(b.change - b.network_fee - b.protocol_fee)::text',
        'The change without the fees. It belongs to the solver, even if it is negative.',
      ),
    ),
  },
  relations: {
    token: tokenIn('ba.chain_id', 'b.token', 'The token; the native coin has the marker address.'),
  },
}

/** Pending settlements of order `o`, even where competitions are hidden: they reveal no solver or price. */
export const pendingSettlements: Relation = {
  kind: 'many',
  model: () => pendingSettlement,
  rows: `settlement_attempts t WHERE t.chain_id = o.chain_id AND t.outcome IS NULL
    AND (t.tx_hash IS NOT NULL OR t.driver_solution IS NOT NULL)
    AND EXISTS (SELECT FROM solution_executions px WHERE px.order_id = o.id AND px.auction_id = t.auction_id
      AND px.solution_uid = t.solution_uid) ORDER BY t.auction_id, t.solution_uid`,
  items: 1,
  description:
    'Settlements of the order that are sent, or that their solver was instructed to send, without a known end: each can still fill it, even after its cancellation.',
}

const pendingSettlement: Model = {
  name: 'PendingSettlement',
  description: 'A settlement that may be included in a block.',
  fields: {
    auctionId: fields.auctionId,
    txHash: orNull(
      derived(
        bytes32,
        't.tx_hash',
        'The transaction that was sent last: another gas price makes another one. Null if its solver sends it: the service sees that only on chain.',
      ),
    ),
    deadlineBlock: column(
      safeInt,
      't.deadline_block',
      'If it is not included before this block, the service withdraws it. It does so at once if all its orders are cancelled. A solver that sends settlements itself withdraws them itself.',
    ),
  },
}

export const settlementAttemptRow: RowFields<SettlementAttempt> = {
  ...fields,
  outcome: orNull(column(string, 't.outcome', '')),
}
