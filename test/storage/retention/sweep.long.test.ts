import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { closeFeeds, createFeeds } from '../../../src/notifications/feed.ts'
import { openSignals } from '../../../src/storage/database/signals.ts'
import { appendEvents } from '../../../src/storage/order/events.ts'
import { type RetentionDays, sweep } from '../../../src/storage/retention/sweep.ts'
import { nextOf, streamOf } from '../../fakes/feed-reading.ts'
import { numbered } from '../../fakes/order.ts'
import { recordStatements } from '../../fakes/sent-statements.ts'
import { silentLog } from '../../fakes/silent-log.ts'
import { connectDirectly, emptyTables, type TestDatabase } from '../../setup/database.ts'
import { network, openTestServer, type TestServer } from '../../setup/server.ts'
import { graphql, request } from '../../setup/trader.ts'

const { chainId } = network
const now = 1_800_000_000_000
const days: RetentionDays = {
  events: 30,
  competitions: 90,
  marketPrices: 30,
  feed: 60,
  quotes: 1,
  idempotencyKeys: 2,
  deliveries: 2,
}
/**
 * SQL for the time of row `g` of `n`: from 200 days ago to now, later rows up to half an hour before earlier
 * ones.
 */
const aged = (n: number) =>
  `to_timestamp(${now / 1_000}) - (${n} - g) * interval '200 days' / ${n} - (g % 7) * interval '5 minutes'`
/** The number of rows among `n` that are older, by the same SQL. */
const older = async (n: number, age: number) =>
  numberOf(
    `SELECT count(*) FROM generate_series(1, ${n}) g WHERE ${aged(n)} < to_timestamp(${now / 1_000}) - interval '${age} days'`,
  )

let server: TestServer
let database: TestDatabase
let client: Awaited<ReturnType<typeof connectDirectly>>
beforeAll(async () => {
  server = await openTestServer({}, { isNew: true })
  database = server.database
  client = await connectDirectly(database.url)
})
beforeEach(() => emptyTables(client))
afterAll(async () => {
  await client?.end()
  await server?.[Symbol.asyncDispose]()
})

const numberOf = async (sql: string) => Number(Object.values((await client.query(sql)).rows[0])[0])
const left = (table: string) => numberOf(`SELECT count(*) FROM ${table}`)

const sweepNow = (more: Partial<Parameters<typeof sweep>[0]> = {}) =>
  sweep(
    { db: database.db, networks: [network], days, now: () => now, log: silentLog, ...more },
    new AbortController().signal,
  )

/** Rows of each kind, in the order of their age. */
async function fill(n: number): Promise<void> {
  const rows = `generate_series(1, ${n}) g`
  // As `numbered` has it.
  const account = `decode(repeat('0' || g % 10, 20), 'hex')`
  const bytes = (number: string) => `decode(lpad(to_hex(${number}), 40, '0'), 'hex')`
  for (const statement of [
    `INSERT INTO orders (id, chain_id, uid, owner, sell_token, buy_token, sell_amount, buy_amount, valid_to, app_data, fee_amount, kind,
       partially_fillable, sell_token_balance, buy_token_balance, signing_scheme, signature, settlement, class, full_balance_check,
       created_at, effective_valid_to)
     SELECT g, ${chainId}, ${bytes('g')}, ${account}, '', '', 1, 1, 1, '', 0, 'sell', false, 'erc20', 'erc20', 'eip712', '', '', 'limit',
       false, now(), 1 FROM generate_series(0, 99) g`,
    `INSERT INTO order_events (order_id, label, timestamp) SELECT g % 100, 'ready', ${aged(n)} FROM ${rows} ORDER BY g`,
    `INSERT INTO quotes (chain_id, kind, quote_kind, sell_token, buy_token, sell_amount, buy_amount, fee_amount, gas_amount,
       gas_price, sell_token_price, solver, verified, expiration)
     SELECT 1, 'sell', 'standard', '', '', 1, 1, 0, 0, 0, '1', '', true, ${aged(n)} FROM ${rows}`,
    `INSERT INTO idempotency_keys (key, body_hash, attempt, attempted_at, created_at)
     SELECT ${bytes('g')}, '', gen_random_uuid(), now(), ${aged(n)} FROM ${rows}`,
    `INSERT INTO notifications (id, cause, chain_id, account, type, message, timestamp, metadata)
     SELECT g, 'n' || g, ${chainId}, ${account}, 'order_filled', 'm' || g, now(), '{}' FROM ${rows}`,
    // In place of those that its trigger wrote.
    'DELETE FROM feed_entries',
    `INSERT INTO feed_entries (place, account, notification_id, written_at) SELECT g, ${account}, g, ${aged(n)} FROM ${rows}`,
    `INSERT INTO auctions (id, chain_id, block, deadline_block, created_at) SELECT g, ${chainId}, g, g, ${aged(n)} FROM ${rows}`,
    `INSERT INTO solutions (auction_id, uid, ranking, solver, is_winner, filtered_out, score)
     SELECT g, 0, 1, '', true, false, 1 FROM ${rows}`,
    `INSERT INTO solution_executions (order_id, auction_id, solution_uid, executed_sell, executed_buy)
     SELECT g % 100, g, 0, 1, 1 FROM ${rows}`,
    `INSERT INTO settlement_attempts (auction_id, solution_uid, chain_id, solver, started_at, start_block, deadline_block, outcome)
     SELECT g, 0, ${chainId}, '', now(), g, g, 'timeout' FROM ${rows}`,
    `INSERT INTO auction_spans (chain_id, order_id, first_auction, last_auction) SELECT ${chainId}, g, g, g FROM ${rows}`,
    `INSERT INTO exclusion_spans (chain_id, order_id, first_auction, last_auction, reason) SELECT ${chainId}, g, g, g, 'auction_full' FROM ${rows}`,
    `INSERT INTO solver_answers (auction_id, solver, answer) SELECT g, 'x', 'answered' FROM ${rows}`,
    `INSERT INTO refused_solutions (auction_id, chain_id, deadline_block, solver, code, message, at)
       SELECT g, ${chainId}, 1, 'x', 'reverts', '', ${aged(n)} FROM ${rows}`,
    `INSERT INTO price_series (id, chain_id, token) SELECT g, ${chainId}, ${bytes('g')} FROM generate_series(1, 10) g`,
    `INSERT INTO price_changes (series_id, auction_id, price) SELECT 1 + g % 10, g, g FROM ${rows}`,
    `INSERT INTO market_prices (series_id, at, price) SELECT 1 + g % 10, ${aged(n)} + g * interval '1 microsecond', g FROM ${rows}`,
    `INSERT INTO checkpoints (chain_id, block_number, block_hash, updated_at) VALUES (${chainId}, 10000000, '', now())`,
  ])
    await client.query(statement)
  await client.query('ANALYZE')
}

const kinds = ['order_events', 'quotes', 'idempotency_keys', 'feed_entries', 'auctions'] as const

describe('old rows', () => {
  test('of each kind go in batches, while others write and nobody waits for a lock', async () => {
    const n = Number(process.env.RETENTION_ROWS ?? 20_000)
    await fill(n)
    const olderThan = { 1: 0, 2: 0, 30: 0, 60: 0, 90: 0 }
    for (const age of [1, 2, 30, 60, 90] as const) olderThan[age] = await older(n, age)
    await using watcher = await connectDirectly(database.url)
    await using writer = await connectDirectly(database.url)
    let isSweeping = true
    const waits: unknown[] = []
    const watching = (async () => {
      while (isSweeping)
        waits.push(
          ...(
            await watcher.query(
              // Without the lock of NOTIFY, which commits in all databases of the server share.
              `SELECT query FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
                AND wait_event <> 'object' AND pid <> pg_backend_pid()`,
            )
          ).rows,
        )
    })()
    let written = 0
    const writing = (async () => {
      for (; isSweeping; written++) {
        await writer.query(
          `INSERT INTO order_events (order_id, label, timestamp) VALUES ($1, 'ready', to_timestamp($2))`,
          [written % 100, now / 1_000],
        )
        await writer.query('UPDATE auctions SET block = block + 1 WHERE id = $1', [n - (written % 50)])
      }
    })()
    database.statements.length = 0
    const removed = await sweepNow({ batchRows: n / 20, batchAuctions: n / 50 })
    isSweeping = false
    await Promise.all([watching, writing])

    expect(waits).toEqual([])
    expect(written).toBeGreaterThan(100)
    expect(removed).toMatchObject({
      quotes: olderThan[1],
      idempotency_keys: olderThan[2],
      market_prices: olderThan[30],
      order_feed: removed.order_events,
      // The competition before and after its deadline, and the end of its attempt.
      auction_feed: 3 * (removed.auctions ?? 0),
      solutions: removed.auctions,
      settlement_attempts: removed.auctions,
      solution_executions: removed.auctions,
      auction_spans: removed.auctions,
      exclusion_spans: removed.auctions,
      solver_answers: removed.auctions,
      refused_solutions: olderThan[90],
    })
    // These are removed in the order of their ids, so that those of the last hour before the age may be left.
    const anHour = n / 200 / 24
    for (const [table, age] of [
      ['feed_entries', 60],
      ['order_events', 30],
      ['auctions', 90],
    ] as const) {
      expect(removed[table]).toBeLessThanOrEqual(olderThan[age])
      expect(removed[table]).toBeGreaterThan(olderThan[age] - 2 * anHour)
    }
    // Ten tokens keep the newest price before those that are left.
    expect(removed.price_changes).toBeGreaterThan((removed.auctions ?? 0) - 20)
    expect(await left('notifications')).toBe(n)
    const statements = database.statements.filter((sql) => sql.includes('DELETE FROM quotes'))
    expect(statements.length).toBe(Math.floor((20 * olderThan[1]) / n) + 1)
  }, 240_000)

  test('that another transaction has locked stay for the next round, and hold up nothing else', async () => {
    await fill(1_000)
    await using other = await connectDirectly(database.url)
    await other.query('BEGIN')
    for (const [table, where] of [
      ['order_events', `id = (SELECT min(id) FROM order_events)`],
      ['quotes', 'id = (SELECT id FROM quotes ORDER BY expiration LIMIT 1)'],
      ['idempotency_keys', 'key = (SELECT key FROM idempotency_keys ORDER BY created_at LIMIT 1)'],
      ['feed_entries', 'place = 1'],
      ['solutions', 'auction_id = 1'],
    ])
      await other.query(`SELECT FROM ${table} WHERE ${where} FOR UPDATE`)
    const first = await sweepNow()
    expect(first).toEqual({
      quotes: (await older(1_000, 1)) - 1,
      idempotency_keys: (await older(1_000, 2)) - 1,
      market_prices: await older(1_000, 30),
      feed_entries: (await older(1_000, 60)) - 1,
      refused_solutions: await older(1_000, 90),
    })
    // These are not locked: their places move on.
    const moved = `'standings:${chainId}', 'market_prices', 'refused_solutions'`
    expect(await left(`retention_marks WHERE name NOT IN (${moved})`)).toBe(0)
    await other.query('COMMIT')
    const second = await sweepNow()
    expect(second).toMatchObject({ quotes: 1, idempotency_keys: 1, feed_entries: 1 })
    expect(Math.min(second.order_events ?? 0, second.solutions ?? 0)).toBeGreaterThan(400)
    expect(await sweepNow()).toEqual({})
  })

  test('of where orders stood go as long after their expiry as events', async () => {
    await fill(1)
    await client.query(`UPDATE orders SET effective_valid_to = ${now / 1_000} - (id / 2) * 86400`)
    await client.query(
      `INSERT INTO order_standings (order_id, chain_id, since, updated_at) SELECT id, ${chainId}, now(), now() FROM orders`,
    )
    // Two expire in each second: those of days 31 to 49.
    expect(await sweepNow({ batchRows: 5 })).toMatchObject({ order_standings: 38 })
    expect(await left('order_standings')).toBe(62)
  })

  test('are kept without an age', async () => {
    await fill(50)
    const kept = {
      events: 0,
      competitions: 0,
      marketPrices: 0,
      feed: 0,
      quotes: 0,
      idempotencyKeys: 0,
      deliveries: 0,
    }
    expect(await sweepNow({ days: kept })).toEqual({})
    for (const table of kinds) expect(await left(table)).toBe(50)
  })
})

describe('events', () => {
  const day = (age: number) => new Date(now - age * 86_400_000)
  const append = (
    orderId: bigint,
    label: 'ready' | 'filtered' | 'traded',
    age: number,
    blockNumber?: number,
  ) =>
    database.db.transaction((tx) =>
      appendEvents(tx, [
        { orderId, label, reason: null, timestamp: day(age), ...(blockNumber && { blockNumber }) },
      ]),
    )
  const labelsOf = async (orderId: number) =>
    (
      await client.query('SELECT label FROM order_events WHERE order_id = $1 ORDER BY id', [orderId])
    ).rows.map(({ label }) => label)

  test('that are the newest two of their order stay, however old', async () => {
    for (const age of [90, 80, 70, 60]) await append(1n, age % 20 === 0 ? 'filtered' : 'ready', age)
    expect(await sweepNow()).toEqual({ order_events: 2 })
    expect(await labelsOf(1)).toEqual(['ready', 'filtered'])
  })

  test('are not replaced by newer ones that a reorg may still take back', async () => {
    await append(1n, 'ready', 90)
    await append(1n, 'filtered', 89)
    await append(1n, 'traded', 0, 7)
    await append(1n, 'ready', 0, 8)
    await append(1n, 'filtered', 0, 8)
    expect(await sweepNow()).toEqual({})
    expect(await labelsOf(1)).toEqual(['ready', 'filtered', 'traded', 'ready', 'filtered'])
  })
})

describe('a feed of which entries were removed', () => {
  const account = numbered('05')
  const question = `query ($account: Address!, $after: String) {
    notifications(account: $account, first: 9, after: $after) { cursor nodes { message } }
  }`
  const pageAfter = async (after: string, of = account) => {
    const { body } = await request(`${server.url}/graphql`, 'POST', {
      query: question,
      variables: { account: of, after },
    })
    return (
      body.errors?.[0].extensions.code ??
      body.data.notifications.nodes.map(({ message }: { message: string }) => message)
    )
  }
  const firstOfStream = async (after: string) => {
    const signals = await openSignals(database.url, silentLog)
    const feeds = createFeeds({ db: database.db, signals, log: silentLog })
    const stream = streamOf(feeds.account, account, after)
    try {
      return (await nextOf(stream)).notification.message
    } catch (error) {
      return (error as { code?: string }).code
    } finally {
      await stream.return(undefined)
      closeFeeds(feeds)
      await signals.close()
    }
  }

  test('tells a reader behind the last of them, in pages and streams; "earliest" begins at the first that is left', async () => {
    await fill(100)
    // Every second day an entry, the account has each tenth: 5, 15, … 95; older than 60 days are those up to
    // 69.
    expect(await sweepNow()).toMatchObject({ feed_entries: 69 })
    const rest = ['m75', 'm85', 'm95']
    for (const cursor of ['1', '5', '64']) {
      expect([cursor, await pageAfter(cursor), await firstOfStream(cursor)]).toEqual([
        cursor,
        'FeedGap',
        'FeedGap',
      ])
    }
    for (const cursor of ['65', '70', 'earliest', '0']) {
      expect([cursor, await pageAfter(cursor), await firstOfStream(cursor)]).toEqual([cursor, rest, 'm75'])
    }
    // Nothing of this account was removed behind its cursor.
    expect(await pageAfter('69', numbered('04'))).toEqual(['m74', 'm84', 'm94'])
    expect(await pageAfter('1', numbered('99'))).toEqual([])
    const { account: whole } = await graphql(
      server.url,
      `{ account(address: "${account}") { notifications(last: 2) { nodes { message } } } }`,
    )
    expect(whole.notifications.nodes).toEqual([{ message: 'm85' }, { message: 'm95' }])
  })

  test('tells a stream that falls behind while it is open', async () => {
    await fill(1_000)
    const signals = await openSignals(database.url, silentLog)
    const feeds = createFeeds({ db: database.db, signals, log: silentLog })
    const stream = streamOf(feeds.account, account, '1')
    // The first page of a stream is read; what was removed since, and something newer behind it, is not.
    for (let message = 5; message < 640; message += 10)
      expect((await nextOf(stream)).notification.message).toBe(`m${message}`)
    await client.query(
      `INSERT INTO feed_marks (feed, key, place) SELECT 'account', account, 200000 FROM feed_entries WHERE place = 5`,
    )
    await client.query(
      `INSERT INTO feed_entries (place, account, notification_id) SELECT 200001, account, 95 FROM feed_entries WHERE place = 5`,
    )
    await expect(stream.next()).rejects.toMatchObject({
      code: 'FeedGap',
      ending: { reason: 'GAP', cursor: '200000' },
    })
    closeFeeds(feeds)
    await signals.close()
  })

  test('that was empty gives a cursor from which what is removed later is missed', async () => {
    const page = await graphql(server.url, question, { account, after: 'earliest' })
    const { cursor } = page.notifications
    await client.query(`INSERT INTO feed_marks (feed, key, place) VALUES ('account', $1, $2)`, [
      Buffer.from(account.slice(2), 'hex'),
      String(BigInt(cursor) + 1n),
    ])
    expect(await pageAfter(cursor)).toBe('FeedGap')
  })
})

test('the statements of the removal read by indexes', async () => {
  await fill(20_000)
  const sent = recordStatements()
  const statements = await sent.of(() => sweepNow({ batchRows: 5_000, batchAuctions: 2_000 }))
  sent.end()
  await emptyTables(client)
  await fill(20_000)
  await client.query('SET random_page_cost = 1.1')
  const large =
    /FROM ("public"\.)?"?(quotes|idempotency_keys|feed_entries|order_events|auction|solution|settlement|price_changes)/
  const distinct = new Map(
    statements
      .filter(({ text }) => large.test(text))
      .map((statement) => [statement.text, statement] as const),
  )
  const plans: string[] = []
  for (const { text, values } of distinct.values()) {
    const { rows } = await client.query(`EXPLAIN ${text}`, values)
    plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'))
  }
  expect(plans.length).toBeGreaterThanOrEqual(11)
  for (const plan of plans)
    expect(plan).not.toMatch(/Seq Scan on (?!price_series|checkpoints|settlements|retention_marks)[a-z]/)
})
