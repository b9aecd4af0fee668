import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import type { AnyDocument } from '../../src/client/document.ts'
import { subscribe } from '../../src/client/subscribe.ts'
import { claimNetwork } from '../../src/storage/chain/networks.ts'
import { hashOf } from '../indexer/hand-made.ts'
import { type CuttingProxy, startCuttingProxy } from '../setup/cutting-proxy.ts'
import { connectDirectly } from '../setup/database.ts'
import { eventually } from '../setup/eventually.ts'
import { network, openTestServer, type TestServer } from '../setup/server.ts'
import { ask } from '../setup/session.ts'

/** More events take longer: a million are half an hour. */
const events = Number(process.env.BOOK_EVENTS ?? 10_000)
const isLong = process.env.BOOK_EVENTS !== undefined
const writers = 4
const cuts = 50
const orders = Math.max(50 * writers, events / 20)
const limitMs = isLong ? 5_400_000 : 900_000
const pageSize = 100

const setup = `
  INSERT INTO app_data (hash, app_code, document, created_at)
  SELECT decode(lpad(to_hex(n), 64, '0'), 'hex'), 'app' || n, format('{"appCode":"app%s","metadata":{},"version":"1.3.0"}', n), now()
  FROM generate_series(0, 7) n;
  INSERT INTO fee_policy_sets (id, policies) VALUES (1, '[{"kind": "volume", "factor": 200}]');
  INSERT INTO orders (id, chain_id, uid, owner, sell_token, buy_token, sell_amount, buy_amount, valid_to, app_data, fee_amount, kind,
    partially_fillable, sell_token_balance, buy_token_balance, signing_scheme, signature, settlement, class, full_balance_check,
    created_at, effective_valid_to, app_code)
  SELECT n, ${network.chainId}, decode(lpad(to_hex(n), 112, '0'), 'hex'), decode(lpad(to_hex(n % 100), 40, '0'), 'hex'),
    decode(lpad(to_hex(n % 5), 40, 'a'), 'hex'), decode(lpad('', 40, 'b'), 'hex'), 1000000000, 1, 4000000000,
    decode(lpad(to_hex(n % 8), 64, '0'), 'hex'), 0, 'sell', true, 'erc20', 'erc20', 'eip712', '', '', 'limit', false, now(),
    4000000000, 'app' || n % 8
  FROM generate_series(0, ${orders - 1}) n`

const ofBlock = `chain_id = ${network.chainId} AND block_number = $1`

/** SQL for a block's trades of random orders of a writer, $2, and for what follows from them. */
const blockSql = {
  trades: `INSERT INTO trades (chain_id, block_number, log_index, order_id, order_uid, owner, sell_token, buy_token, sell_amount,
      buy_amount, fee_amount, tx_hash, auction_id)
    SELECT ${network.chainId}, $1, row_number() OVER (), o.id, o.uid, o.owner, o.sell_token, o.buy_token, 1 + floor(random() * 1000), 7, 0,
      decode(lpad(to_hex($3::bigint), 64, '0'), 'hex'), $3
    FROM (SELECT DISTINCT floor(random() * ${orders / writers})::bigint * ${writers} + $2 AS id FROM generate_series(1, $4)) n
      JOIN orders o USING (id)`,
  policies: `INSERT INTO solution_executions (order_id, auction_id, solution_uid, executed_sell, executed_buy, policy_set_id)
    SELECT order_id, auction_id, 0, sell_amount, 7, 1 FROM trades WHERE ${ofBlock}`,
  events: `INSERT INTO order_events (order_id, label, timestamp, block_number, log_index)
    SELECT order_id, 'traded', $2, block_number, log_index FROM trades WHERE ${ofBlock}`,
  progress: `UPDATE orders o SET executed_sell = executed_sell + t.sell_amount FROM trades t WHERE t.order_id = o.id AND t.${ofBlock.replace('AND ', 'AND t.')}`,
  fees: `INSERT INTO executions (order_id, auction_id, executed_fee, executed_fee_token, block_number, protocol_fee_tokens, protocol_fee_amounts)
    SELECT order_id, auction_id, 0, sell_token, block_number, ARRAY[sell_token], ARRAY[1 + floor(random() * 50)] FROM trades
    WHERE ${ofBlock} ON CONFLICT (order_id, auction_id) DO UPDATE SET protocol_fee_amounts = EXCLUDED.protocol_fee_amounts`,
}

/** SQL for a reorg of a block, in the order of `rollbackChainFacts`. */
const reorgSql = {
  progress: blockSql.progress.replace('+ t.', '- t.'),
  trades: `DELETE FROM trades WHERE ${ofBlock} RETURNING order_id`,
  executions: `DELETE FROM executions WHERE block_number = $1 AND order_id = ANY($2)`,
  events: `DELETE FROM order_events WHERE order_id = ANY($2) AND timestamp = $3 AND block_number = $1 RETURNING id::text`,
}

const first = Date.UTC(2026, 0, 1)
/** January and February. */
const span = Date.UTC(2026, 2, 1) - first
const upTo = (limit: number) => 1 + Math.floor(Math.random() * limit)

let written = 0
let auctions = 0
const removed = new Set<string>()
let failed: unknown

/** Writes events and blocks, and takes some back, with one connection until there is enough. */
async function write(client: Client, writer: number, isEnough: () => boolean): Promise<void> {
  const blocks: { number: number; at: Date }[] = []
  const timeNow = () => new Date(first + Math.min(1, written / events) * span)
  const steps = {
    async events() {
      const { rowCount } = await client.query(
        `INSERT INTO order_events (order_id, label, timestamp)
         SELECT floor(random() * ${orders / writers})::bigint * ${writers} + $1, 'considered', $2 FROM generate_series(1, $3)`,
        [writer, timeNow(), upTo(60)],
      )
      written += rowCount ?? 0
    },
    async block() {
      const block = { number: (blocks.at(-1)?.number ?? writer) + writers, at: timeNow() }
      await client.query(blockSql.trades, [block.number, writer, ++auctions, upTo(30)])
      await client.query(blockSql.policies, [block.number])
      if (Math.random() < 0.5) await client.query(blockSql.fees, [block.number])
      const { rowCount } = await client.query(blockSql.events, [block.number, block.at])
      await client.query(blockSql.progress, [block.number])
      blocks.push(block)
      written += rowCount ?? 0
    },
    async fees() {
      const block = blocks[Math.max(0, blocks.length - upTo(5))]
      if (block) await client.query(blockSql.fees, [block.number])
    },
    async reorg() {
      for (let depth = upTo(3); depth > 0; depth--) {
        const block = blocks.pop()
        if (!block) return
        await client.query(reorgSql.progress, [block.number])
        const { rows } = await client.query(reorgSql.trades, [block.number])
        const ids = rows.map(({ order_id }) => order_id)
        await client.query(reorgSql.executions, [block.number, ids])
        const undone = await client.query(reorgSql.events, [block.number, ids, block.at])
        for (const { id } of undone.rows) removed.add(id)
      }
    },
  }
  const kinds = [steps.events, steps.block, steps.block, steps.block, steps.fees, steps.reorg]
  while (!isEnough()) {
    await client.query('BEGIN')
    await kinds[upTo(kinds.length) - 1]?.()
    await client.query('COMMIT')
    // When only cuts are missing, readers need new rows for them, but not many.
    await pause(written < events ? 5 : 50)
  }
}

interface BookEvent {
  cursor: string
  isRemoved: boolean
  eventId: string
  event: { label: string }
  order: { uid: string }
}

const bookEvents: AnyDocument<{ bookEvents: BookEvent }, object> = `subscription ($after: String) {
  bookEvents(after: $after) { cursor isRemoved eventId event { label } order { uid } }
}`

/** Events that a reader of the stream has, and those that were taken back from it. */
const held = new Map<string, string>()
const takenBack = new Set<string>()
const faults: string[] = []

/** The place up to which the reader has the feed. */
let place = 0n

async function followBook(url: string, signal: AbortSignal): Promise<void> {
  const stream = subscribe(createClient({ url }), bookEvents, {}, { after: 'earliest', signal })
  for await (const { bookEvents: entry } of stream) {
    if (BigInt(entry.cursor) <= place) faults.push(`${entry.cursor} comes after ${place}`)
    place = BigInt(entry.cursor)
    const text = `${entry.event.label} ${entry.order.uid}`
    if (entry.isRemoved ? held.get(entry.eventId) !== text : held.has(entry.eventId))
      faults.push(`${entry.cursor}: ${entry.isRemoved} ${text}`)
    if (entry.isRemoved) {
      held.delete(entry.eventId)
      takenBack.add(entry.eventId)
    } else held.set(entry.eventId, text)
  }
}

/** Reads pages from one to the next, also while there is none, and again after a cut or an outage. */
async function readPages<Node>(
  url: string,
  list: string,
  fields: string,
  keep: (node: Node) => void,
  isOver: () => boolean,
): Promise<void> {
  const query = `query ($after: String) { page: ${list}(changedAfter: $after, first: ${pageSize}) {
    nodes { ${fields} } pageInfo { endCursor hasNextPage }
  } }`
  let after = 'earliest'
  for (;;) {
    const mayEnd = isOver()
    const answer = await ask(url, query, { after }).catch(() => undefined)
    if (!answer || answer.errors?.every(({ extensions }) => extensions.retryable)) continue
    if (answer.errors) throw new Error(JSON.stringify(answer.errors))
    const { nodes, pageInfo } = answer.data.page
    for (const node of nodes) keep(node)
    after = pageInfo.endCursor ?? after
    if (mayEnd && !pageInfo.hasNextPage) return
    if (!pageInfo.hasNextPage) await pause(50)
  }
}

interface TradeNode {
  blockNumber: number
  logIndex: number
  isReverted: boolean
  txHash: string
  sellAmount: string
  timestamp: string | null
  order: { fullAppData: string }
  executedProtocolFees: { amount: string }[]
}

const orderStates = new Map<string, string>()
const tradeStates = new Map<string, TradeNode>()

let server: TestServer
let client: Client & AsyncDisposable
const proxies: CuttingProxy[] = []
beforeAll(async () => {
  server = await openTestServer()
  await claimNetwork(server.database.db, network, hashOf('a:0'))
  client = await connectDirectly(server.database.url)
  await client.query(setup)
  await client.query('ANALYZE')
  /** The bytes between cuts, so that they are spread over the run. */
  for (const bytes of [events * 3, events, events]) {
    const cutAfter = () => ((proxy?.cuts() ?? 0) < cuts ? upTo((2 * bytes) / cuts) : undefined)
    const proxy: CuttingProxy = await startCuttingProxy(server.url, cutAfter, 20)
    proxies.push(proxy)
  }
  const [stream, orderPages, tradePages] = proxies.map(({ url }) => url)
  const isEnough = () =>
    failed !== undefined || (written >= events && proxies.every((proxy) => proxy.cuts() >= cuts))
  const started = performance.now()
  const writing = Promise.all(
    Array.from({ length: writers }, async (_, writer) => {
      await using connection = await connectDirectly(server.database.url)
      await write(connection, writer, isEnough)
    }),
  )
  let head: bigint | undefined
  const end = new AbortController()
  const ended = writing.then(async () => {
    const { rows } = await client.query('SELECT max(place) AS place FROM order_feed')
    const last = BigInt(rows[0].place)
    head = last
    await eventually('the last event', () => place >= last || failed !== undefined, limitMs)
    end.abort()
  })
  const isOver = () => head !== undefined
  const reading = [
    followBook(stream ?? '', end.signal).catch((fault) => {
      if (!end.signal.aborted) throw fault
    }),
    readPages<{ uid: string; executedSellAmount: string }>(
      orderPages ?? '',
      'orders',
      'uid executedSellAmount',
      ({ uid, executedSellAmount }) => orderStates.set(uid, executedSellAmount),
      isOver,
    ),
    readPages<TradeNode>(
      tradePages ?? '',
      'trades',
      'blockNumber logIndex isReverted txHash sellAmount timestamp order { fullAppData } executedProtocolFees { amount }',
      (node) => tradeStates.set(`${node.blockNumber}.${node.logIndex}`, node),
      isOver,
    ),
  ]
  for (const each of [ended, ...reading])
    each.catch((fault) => {
      failed = fault
    })
  await Promise.all([ended, ...reading])
  const seconds = Math.round((performance.now() - started) / 1_000)
  if (isLong)
    process.stdout.write(
      `${written} events, ${removed.size} undone, ${tradeStates.size} trades, ${seconds} s\n`,
    )
}, limitMs)
afterAll(async () => {
  for (const proxy of proxies) await proxy[Symbol.asyncDispose]()
  await client?.end()
  await server?.[Symbol.asyncDispose]()
})

/** Keys with other values, of which the first are shown. */
function differences(read: ReadonlyMap<string, string>, stored: ReadonlyMap<string, string>): string[] {
  const keys = new Set([...read.keys(), ...stored.keys()])
  return [...keys]
    .filter((key) => read.get(key) !== stored.get(key))
    .slice(0, 10)
    .map((key) => `${key}: ${read.get(key)}, not ${stored.get(key)}`)
}

async function pairsOf(select: string): Promise<Map<string, string>> {
  const { rows } = await client.query<{ key: string; value: string }>(select)
  return new Map(rows.map(({ key, value }) => [key, value]))
}

const liveTrades = () => [...tradeStates.values()].filter(({ isReverted }) => !isReverted)
const sumOf = (fees: TradeNode['executedProtocolFees']) =>
  fees.reduce((sum, { amount }) => sum + BigInt(amount), 0n)
const feesSql = 'coalesce((SELECT sum(fee) FROM unnest(x.protocol_fee_amounts) fee), 0)'
const executionSql = `trades t LEFT JOIN executions x ON x.order_id = t.order_id AND x.auction_id = t.auction_id AND x.block_number = t.block_number`

test('a stream that was cut fifty times has every event once, and a pair for each that was undone', async () => {
  expect(written).toBeGreaterThanOrEqual(events)
  // Two connections of a reader may be open when the last cut comes.
  expect(Math.min(...proxies.map((proxy) => proxy.cuts()))).toBeGreaterThanOrEqual(cuts)
  expect(faults.slice(0, 10)).toEqual([])
  const stored = await pairsOf(
    `SELECT e.id::text AS key, upper(e.label) || ' 0x' || encode(o.uid, 'hex') AS value FROM order_events e JOIN orders o ON o.id = e.order_id`,
  )
  expect(stored.size).toBeGreaterThan(events / 2)
  expect(differences(held, stored)).toEqual([])
  expect(removed.size).toBeGreaterThan(events / 100)
  expect([...removed].filter((id) => !takenBack.has(id))).toEqual([])
  expect(takenBack.size).toBe(removed.size)
})

test('jobs that page by changes, cut fifty times each, end with the state of every order and trade', async () => {
  const storedOrders = await pairsOf(
    `SELECT '0x' || encode(o.uid, 'hex') AS key, o.executed_sell::text AS value FROM orders o
     WHERE EXISTS (SELECT FROM order_feed f WHERE f.order_id = o.id)`,
  )
  expect(storedOrders.size).toBeGreaterThan(orders / 2)
  expect(differences(orderStates, storedOrders)).toEqual([])
  const storedTrades = await pairsOf(
    `SELECT t.block_number || '.' || t.log_index AS key, '0x' || encode(t.tx_hash, 'hex') || ' ' || t.sell_amount || ' ' || ${feesSql} AS value
     FROM ${executionSql}`,
  )
  expect(storedTrades.size).toBeGreaterThan(events / 100)
  const read = liveTrades().map((trade): [string, string] => [
    `${trade.blockNumber}.${trade.logIndex}`,
    `${trade.txHash} ${trade.sellAmount} ${sumOf(trade.executedProtocolFees)}`,
  ])
  expect(differences(new Map(read), storedTrades)).toEqual([])
  expect(liveTrades().length).toBeLessThan(tradeStates.size)
})

test('a partner’s rebates for a month are the same from the feed and from the tables', async () => {
  const fromFeed = new Map<string, { volume: bigint; fees: bigint }>()
  for (const { timestamp, order, sellAmount, executedProtocolFees } of liveTrades()) {
    if (!timestamp?.startsWith('2026-01')) continue
    const { appCode } = JSON.parse(order.fullAppData)
    const { volume, fees } = fromFeed.get(appCode) ?? { volume: 0n, fees: 0n }
    fromFeed.set(appCode, { volume: volume + BigInt(sellAmount), fees: fees + sumOf(executedProtocolFees) })
  }
  const fromTables = await pairsOf(
    `SELECT o.app_code AS key, sum(t.sell_amount) || ' ' || sum(${feesSql}) AS value
     FROM ${executionSql} JOIN orders o ON o.id = t.order_id
       JOIN order_events e ON e.order_id = t.order_id AND e.block_number = t.block_number AND e.log_index = t.log_index
     WHERE e.timestamp >= '2026-01-01Z' AND e.timestamp < '2026-02-01Z' GROUP BY 1`,
  )
  // A writer may get no turn in January.
  expect(fromTables.size).toBeGreaterThan(1)
  const texts = [...fromFeed].map(([app, { volume, fees }]): [string, string] => [app, `${volume} ${fees}`])
  expect(new Map(texts)).toEqual(fromTables)
})
