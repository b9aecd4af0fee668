import { amount, hex, many, time, token, word } from './expressions.ts'
import type { Noun } from './noun.ts'

export const event: Noun = {
  name: 'OrderEvent',
  leaves: { label: word('ev.label'), reason: 'ev.reason', timestamp: time('ev.timestamp') },
  children: {},
}

export const trade: Noun = {
  name: 'Trade',
  leaves: {
    blockNumber: 'tr.block_number',
    logIndex: 'tr.log_index',
    orderUid: hex('tr.order_uid'),
    owner: hex('tr.owner'),
    sellAmount: amount('tr.sell_amount'),
    sellAmountBeforeFees: amount('(tr.sell_amount - tr.fee_amount)'),
    buyAmount: amount('tr.buy_amount'),
    txHash: hex('tr.tx_hash'),
    auctionId: 'tr.auction_id',
  },
  children: {
    sellToken: token('tr.chain_id', 'tr.sell_token'),
    buyToken: token('tr.chain_id', 'tr.buy_token'),
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
    solutionUid: 's.uid',
    ranking: 's.ranking',
    solver: hex('s.solver'),
    isWinner: 's.is_winner',
    filteredOut: 's.filtered_out',
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
    blockNumber: 'x.block_number',
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
    solutionUid: 't.solution_uid',
    startTimestamp: time('t.started_at'),
    startBlock: 't.start_block',
    deadlineBlock: 't.deadline_block',
    endTimestamp: time('t.ended_at'),
    endBlock: 't.end_block',
    outcome: 't.outcome',
  },
  children: {},
}

/** A factor of one kind of policy; null in policies of the other kinds. */
const factor = (kind: string, column: string) =>
  `CASE WHEN p.kind = '${kind}' THEN trim_scale(${column} / 1000000.0) END`

export const feePolicy: Noun = {
  name: 'FeePolicy',
  leaves: {
    kind: `CASE p.kind WHEN 'priceImprovement' THEN 'PRICE_IMPROVEMENT' ELSE ${word('p.kind')} END`,
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
  leaves: { id: 'a.id', block: 'a.block', deadline: 'a.deadline_block' },
  children: {
    nativePrices: many(
      () => nativePrice,
      `auction_prices np WHERE np.auction_id = a.id AND np.token IN (o.sell_token, o.buy_token) ORDER BY np.token = o.buy_token`,
    ),
    proposedSolutions: many(
      () => proposedSolution,
      `solution_executions px JOIN solutions s ON s.auction_id = px.auction_id AND s.uid = px.solution_uid
       WHERE px.order_id = o.id AND px.auction_id = a.id ORDER BY s.uid`,
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
