import { bare, escaped, hex, list, object, orNull, type Piece, quoted, time, toSql } from './json-text.ts'

/** The bodies of two REST answers, each from one hand-written statement. */

const status = `CASE
  WHEN CASE o.kind WHEN 'buy' THEN o.executed_buy > 0 AND o.executed_buy = o.buy_amount
    ELSE o.executed_sell > 0 AND o.executed_sell - o.executed_signed_fee = o.sell_amount END THEN 'fulfilled'
  WHEN o.cancelled_at IS NOT NULL OR o.invalidated THEN 'cancelled'
  WHEN o.effective_valid_to < extract(epoch FROM now()) THEN 'expired'
  WHEN o.signing_scheme = 'presign' AND NOT o.presigned THEN 'presignaturePending'
  ELSE 'open' END`

const orderMembers: Record<string, Piece[]> = {
  creationDate: time('o.created_at'),
  owner: hex('o.owner'),
  from: hex('o.owner'),
  uid: hex('o.uid'),
  availableBalance: [{ text: 'null' }],
  executedBuyAmount: quoted('o.executed_buy'),
  executedSellAmount: quoted('o.executed_sell'),
  executedSellAmountBeforeFees: quoted('o.executed_sell - o.executed_signed_fee'),
  executedFeeAmount: quoted('o.executed_signed_fee'),
  executedFee: quoted('o.executed_fee'),
  executedFeeToken: hex('coalesce(o.executed_fee_token, o.sell_token)'),
  invalidated: bare('o.cancelled_at IS NOT NULL OR o.invalidated'),
  status: quoted(status),
  class: quoted('o.class'),
  settlementContract: hex('o.settlement'),
  isLiquidityOrder: bare(`o.class = 'liquidity'`),
  fullAppData: orNull(escaped('(SELECT d.document FROM app_data d WHERE d.hash = o.app_data)')),
  receiver: orNull(hex('o.receiver')),
  sellAmount: quoted('o.sell_amount'),
  buyAmount: quoted('o.buy_amount'),
  feeAmount: quoted('o.fee_amount'),
  validTo: bare('o.valid_to'),
  appData: hex('o.app_data'),
  appDataHash: hex('o.app_data'),
  kind: quoted('o.kind'),
  partiallyFillable: bare('o.partially_fillable'),
  sellTokenBalance: quoted('o.sell_token_balance'),
  buyTokenBalance: quoted('o.buy_token_balance'),
  signingScheme: quoted('o.signing_scheme'),
  signature: hex('o.signature'),
  fullBalanceCheck: bare('o.full_balance_check'),
  interactions: bare(`coalesce(o.interactions::text, '{"pre":[],"post":[]}')`),
  sellToken: hex('o.sell_token'),
  buyToken: hex('o.buy_token'),
}

const optionalMembers = { validFrom: bare('o.valid_from'), quoteId: bare('o.quote_id') }

const quote = object({
  gasAmount: quoted('q.gas_amount'),
  gasPrice: quoted('q.gas_price'),
  sellTokenPrice: quoted('q.sell_token_price'),
  sellAmount: quoted('q.sell_amount'),
  buyAmount: quoted('q.buy_amount'),
  feeAmount: quoted('q.fee_amount'),
  solver: hex('q.solver'),
  verified: bare('q.verified'),
  metadata: [{ text: 'null' }],
})

const proposedSolution = object({
  solutionUid: bare('s.uid'),
  ranking: bare('s.ranking'),
  solver: hex('s.solver'),
  isWinner: bare('s.is_winner'),
  filteredOut: bare('s.filtered_out'),
  score: quoted('s.score'),
  executedSell: quoted('px.executed_sell'),
  executedBuy: quoted('px.executed_buy'),
})

const execution = object({
  executedFee: quoted('x.executed_fee'),
  executedFeeToken: hex('x.executed_fee_token'),
  blockNumber: bare('x.block_number'),
  protocolFees: list(
    object({ token: hex('f.token'), amount: quoted('f.amount') }),
    'f.position',
    'unnest(x.protocol_fee_tokens, x.protocol_fee_amounts) WITH ORDINALITY AS f(token, amount, position)',
  ),
})

const attempt = object(
  {
    solver: hex('t.solver'),
    solutionUid: bare('t.solution_uid'),
    startTimestamp: time('t.started_at'),
    startBlock: bare('t.start_block'),
    deadlineBlock: bare('t.deadline_block'),
  },
  { endTimestamp: time('t.ended_at'), endBlock: bare('t.end_block'), outcome: escaped('t.outcome') },
)

/** Converts parts per million to a plain number. */
const factor = (kind: string, column: string) =>
  bare(
    `CASE WHEN p.policy->>'kind' = '${kind}' THEN trim_scale((p.policy->>'${column}')::int / 1000000.0) END`,
  )

const feePolicy = object(
  { kind: quoted(`p.policy->>'kind'`) },
  {
    surplusFactor: factor('surplus', 'factor'),
    surplusMaxVolumeFactor: factor('surplus', 'maxVolumeFactor'),
    volumeFactor: factor('volume', 'factor'),
    priceImprovementFactor: factor('priceImprovement', 'factor'),
    priceImprovementMaxVolumeFactor: factor('priceImprovement', 'maxVolumeFactor'),
  },
)

const nativePrices = `(SELECT string_agg(${toSql([...hex('np.token'), { text: ':' }, ...quoted('np.price')])}, ',' ORDER BY np.token = o.buy_token)
  FROM price_series ps CROSS JOIN LATERAL (SELECT ps.token, c.price FROM price_changes c
    WHERE c.series_id = ps.id AND c.auction_id <= a.id ORDER BY c.auction_id DESC LIMIT 1) np
  WHERE ps.chain_id = a.chain_id AND ps.token IN (o.sell_token, o.buy_token) AND np.price IS NOT NULL)`

const auction = object({
  id: bare('a.id'),
  block: bare('a.block'),
  deadline: bare('a.deadline_block'),
  nativePrices: [{ text: '{' }, { sql: `coalesce(${nativePrices}, '')` }, { text: '}' }],
  proposedSolutions: list(
    proposedSolution,
    's.uid',
    `solution_executions px JOIN solutions s ON s.auction_id = px.auction_id AND s.uid = px.solution_uid
     WHERE px.order_id = o.id AND px.auction_id = a.id`,
  ),
  executions: list(
    execution,
    'x.block_number',
    'executions x WHERE x.order_id = o.id AND x.auction_id = a.id',
  ),
  settlementAttempts: list(
    attempt,
    't.started_at, t.solution_uid',
    'settlement_attempts t WHERE t.auction_id = a.id',
  ),
  feePolicies: list(
    feePolicy,
    'p.position',
    `fee_policy_sets ps CROSS JOIN LATERAL jsonb_array_elements(ps.policies) WITH ORDINALITY AS p(policy, position)
     WHERE ps.id = (SELECT policy_set_id FROM solution_executions WHERE order_id = o.id AND auction_id = a.id LIMIT 1)`,
  ),
})

const event = object(
  { label: quoted('ev.label'), timestamp: time('ev.timestamp') },
  { reason: escaped('ev.reason') },
)

const trade = object(
  {
    blockNumber: bare('tr.block_number'),
    logIndex: bare('tr.log_index'),
    buyAmount: quoted('tr.buy_amount'),
    sellAmount: quoted('tr.sell_amount'),
    sellAmountBeforeFees: quoted('tr.sell_amount - tr.fee_amount'),
  },
  { txHash: hex('tr.tx_hash'), auctionId: bare('tr.auction_id') },
)

const report = object({
  orderUid: hex('o.uid'),
  order: object(orderMembers, {
    ...optionalMembers,
    quote: bare(`SELECT ${toSql(quote)} FROM order_quotes q WHERE q.order_id = o.id`),
  }),
  events: list(event, 'ev.timestamp, ev.id', 'order_events ev WHERE ev.order_id = o.id'),
  auctions: list(
    auction,
    'a.id',
    `auction_spans ao JOIN auctions a ON a.chain_id = o.chain_id
       AND a.id BETWEEN ao.first_auction AND coalesce(ao.last_auction, 9223372036854775807)
     WHERE ao.order_id = o.id`,
  ),
  trades: list(
    trade,
    'tr.block_number DESC, tr.log_index DESC',
    '(SELECT * FROM trades WHERE order_id = o.id ORDER BY block_number DESC, log_index DESC LIMIT 100) tr',
  ),
})

/** Parameters: chain id, UID. */
export const debugReportSql = `SELECT ${toSql(report)} AS body FROM orders o WHERE o.chain_id = $1 AND o.uid = $2`

const orders = list(
  object(orderMembers, optionalMembers),
  'o.created_at DESC, o.id DESC',
  '(SELECT * FROM orders WHERE chain_id = $1 AND owner = $2 ORDER BY created_at DESC, id DESC LIMIT $3) o',
)

/** Parameters: chain id, owner, limit. */
export const accountOrdersSql = `SELECT ${toSql(orders)} AS body`
