import {
  amount,
  bool,
  graphWord,
  hex,
  many,
  nodeId,
  number,
  orNull,
  string,
  time,
  token,
  word,
} from './expressions.ts'
import type { Leaf, Noun } from './noun.ts'

export const event: Noun = {
  name: 'OrderEvent',
  leaves: {
    label: graphWord('ev.label'),
    reason: orNull(string('ev.reason')),
    timestamp: time('ev.timestamp'),
  },
  children: {},
}

const tradedToken = (column: string) =>
  token(
    'tr.chain_id',
    column,
    (wanted) =>
      `(SELECT tk.${wanted} FROM tokens tk WHERE tk.chain_id = tr.chain_id AND tk.address = ${column})`,
  )

export const trade: Noun = {
  name: 'Trade',
  leaves: {
    id: nodeId('Trade', 'tr.chain_id', 'tr.block_number', 'tr.log_index'),
    blockNumber: number('tr.block_number'),
    logIndex: number('tr.log_index'),
    orderUid: hex('tr.order_uid'),
    owner: hex('tr.owner'),
    sellAmount: amount('tr.sell_amount'),
    sellAmountBeforeFees: amount('(tr.sell_amount - tr.fee_amount)'),
    buyAmount: amount('tr.buy_amount'),
    txHash: hex('tr.tx_hash'),
    auctionId: orNull(number('tr.auction_id')),
  },
  children: {
    sellToken: tradedToken('tr.sell_token'),
    buyToken: tradedToken('tr.buy_token'),
  },
}

export const nativePrice: Noun = {
  name: 'NativePrice',
  leaves: { token: hex('np.token'), price: amount('np.price') },
  children: {},
}

export const proposedSolution: Noun = {
  name: 'ProposedSolution',
  leaves: {
    solutionUid: number('s.uid'),
    ranking: number('s.ranking'),
    solver: hex('s.solver'),
    isWinner: bool('s.is_winner'),
    filteredOut: bool('s.filtered_out'),
    score: amount('s.score'),
    executedSell: amount('px.executed_sell'),
    executedBuy: amount('px.executed_buy'),
  },
  children: {},
}

const protocolFee: Noun = {
  name: 'ProtocolFee',
  leaves: { token: hex('pf.token'), amount: amount('pf.amount') },
  children: {},
}

export const execution: Noun = {
  name: 'Execution',
  leaves: {
    executedFee: amount('x.executed_fee'),
    executedFeeToken: hex('x.executed_fee_token'),
    blockNumber: number('x.block_number'),
  },
  children: {
    protocolFees: many(
      () => protocolFee,
      `unnest(x.protocol_fee_tokens, x.protocol_fee_amounts) WITH ORDINALITY AS pf(token, amount, position) ORDER BY pf.position`,
    ),
  },
}

export const attempt: Noun = {
  name: 'SettlementAttempt',
  leaves: {
    solver: hex('t.solver'),
    solutionUid: number('t.solution_uid'),
    startTimestamp: time('t.started_at'),
    startBlock: number('t.start_block'),
    deadlineBlock: number('t.deadline_block'),
    endTimestamp: orNull(time('t.ended_at')),
    endBlock: orNull(number('t.end_block')),
    outcome: orNull(string('t.outcome')),
  },
  children: {},
}

/** A factor of one kind of policy; null in policies of the other kinds. */
const factor = (kind: string, column: string): Leaf =>
  orNull(number(`(CASE WHEN p.kind = '${kind}' THEN trim_scale(${column} / 1000000.0) END)`))

export const feePolicy: Noun = {
  name: 'FeePolicy',
  leaves: {
    kind: word(`CASE p.kind WHEN 'priceImprovement' THEN 'PRICE_IMPROVEMENT' ELSE upper(p.kind) END`),
    surplusFactor: factor('surplus', 'p.factor'),
    surplusMaxVolumeFactor: factor('surplus', 'p.max_volume_factor'),
    volumeFactor: factor('volume', 'p.factor'),
    priceImprovementFactor: factor('priceImprovement', 'p.factor'),
    priceImprovementMaxVolumeFactor: factor('priceImprovement', 'p.max_volume_factor'),
  },
  children: {},
}

export const auctionReport: Noun = {
  name: 'AuctionReport',
  leaves: { id: number('a.id'), block: number('a.block'), deadline: number('a.deadline_block') },
  children: {
    nativePrices: many(
      () => nativePrice,
      `auction_prices np WHERE np.auction_id = a.id AND np.token IN (o.sell_token, o.buy_token) ORDER BY np.token = o.buy_token`,
    ),
    proposedSolutions: many(
      () => proposedSolution,
      `solution_executions px JOIN solutions s ON s.auction_id = px.auction_id AND s.uid = px.solution_uid
       WHERE px.order_id = o.id AND px.auction_id = a.id ORDER BY px.solution_uid`,
    ),
    executions: many(() => execution, `executions x WHERE x.order_id = o.id AND x.auction_id = a.id`),
    settlementAttempts: many(
      () => attempt,
      `settlement_attempts t WHERE t.auction_id = a.id ORDER BY t.started_at, t.solution_uid`,
    ),
    feePolicies: many(
      () => feePolicy,
      `fee_policies p WHERE p.order_id = o.id AND p.auction_id = a.id ORDER BY p.position`,
    ),
  },
}
