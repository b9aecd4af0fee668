import { auctionNumberSql, isHeldHereSql } from '../../../domain/auction/key.ts'
import type { Address } from '../../../domain/evm/address.ts'
import type { Bytes32 } from '../../../domain/evm/hex.ts'
import { feeKinds } from '../../../domain/settlement/accounting.ts'
import { bytea } from '../../database/columns.ts'
import { Prisma } from '../../generated/client.ts'
import {
  address,
  amount,
  boolean,
  bytes32,
  enumOf,
  rowKey,
  safeInt,
  signedAmount,
  smallInt,
} from '../../query/codec.ts'
import {
  column,
  defineModel,
  derived,
  type Model,
  modelNamed,
  orNull,
  type Relation,
} from '../../query/model.ts'
import { nodeId } from '../../query/node-id.ts'
import type { PageKey } from '../../query/page-key.ts'
import { isOwnBook } from '../completeness.ts'
import { tokenIn } from '../token.ts'
import { trade } from '../trade.ts'
import { isShown } from './auction.ts'
import { feePolicyKinds } from './fee-policy.ts'

const value = orNull(
  derived(
    signedAmount,
    'sm.value',
    'Its value in native atoms by the prices of the auction, rounded down; null without a price.',
  ),
)
const inToken = tokenIn(
  'st.chain_id',
  'sm.token',
  'The token of amount. The native coin counts as its wrapped form.',
)

const settlementFee: Model = {
  name: 'SettlementFee',
  description: 'Fees of one kind in one token that the trades of a settlement paid.',
  fields: {
    kind: column(enumOf('FeeKind', feeKinds), 'sm.kind', 'The kind of the fee.'),
    policy: orNull(
      column(
        enumOf('FeePolicyKind', feePolicyKinds),
        'sm.policy',
        'The kind of the policy; null for the network fee.',
      ),
    ),
    recipient: orNull(
      column(address, 'sm.recipient', 'The recipient of partner fees; null for other kinds.'),
    ),
    amount: derived(amount, 'sm.amount', 'Their sum.'),
    value,
  },
  relations: { token: inToken },
}

const slippage: Model = {
  name: 'Slippage',
  description:
    'The change of one token of the settlement contract by a settlement, without the fees; negative for a loss.',
  fields: { amount: derived(signedAmount, 'sm.amount', 'The gain.'), value },
  relations: { token: inToken },
}

const amountsOf = (condition: string) =>
  `settlement_amounts sm WHERE sm.chain_id = st.chain_id AND sm.block_number = st.block_number AND sm.log_index = st.log_index
    AND ${condition} ORDER BY sm.position`

/** The competition of settlement `st`, unless it is hidden. */
const shownCompetition = `solutions s JOIN auctions a ON a.id = s.auction_id
  WHERE s.auction_id = st.auction_id AND s.uid = st.solution_uid AND ${isShown}`

/** Log index of the settlement before `st` in its block. */
const previousIndex = `coalesce((SELECT max(ps.log_index) FROM settlements ps WHERE ps.chain_id = st.chain_id
  AND ps.block_number = st.block_number AND ps.log_index < st.log_index), -1)`

/** Settlement `st`. */
export const settlement: Model = defineModel({
  name: 'Settlement',
  description: 'A settlement in a block: its cost, its fees, and its slippage.',
  isFollowed: true,
  fields: {
    id: nodeId('Settlement', 'st.chain_id', 'st.block_number', 'st.log_index'),
    blockNumber: column(safeInt, 'st.block_number', 'Its block.'),
    logIndex: column(smallInt, 'st.log_index', 'Index of its log in the block.'),
    solver: column(
      address,
      'st.solver',
      'Its solver: the outermost account on the way from the sender of the transaction to the settlement contract that was allowed to settle. While isComplete is false, the account that called the settlement contract.',
    ),
    txHash: column(bytes32, 'st.tx_hash', 'Its transaction.'),
    auctionId: orNull(
      derived(
        rowKey,
        auctionNumberSql('st.auction_id'),
        'The auction it settles; null when it is not one of this service.',
      ),
    ),
    solutionUid: orNull(
      column(smallInt, 'st.solution_uid', 'Its solution; null when it is not one of this service.'),
    ),
    score: orNull(
      derived(
        amount,
        `(SELECT s.score FROM ${shownCompetition})`,
        'The score of its solution, in native atoms; null while the competition is hidden.',
      ),
    ),
    gasUsed: orNull(
      column(
        amount,
        'st.gas_used',
        'The gas of its transaction; 0 for a further settlement in the same transaction. Null if unknown.',
      ),
    ),
    effectiveGasPrice: orNull(
      column(amount, 'st.effective_gas_price', 'Wei that a unit of gas cost; null when it is not known.'),
    ),
    isComplete: derived(
      boolean,
      'NOT st.is_unread AND st.solver_due IS NULL',
      'True once its transaction is read, and its solver is known. While no node knows the transaction, only its logs are known: its auction, gas, fees and slippage are null. If another contract called the settlement contract, its solver and its auction are known once a node traces the transaction.',
    ),
    gasCost: orNull(
      derived(
        amount,
        'st.gas_used * st.effective_gas_price',
        'The cost of its gas for the solver, in native atoms.',
      ),
    ),
  },
  relations: {
    auction: {
      kind: 'one',
      model: modelNamed('Auction'),
      nullable: true,
      rows: 'auctions a WHERE a.id = st.auction_id',
      description: 'The auction it settles; null when it is not one of this service.',
    },
    trades: {
      kind: 'many',
      model: () => trade,
      rows: `trades tr WHERE tr.chain_id = st.chain_id AND tr.block_number = st.block_number AND tr.log_index < st.log_index
        AND tr.log_index > ${previousIndex} AND tr.tx_hash = st.tx_hash ORDER BY tr.log_index`,
      items: 2,
      description: 'Its trades, in the order of the logs.',
    },
    fees: {
      kind: 'many',
      model: () => settlementFee,
      rows: amountsOf(`sm.kind <> 'slippage'`),
      unless: `NOT st.is_measured OR NOT coalesce(${isHeldHereSql('st.auction_id')}, true)`,
      nullable: true,
      items: 3,
      description:
        'Fees by kind, policy and token, by the records of the auction; null when they are not known, as for an auction of another order book: a trade has those that it reports.',
    },
    slippage: {
      kind: 'many',
      model: () => slippage,
      rows: amountsOf(`sm.kind = 'slippage'`),
      unless: 'NOT st.is_measured',
      nullable: true,
      items: 3,
      description:
        'The changes of the settlement contract’s balances by the logs of its transaction, less the fees, by token; null if unknown.',
    },
  },
  identity: { chainId: column(smallInt, 'st.chain_id', '') },
})

/** Settlements of a network, newest first. */
const settlementsKey: PageKey = {
  letter: 'e',
  parts: [
    { sql: 'st.block_number', type: 'number' },
    { sql: 'st.log_index', type: 'number' },
  ],
  order: 'DESC',
}

export const listedSettlements: Relation = {
  kind: 'page',
  model: () => settlement,
  rows: ({ chainId, solver }: { chainId: number; solver: Address | null }) => ({
    ranges: [
      solver === null
        ? Prisma.sql`settlements st WHERE st.chain_id = ${chainId}`
        : Prisma.sql`settlements st WHERE st.chain_id = ${chainId} AND st.solver = ${bytea(solver)}`,
    ],
    isComplete: Prisma.sql`${isOwnBook([chainId])} AND EXISTS (SELECT FROM checkpoints kc WHERE kc.chain_id = ${chainId})`,
    mayBeEmpty: true,
  }),
  key: settlementsKey,
  description: 'Settlements of a network, newest first.',
}

export const settlementsOfTransaction: Relation = {
  kind: 'many',
  model: () => settlement,
  rows: ({ chainId, hash }: { chainId: number; hash: Bytes32 }) =>
    Prisma.sql`settlements st WHERE st.tx_hash = ${bytea(hash)} AND st.chain_id = ${chainId} ORDER BY st.block_number, st.log_index`,
  items: 1,
  description: 'The settlements of a transaction, in the order of their logs: mostly one.',
}
