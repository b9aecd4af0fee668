import type { SettlementAttempt } from '../../../domain/auction/competition.ts'
import {
  address,
  bytes32,
  rowKey,
  safeInt,
  screaming,
  smallInt,
  spelledEnumOf,
  string,
  time,
} from '../../query/codec.ts'
import { column, derived, type Model, orNull } from '../../query/model.ts'
import type { RowFields } from '../../query/row.ts'

export const settlementOutcomes = ['success', 'timeout', 'failed'] as const

const outcomeCase = (spell: (value: string) => string) =>
  `CASE WHEN t.outcome IN ('success', 'timeout') THEN ${spell === screaming ? 'upper(t.outcome)' : 't.outcome'}
    WHEN t.outcome IS NOT NULL THEN '${spell('failed')}' END`

const fields = {
  solver: column(address, 't.solver', 'The winner.'),
  solutionUid: column(smallInt, 't.solution_uid', 'Its solution.'),
  startTimestamp: column(time, 't.started_at', 'When it began.'),
  startBlock: column(safeInt, 't.start_block', 'The block at that time.'),
  deadlineBlock: column(safeInt, 't.deadline_block', 'The last block for it.'),
  txHash: orNull(column(bytes32, 't.tx_hash', 'Its transaction; null while none is known.')),
  endTimestamp: orNull(column(time, 't.ended_at', 'When it ended.')),
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
        'How it ended.',
      ),
    ),
    detail: orNull(
      derived(
        string,
        `CASE WHEN t.outcome NOT IN ('success', 'timeout') THEN regexp_replace(t.outcome, '^driver failed: ', '') END`,
        'Why it failed, as text.',
      ),
    ),
  },
}

export const settlementAttemptRow: RowFields<SettlementAttempt> = {
  ...fields,
  auctionId: column(rowKey, 't.auction_id', ''),
  outcome: orNull(column(string, 't.outcome', '')),
}
