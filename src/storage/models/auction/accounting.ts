import type { SolverAccount } from '../../../domain/settlement/accounting.ts'
import { Prisma } from '../../generated/client.ts'
import { address, amount, boolean, safeInt, signedAmount, smallInt } from '../../query/codec.ts'
import type { RowFields } from '../../query/json.ts'
import { derived, type Field, type Model, type OneRow, orNull } from '../../query/model.ts'
import { isFollowed } from '../completeness.ts'
import { tokenIn } from '../token.ts'

/** Columns of one part of an account; 0 where a part lacks them. */
const sums = [
  'wins',
  'score',
  'missed_score',
  'reference_score',
  'settlements',
  'gas_used',
  'gas_cost',
  'without_gas',
  'reverted',
  'reverted_gas',
  'reverted_cost',
  'cancelled',
  'cancellation_gas',
  'cancellation_cost',
  'network_fees',
  'protocol_fees',
  'partner_fees',
  'slippage',
  'without_amounts',
  'unpriced',
] as const

/** Sums by solver, so that the parts have few rows. */
const part = (values: Partial<Record<(typeof sums)[number], string>>) =>
  sums.map((name) => `${values[name] ? `sum(${values[name]})` : '0'} AS ${name}`).join(', ')

const inRange = (alias: string) =>
  `${alias}.chain_id = ag.chain_id AND ${alias}.deadline_block BETWEEN ag.from_block AND ag.to_block`

/** Scores of a solver's winning solutions. Solutions of one solver in one auction share a reference score. */
const competed = `SELECT t.solver, ${part({
  wins: '1',
  score: 'CASE WHEN c.in_time THEN s.score ELSE 0 END',
  missed_score: 'CASE WHEN c.in_time THEN 0 ELSE s.score END',
  reference_score: `CASE WHEN EXISTS (SELECT FROM solutions b WHERE b.auction_id = s.auction_id AND b.solver = s.solver
    AND b.is_winner AND b.uid < s.uid) THEN 0 ELSE coalesce(s.reference_score, 0) END`,
  reverted: '(coalesce(t.reverted_gas, 0) > 0)::int',
  reverted_gas: 'coalesce(t.reverted_gas, 0)',
  reverted_cost: 'coalesce(t.reverted_gas * t.reverted_gas_price, 0)',
  cancelled: '(t.cancellation_gas IS NOT NULL)::int',
  cancellation_gas: 'coalesce(t.cancellation_gas, 0)',
  cancellation_cost: 'coalesce(t.cancellation_gas * t.cancellation_gas_price, 0)',
})}
  FROM settlement_attempts t JOIN solutions s ON s.auction_id = t.auction_id AND s.uid = t.solution_uid
    CROSS JOIN LATERAL (SELECT EXISTS (SELECT FROM settlements st WHERE st.auction_id = t.auction_id
      AND st.solution_uid = t.solution_uid AND st.block_number <= t.deadline_block) AS in_time OFFSET 0) c
  WHERE ${inRange('t')} GROUP BY t.solver`

const settled = `SELECT st.solver, ${part({
  settlements: '1',
  gas_used: 'coalesce(st.gas_used, 0)',
  gas_cost: 'coalesce(st.gas_used * st.effective_gas_price, 0)',
  without_gas: '(st.gas_used IS NULL OR st.effective_gas_price IS NULL)::int',
  without_amounts: '(NOT st.is_measured)::int',
})}
  FROM settlements st WHERE ${inRange('st')} GROUP BY st.solver`

const ofKind = (kind: string, what = 'sm.value') =>
  `CASE WHEN sm.kind = '${kind}' THEN coalesce(${what}, 0) ELSE 0 END`

const amountRows = `settlements st JOIN settlement_amounts sm ON sm.chain_id = st.chain_id AND sm.block_number = st.block_number
    AND sm.log_index = st.log_index WHERE ${inRange('st')}`

const kept = `SELECT st.solver, ${part({
  network_fees: ofKind('network'),
  protocol_fees: ofKind('protocol'),
  partner_fees: ofKind('partner'),
  slippage: ofKind('slippage'),
  unpriced: '(sm.value IS NULL)::int',
})}
  FROM ${amountRows} GROUP BY st.solver`

/** Accounts `acc` of range `ag`. */
export const accountRows = `(SELECT part.solver, ag.chain_id, ag.from_block, ag.to_block, ${sums.map((name) => `sum(part.${name}) AS ${name}`).join(', ')}
  FROM (${competed} UNION ALL ${settled} UNION ALL ${kept}) part GROUP BY part.solver ORDER BY part.solver) acc`

const sumsByKind = ['network', 'protocol', 'partner', 'slippage']
  .map((kind) => `sum(${ofKind(kind, 'sm.amount')}) AS ${kind}`)
  .join(', ')

/** Lines `line` of account `acc`, by token. */
const tokenRows = `(SELECT sm.token, ${sumsByKind}
  FROM ${amountRows.replaceAll('ag.', 'acc.')} AND st.solver = acc.solver GROUP BY sm.token) line ORDER BY line.token`

const partnerRows = `(SELECT sm.recipient, sm.token, sum(sm.amount) AS amount, sum(sm.value) AS value
  FROM ${amountRows.replaceAll('ag.', 'acc.')} AND st.solver = acc.solver AND sm.kind = 'partner'
  GROUP BY sm.recipient, sm.token) line ORDER BY line.recipient, line.token`

const lineToken = tokenIn(
  'acc.chain_id',
  'line.token',
  'The token of the amounts. The native coin counts as its wrapped form.',
)

const accountToken: Model = {
  name: 'AccountToken',
  description: 'Fees and slippage of a solver in one token, in atoms.',
  fields: {
    networkFees: derived(amount, 'line.network', 'For gas, paid by traders.'),
    protocolFees: derived(amount, 'line.protocol', 'Owed to the protocol.'),
    partnerFees: derived(amount, 'line.partner', 'Owed to partners.'),
    slippage: derived(signedAmount, 'line.slippage', 'The change without the fees; negative for a loss.'),
  },
  relations: { token: lineToken },
}

const accountPartner: Model = {
  name: 'AccountPartner',
  description: 'Fees that are owed to one partner in one token.',
  fields: {
    recipient: derived(address, 'line.recipient', 'The recipient of the fees.'),
    amount: derived(amount, 'line.amount', 'Their sum, in atoms.'),
    value: orNull(
      derived(amount, 'line.value', 'Their value in native atoms, of those with a price; null without any.'),
    ),
  },
  relations: { token: lineToken },
}

const count = (sql: string, description: string) => derived(smallInt, sql, description)
const native = (sql: string, description: string) => derived(amount, sql, `${description} In native atoms.`)

const accountFields = {
  solver: derived(address, 'acc.solver', 'The solver of the account.'),
  wins: count('acc.wins', 'Its winning solutions.'),
  score: native('acc.score', 'Score of its winning solutions that were settled by their deadline.'),
  missedScore: native('acc.missed_score', 'Score of its winning solutions that were not.'),
  referenceScore: native(
    'acc.reference_score',
    'The score that the others could have reached without it, in the auctions that it won.',
  ),
  settlements: count('acc.settlements', 'Its settlements on chain, also late ones.'),
  gasUsed: derived(amount, 'acc.gas_used', 'Gas of its settlements.'),
  gasCost: native('acc.gas_cost', 'The cost of that gas.'),
  revertedAttempts: count('acc.reverted', 'Transactions of its attempts that reverted.'),
  revertedGas: derived(amount, 'acc.reverted_gas', 'Gas of these.'),
  revertedGasCost: native('acc.reverted_cost', 'The cost of that gas.'),
  cancellations: count(
    'acc.cancelled',
    'Transfers that took the nonces of settlements past their deadline, or with cancelled orders.',
  ),
  cancellationGas: derived(amount, 'acc.cancellation_gas', 'Gas of these.'),
  cancellationGasCost: native('acc.cancellation_cost', 'The cost of that gas.'),
  networkFees: native('acc.network_fees', 'Network fees that traders paid for gas.'),
  protocolFees: native('acc.protocol_fees', 'Fees that it owes to the protocol.'),
  partnerFees: native('acc.partner_fees', 'Fees that it owes to partners.'),
  slippage: derived(
    signedAmount,
    'acc.slippage',
    'Changes of the settlement contract’s balances by its settlements, without the fees, in native atoms; negative for a loss.',
  ),
  settlementsWithoutGas: count(
    'acc.without_gas',
    'Settlements whose gas or gas price is unknown: they are missing above.',
  ),
  settlementsWithoutAmounts: count(
    'acc.without_amounts',
    'Settlements whose fees and slippage are unknown: they are missing above.',
  ),
  unpricedAmounts: count(
    'acc.unpriced',
    'Amounts of tokens without a price in the auction: they are in the tokens, and missing above.',
  ),
} satisfies Record<string, Field>

export const accountRow: RowFields<SolverAccount> = accountFields

const solverAccount: Model = {
  name: 'SolverAccount',
  description: 'A solver’s earnings and debts for a range of blocks.',
  fields: accountFields,
  relations: {
    tokens: {
      kind: 'many',
      model: () => accountToken,
      rows: tokenRows,
      items: 10,
      description: 'Fees and slippage by token.',
    },
    partners: {
      kind: 'many',
      model: () => accountPartner,
      rows: partnerRows,
      items: 10,
      description: 'Partner fees by recipient and token.',
    },
  },
}

/**
 * SQL condition: the sums of range `ag` have all auctions and attempts of their deadlines. Auctions that were
 * removed by their age had deadlines below that of the first one behind them, or a little above its block.
 */
export const isAccountingComplete = `(NOT ${isFollowed('ag.chain_id')} AND NOT EXISTS (SELECT FROM retention_marks rm
  WHERE rm.name = 'competitions:' || ag.chain_id AND ag.from_block <= coalesce((SELECT na.deadline_block FROM auctions na
    WHERE na.chain_id = ag.chain_id AND na.id > rm.place ORDER BY na.id LIMIT 1), ag.from_block)))`

const accounting: Model = {
  name: 'Accounting',
  description: 'The accounts of solvers for a range of blocks.',
  fields: {
    fromBlock: derived(safeInt, 'ag.from_block', 'First block of the range.'),
    toBlock: derived(
      safeInt,
      'ag.to_block',
      'Last block of the range, or the last that the indexer has passed: auctions with a later deadline are left out.',
    ),
    isComplete: derived(
      boolean,
      isAccountingComplete,
      'False if sums lack what is not known: on a network that follows an order book, wins, scores, attempts and the parts of fees; in a range of which auctions were removed by their age, scores and attempts.',
    ),
  },
  relations: {
    solvers: {
      kind: 'many',
      model: () => solverAccount,
      rows: accountRows,
      // It reads every auction of the range.
      items: 50,
      description: 'One account for each solver that won or settled anything, by address.',
    },
  },
}

/** Lines `line` of all solvers of range `ag`. */
export const lineRows = `(SELECT st.solver, sm.token, sm.recipient, ${sumsByKind}
  FROM ${amountRows} GROUP BY st.solver, sm.token, sm.recipient ORDER BY st.solver, sm.token, sm.recipient NULLS FIRST) line`

export const lineRow = {
  solver: derived(address, 'line.solver', ''),
  token: derived(address, 'line.token', ''),
  recipient: orNull(derived(address, 'line.recipient', '')),
  networkFees: derived(amount, 'line.network', ''),
  protocolFees: derived(amount, 'line.protocol', ''),
  partnerFees: derived(amount, 'line.partner', ''),
  slippage: derived(signedAmount, 'line.slippage', ''),
}

export interface AccountRange {
  chainId: number
  from: number
  to: number
}

/** Range `ag`; none before the first block is indexed. */
export const accountRange = ({ chainId, from, to }: AccountRange): Prisma.Sql =>
  Prisma.sql`(SELECT cp.chain_id, ${from}::bigint AS from_block, least(${to}::bigint, cp.block_number - 1) AS to_block
    FROM checkpoints cp WHERE cp.chain_id = ${chainId}) ag`

export const accountingOf: OneRow = {
  kind: 'one',
  model: () => accounting,
  nullable: true,
  rows: accountRange,
  description:
    'Accounts of the auctions whose deadline is in a range of blocks, of up to a week: competition, settlements and the amounts that they kept. Null before the first block is indexed.',
}
