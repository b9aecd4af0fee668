import type { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { affiliateTotals, traderActivity, traderTotals } from '../../src/storage/affiliate/statistics.ts'
import { dueProgrammaticOrders } from '../../src/storage/chain/programmatic.ts'
import { unknownParts } from '../../src/storage/chain/programmatic-parts.ts'
import { orderAuctions } from '../../src/storage/models/auction/auction.ts'
import { numbered } from '../fakes/order.ts'
import { connectDirectly, type TestDatabase } from '../setup/database.ts'
import { network, openTestServer, type TestServer } from '../setup/server.ts'
import { graphql, request } from '../setup/trader.ts'

const { chainId } = network
const hash = `0x${'00'.repeat(31)}07`
const uid = `0x${'00'.repeat(55)}07`
const owner = numbered('0a')
const counted = [
  { chainId, wrappedNative: numbered('0c'), reference: { token: numbered('0b'), decimals: 6 } },
]
const referred = [
  'orders_referred_idx',
  'trades_order_id_block_number_log_index_idx',
  'auctions_pkey',
  'price_changes_pkey',
]

const rest = (path: string, from = server) => request(`${from.url}/sepolia/api${path}`)
const ask = (question: string) => graphql(server.url, question)

const tradeCursor = Buffer.from(`n50.1.${chainId}`).toString('base64url')

/** Unique bytes for a number. */
const bytes = (number: string, width: number) => `decode(lpad(to_hex(${number}), ${width * 2}, '0'), 'hex')`

let server: TestServer
/** Over the same rows, with competitions hidden by the operator. */
let hiding: TestServer
let database: TestDatabase
let client: Client

/** Large enough that the planner does not scan a whole table for a few rows. */
beforeAll(async () => {
  server = await openTestServer({}, { isNew: true })
  database = server.database
  hiding = await openTestServer({}, { db: database.db, hidesCompetitions: true })
  client = await connectDirectly(database.url)
  const rows = 'generate_series(1, 12000) AS g'
  for (const statement of [
    `INSERT INTO orders (chain_id, uid, owner, sell_token, buy_token, sell_amount, buy_amount, valid_to, app_data, fee_amount,
       kind, partially_fillable, sell_token_balance, buy_token_balance, signing_scheme, signature, settlement, class,
       full_balance_check, created_at, effective_valid_to)
     SELECT ${chainId}, ${bytes('g', 56)}, ${bytes('g % 3000', 20)}, ${bytes('g % 400', 20)}, ${bytes('g % 300', 20)}, 1, 1, 1, '',
       0, 'sell', false, 'erc20', 'erc20', 'eip712', '', '', 'limit', false, now(), 1 FROM ${rows}`,
    `INSERT INTO trades (chain_id, block_number, log_index, order_id, order_uid, owner, sell_token, buy_token, sell_amount,
       buy_amount, fee_amount, tx_hash, auction_id)
     SELECT chain_id, id, 1, id, uid, owner, sell_token, buy_token, 1, 1, 0, ${bytes('id', 32)}, id FROM orders`,
    `INSERT INTO settlements (chain_id, block_number, log_index, solver, tx_hash, auction_id, solution_uid)
     SELECT chain_id, block_number, 2, '', tx_hash, auction_id, 0 FROM trades`,
    `INSERT INTO auctions (id, chain_id, block, deadline_block) SELECT g, ${chainId}, g, g + 3 FROM ${rows}`,
    'INSERT INTO auction_orders (order_id, auction_id) SELECT id, id FROM orders',
    `INSERT INTO auction_prices (auction_id, token, price) SELECT id, sell_token, 1 FROM orders`,
    `INSERT INTO solutions (auction_id, uid, ranking, solver, is_winner, filtered_out, score)
     SELECT g, 0, 1, '', true, false, 1 FROM ${rows}`,
    `INSERT INTO solution_executions (order_id, auction_id, solution_uid, executed_sell, executed_buy)
     SELECT id, id, 0, 1, 1 FROM orders`,
    `INSERT INTO executions (order_id, auction_id, executed_fee, executed_fee_token, block_number)
     SELECT order_id, auction_id, 0, '', block_number FROM trades`,
    `INSERT INTO settlement_attempts (auction_id, solution_uid, chain_id, solver, started_at, start_block, deadline_block)
     SELECT g, 0, ${chainId}, '', now(), g, g + 3 FROM ${rows}`,
    `INSERT INTO fee_policy_sets (policies) SELECT jsonb_build_array(jsonb_build_object('kind', 'volume', 'factor', g)) FROM ${rows}`,
    `INSERT INTO fee_policies (order_id, auction_id, position, kind, factor) SELECT id, id, 0, 'volume', 1 FROM orders`,
    `INSERT INTO tokens (chain_id, address) SELECT ${chainId}, ${bytes('g', 20)} FROM ${rows}`,
    `INSERT INTO order_events (order_id, label, timestamp) SELECT id, 'created', now() FROM orders`,
    `INSERT INTO programmatic_orders (chain_id, owner, hash, handler, salt, static_input, created_block, type)
     SELECT ${chainId}, owner, ${bytes('id', 32)}, ${bytes('7', 20)}, ${bytes('id', 32)}, '', id, 'TWAP' FROM orders`,
    `INSERT INTO programmatic_creations (chain_id, block_number, log_index, tx_hash, owner, hash, block_time)
     SELECT chain_id, created_block, 1, hash, owner, hash, now() FROM programmatic_orders`,
    `INSERT INTO programmatic_parts (order_id, chain_id, owner, hash, next_look)
     SELECT id, chain_id, owner, ${bytes('id', 32)}, CASE WHEN id % 100 = 0 THEN 0 END FROM orders`,
    `INSERT INTO programmatic_roots (chain_id, block_number, log_index, tx_hash, owner, root, location)
     SELECT chain_id, created_block, 1, hash, owner, hash, 1 FROM programmatic_orders`,
    `INSERT INTO sheds (chain_id, block_number, log_index, tx_hash, shed, account)
     SELECT ${chainId}, g, 2, ${bytes('g', 32)}, ${bytes('g + 5000', 20)}, ${bytes('g + 50000', 20)} FROM ${rows}`,
    `INSERT INTO account_histories (chain_id, account, unread_to, turn_at)
     SELECT ${chainId}, ${bytes('g', 20)}, -1, now() FROM ${rows}`,
    'VACUUM ANALYZE',
  ])
    await client.query(statement)
})
afterAll(async () => {
  await client?.end()
  await hiding?.[Symbol.asyncDispose]()
  await server?.[Symbol.asyncDispose]()
})

test.each<[string, () => Promise<unknown>, string[]]>([
  [
    'a token’s history',
    () => rest(`/v1/token/${numbered('0b')}/metadata`),
    [
      'trades_chain_id_sell_token_block_number_idx',
      'trades_chain_id_buy_token_block_number_idx',
      'price_changes_pkey',
    ],
  ],
  [
    'the orders of a transaction',
    () => rest(`/v1/transactions/${hash}/orders`),
    ['settlements_tx_hash_idx', 'trades_pkey'],
  ],
  ['the newest auction', () => rest('/v2/solver_competition/latest'), ['Scan Backward using auctions_']],
  [
    'the newest auction to be shown',
    () => rest('/v2/solver_competition/latest', hiding),
    ['Scan Backward using auctions_'],
  ],
  [
    'the auction of a transaction',
    () => rest(`/v2/solver_competition/by_tx_hash/${hash}`),
    ['settlements_tx_hash_idx', 'auctions_pkey'],
  ],
  [
    'the settlements of an auction',
    () => ask('{ auction(id: 7) { transactionHashes } }'),
    ['settlements_auction_id_solution_uid_idx'],
  ],
  [
    'the progress of an order',
    () => rest(`/v1/orders/${uid}/status`),
    [
      'order_events_order_id_timestamp_id_idx',
      'trades_order_id_block_number_log_index_idx',
      'auction_spans_pkey',
      'solutions_pkey',
    ],
  ],
  [
    'pages of what happened to an order, both ways',
    () =>
      ask(`{ order(uid: "${uid}") {
        events(last: 2) { nodes { label } pageInfo { hasPreviousPage } totalCount }
        trades(first: 2) { nodes { blockNumber } pageInfo { hasNextPage } totalCount }
        debugReport { auctions(last: 2) { edges { cursor node {
          nativePrices { price } proposedSolutions { score } executions { executedFee }
          settlementAttempts { outcome } feePolicies { __typename } } } totalCount } }
      } }`),
    [
      'order_events_order_id_timestamp_id_idx',
      'trades_order_id_block_number_log_index_idx',
      'auction_spans_pkey',
      'price_changes_pkey',
      'solution_executions_pkey',
      'solutions_pkey',
      'executions_pkey',
      'settlement_attempts_pkey',
      'fee_policy_sets_pkey',
    ],
  ],
  [
    'the trades of an account, by offset',
    () => rest(`/v2/trades?owner=${owner}&limit=5`),
    ['trades_chain_id_owner_block_number_log_index_idx'],
  ],
  [
    'the trades of an account, by cursor',
    () =>
      ask(`{ account(address: "${owner}") { trades(first: 5, network: "sepolia") { nodes { txHash } } } }`),
    ['trades_chain_id_owner_block_number_log_index_idx'],
  ],
  [
    'all trades of a network, both ways',
    () =>
      ask(`{ trades(last: 5, before: "${tradeCursor}") { nodes { txHash } pageInfo { hasPreviousPage } } }`),
    ['trades_pkey'],
  ],
  [
    'the auctions of a network',
    () => ask('{ auctions(first: 5) { nodes { auctionId createdAt isFinished orderCount solutionCount } } }'),
    ['Scan Backward using auctions_', 'auction_spans', 'solutions_pkey'],
  ],
  [
    'a page of the book, by a filter',
    () =>
      ask(`{ bookEvents(filter: { owners: ["${owner}"], labels: [CREATED] }, after: "5", first: 5) {
        nodes { event { label } order { uid } trade { id isReverted } } pageInfo { endCursor } } }`),
    ['order_feed_pkey', 'orders_pkey', 'order_events_pkey', 'order_feed_event_id_idx', 'trades_pkey'],
  ],
  [
    'orders by their changes',
    () => ask('{ orders(changedAfter: "5", first: 5) { nodes { uid } pageInfo { endCursor hasNextPage } } }'),
    [
      'order_feed_pkey',
      'trade_feed_pkey',
      'orders_pkey',
      'order_feed_order_id_place_idx',
      'trade_feed_order_id_place_idx',
    ],
  ],
  [
    'trades by their changes',
    () =>
      ask(
        '{ trades(changedAfter: "5", first: 5) { nodes { id isReverted } pageInfo { endCursor hasNextPage } } }',
      ),
    ['trade_feed_pkey', 'trades_pkey', 'trade_feed_chain_id_block_number_log_index_place_idx'],
  ],
  [
    'the tokens of a network',
    () => ask('{ network(name: "sepolia") { tokens(first: 5) { nodes { symbol } } } }'),
    ['Scan Backward using tokens_chain_id_rank_address_idx', 'tokens_pkey'],
  ],
  [
    'the orders of an account, by offset',
    () => rest(`/v1/account/${owner}/orders?limit=5`),
    ['orders_chain_id_owner_created_at_id_idx'],
  ],
  [
    'the surplus of an account',
    () => rest(`/v1/users/${owner}/total_surplus`),
    ['trades_chain_id_owner_block_number_log_index_idx'],
  ],
  [
    'what the traders of an affiliate earned',
    () => affiliateTotals(database.db, owner, counted, new Date()),
    ['orders_referrer_code_idx', ...referred],
  ],
  [
    'programmatic orders of an account',
    () =>
      ask(
        `{ programmaticOrders(resolvedOwner: "${owner}") { nodes { status creationDate resolvedOwner executedSellAmount } } }`,
      ),
    [
      'programmatic_orders_chain_id_owner_created_block_id_idx',
      'programmatic_creations_chain_id_owner_hash_block_number_log_idx',
      'programmatic_parts_chain_id_owner_hash_order_id_idx',
      'sheds_chain_id_shed_idx',
      'sheds_chain_id_account_idx',
    ],
  ],
  [
    'programmatic orders by the beginning of their hash',
    () => ask('{ programmaticOrders(hash: "0x12345678") { nodes { id } } }'),
    ['programmatic_orders_chain_id_hash_idx'],
  ],
  [
    'programmatic orders of a transaction',
    () => ask(`{ programmaticOrders(txHash: "${uid.slice(0, 66)}") { nodes { id } } }`),
    ['programmatic_creations_chain_id_tx_hash_idx'],
  ],
  [
    'the newest programmatic orders',
    () =>
      ask('{ programmaticOrders(type: TWAP, status: [ACTIVE]) { nodes { hash orders { nodes { uid } } } } }'),
    [
      'programmatic_orders_chain_id_created_block_id_idx',
      'programmatic_parts_chain_id_owner_hash_order_id_idx',
    ],
  ],
  [
    'programmatic orders by their changes',
    () =>
      ask(
        '{ programmaticOrders(changedAfter: "5", status: [ACTIVE], first: 5) { nodes { hash isReverted } pageInfo { endCursor hasNextPage } } }',
      ),
    [
      'programmatic_feed_pkey',
      'programmatic_feed_chain_id_owner_hash_place_idx',
      'programmatic_orders_chain_id_owner_hash_key',
      'programmatic_parts_chain_id_owner_hash_order_id_idx',
    ],
  ],
  [
    'the programmatic order of an order',
    () => ask(`{ order(uid: "${uid}") { programmaticOrder { hash } } }`),
    ['programmatic_parts_pkey', 'programmatic_orders_chain_id_owner_hash_key'],
  ],
  [
    'programmatic orders that are to be read',
    () => dueProgrammaticOrders(database.db, chainId, { block: 7, limit: 3_000 }),
    [
      'programmatic_orders_chain_id_next_look_idx',
      'programmatic_roots_chain_id_owner_block_number_log_index_idx',
    ],
  ],
  [
    'parts whose signatures are to be read',
    () => unknownParts(database.db, chainId, { block: 7, limit: 300 }),
    ['programmatic_parts_due_idx', 'orders_pkey'],
  ],
  ['what a trader earned', () => traderTotals(database.db, owner, counted), referred],
  [
    'what a trader did',
    () => traderActivity(database.db, owner, counted, { first: 50, after: null }),
    [...referred, 'trades_pkey'],
  ],
])('%s: one statement, by its indexes', async (_, read, indexes) => {
  const before = database.statements.length
  await read()
  const [statement, ...others] = database.statements.slice(before)
  expect(others).toEqual([])
  const { rows } = await client.query(`EXPLAIN (GENERIC_PLAN) ${statement}`)
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
  expect(indexes.filter((index) => !plan.includes(index))).toEqual([])
  // Three have a row for each network or token; the others are empty here.
  expect(plan).not.toMatch(
    /Seq Scan on (?!checkpoints|order_books|app_data|order_quotes|affiliate|price_series|refunds|jit_executions|order_standings|holder_tokens|token_balances|mirrored_orders|missing_orders|feed_entries|feed_marks)/,
  )
})

test('a page of an order that was in every other auction looks at the auctions of the page alone', async () => {
  await client.query(
    `INSERT INTO auction_spans SELECT ${chainId}, 8, g, g FROM generate_series(2, 12000, 2) g ON CONFLICT DO NOTHING`,
  )
  const page = `FROM orders o, LATERAL (SELECT a.id FROM ${orderAuctions} ORDER BY a.id DESC LIMIT 100) held WHERE o.id = 8`
  const { rows } = await client.query(`SELECT held.id::int ${page}`)
  expect(rows.map(({ id }) => id)).toEqual(Array.from({ length: 100 }, (_, index) => 12_000 - 2 * index))
  const plan = await client.query(`EXPLAIN ANALYZE SELECT held.id ${page}`)
  const removed = plan.rows.map((row) => Number(/Rows Removed by.*: (\d+)/.exec(row['QUERY PLAN'])?.[1] ?? 0))
  expect(removed.reduce((sum, count) => sum + count, 0)).toBeLessThan(200)
})
