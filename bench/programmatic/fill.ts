import { createHash } from 'node:crypto'
import { address } from '../../src/domain/evm/address.ts'
import { twapParts } from '../../src/domain/programmatic/twap.ts'
import { orderUid } from '../../src/domain/signing/signing.ts'
import { termsOf } from '../../src/graphql/order/programmatic-terms.ts'
import { applyMigrations } from '../../src/storage/database/migrations.ts'
import { clear } from '../database/fill.ts'
import { query } from '../database/open.ts'
import { shape } from '../database/shape.ts'
import { benchNetwork } from '../servers/program.ts'

const { chainId } = shape.network
const domain = { chainId, settlement: address(benchNetwork.settlement) }

const twapHandler = '6cf1e9ca41f7611def408122793c358a3d11e5a5'
const day = 86_400
const ordersOfOwner = 20

/** Owner 0 has every tenth programmatic order. */
export const ownersOf = (count: number) => Math.floor((count * 0.9) / ordersOfOwner)
export const headOf = (count: number) => count + 1_000

const bytes = (number: string, width: number) => `decode(lpad(to_hex(${number}), ${width * 2}, '0'), 'hex')`
const word = (number: string) => bytes(`(${number})::bigint`, 32)
const owner = (count: string) =>
  bytes(`(CASE n % 10 WHEN 7 THEN 0 ELSE 1 + n % ((${count} * 9 / 10) / ${ordersOfOwner}) END)`, 20)
const isTwap = `n % 20 < 19`
/** Unix seconds of the start, and the number of orders in the book. */
const start = `(extract(epoch FROM now())::bigint - CASE WHEN n % 20 < 10 THEN 30 * ${day} WHEN n % 20 < 16 THEN 4 * ${day}
  WHEN n % 20 < 18 THEN -5 * ${day} ELSE 4 * ${day} END - n % ${day / 2})`
const placed = `(CASE WHEN n % 20 < 10 THEN 10 WHEN n % 20 < 16 THEN 5 WHEN n % 20 = 18 THEN 5 ELSE 0 END)`
/** The context, so that the time of the fill is not in the static input. */
const input = `CASE WHEN ${isTwap} THEN ${[
  ...[word('1000 + n % 40'), word('2000 + n % 30'), word('0'), word('1000000000000000000'), word('1')],
  ...[word('0'), word('10'), word(String(day)), word('0'), `sha256('app')`],
].join(' || ')} ELSE ${word('n')} END`

/** Statements that take the number of programmatic orders, one after the other. */
const statements = [
  `INSERT INTO programmatic_orders (id, chain_id, owner, hash, handler, salt, static_input, created_block, created_at, type, context,
    looked_block, next_look, removed_block, removed_at, part_count, starts_at, ends_at, poll_at, polled_at, polled_block, poll_result)
  SELECT n, ${chainId}, ${owner('$1::bigint')}, sha256(int8send(n)),
    CASE WHEN ${isTwap} THEN '\\x${twapHandler}'::bytea ELSE ${bytes('n % 7', 20)} END, ${word('n')}, ${input}, n, to_timestamp(s),
    CASE WHEN ${isTwap} THEN 'TWAP' ELSE 'Unknown' END, ${word(`CASE WHEN ${isTwap} THEN s ELSE 0 END`)}, $1::bigint + 1000,
    CASE WHEN n % 20 < 10 THEN NULL ELSE $1::bigint + 1000 + n % 30 END, CASE WHEN n % 20 = 18 THEN $1::bigint END,
    CASE WHEN n % 20 = 18 THEN now() END, CASE WHEN ${isTwap} THEN 10 END, CASE WHEN ${isTwap} THEN s END,
    CASE WHEN ${isTwap} THEN s + 10 * ${day} - 1 END,
    CASE WHEN n % 20 < 10 THEN NULL WHEN n % 20 < 16 THEN s + 5 * ${day} WHEN n % 20 < 18 THEN s ELSE 5 END, now(), $1::bigint + 1000,
    CASE WHEN n % 20 < 10 THEN 'ended' WHEN n % 20 < 16 THEN 'placed' WHEN n % 20 < 18 THEN 'waiting' ELSE 'notMet' END
  FROM generate_series(1, $1::bigint) n, LATERAL (SELECT ${start} AS s) q`,
  `INSERT INTO programmatic_creations (chain_id, block_number, log_index, tx_hash, owner, hash, block_time)
  SELECT chain_id, created_block, 0, hash, owner, hash, created_at FROM programmatic_orders WHERE $1::bigint > 0`,
  `INSERT INTO programmatic_feed (place, chain_id, owner, hash) SELECT id + 10, chain_id, owner, hash FROM programmatic_orders WHERE $1::bigint > 0`,
  `INSERT INTO sheds (chain_id, block_number, log_index, tx_hash, shed, account)
  SELECT ${chainId}, n, 1, sha256(int8send(n)), ${bytes('n', 20)}, ${bytes('n + 1000000000', 20)}
  FROM generate_series(1, ($1::bigint * 9 / 10) / ${ordersOfOwner} / 10) n`,
  `INSERT INTO orders (id, chain_id, uid, owner, sell_token, buy_token, sell_amount, buy_amount, valid_to, app_data, fee_amount, kind,
    partially_fillable, sell_token_balance, buy_token_balance, signing_scheme, signature, settlement, class, full_balance_check,
    created_at, effective_valid_to, executed_sell, executed_buy, expired_at_block)
  SELECT g.id * 10 + k, ${chainId}, sha256(int8send(g.id * 10 + k)) || g.owner || int4send(e::int), g.owner,
    ${bytes('1000 + g.id % 40', 20)}, ${bytes('2000 + g.id % 30', 20)}, 1000000000000000000, 1, e, sha256('app'), 0, 'sell', false, 'erc20',
    'erc20', 'eip1271', decode(repeat('00', 640), 'hex'), '', 'limit', false, to_timestamp(e - ${day}), e,
    CASE k % 2 WHEN 0 THEN 1000000000000000000 ELSE 0 END, CASE k % 2 WHEN 0 THEN 5 ELSE 0 END,
    CASE WHEN e < extract(epoch FROM now()) THEN g.created_block + k END
  FROM (SELECT g.*, g.id AS n FROM programmatic_orders g WHERE $1::bigint > 0) g, LATERAL (SELECT ${placed} AS count) c,
    generate_series(0, c.count - 1) k, LATERAL (SELECT g.starts_at + (k + 1) * ${day} - 1 AS e) q`,
  `INSERT INTO programmatic_parts (order_id, chain_id, owner, hash)
  SELECT o.id, g.chain_id, g.owner, g.hash FROM orders o JOIN programmatic_orders g ON g.id = o.id / 10 WHERE $1::bigint > 0`,
  `INSERT INTO checkpoints (chain_id, block_number, block_hash, updated_at, block_time, head_number)
  VALUES (${chainId}, $1::bigint + 1000, sha256('head'), now(), now(), $1::bigint + 1000)`,
  `SELECT setval('feed_places', $1::bigint + 10), setval('orders_id_seq', $1::bigint * 10 + 10), setval('programmatic_orders_id_seq', $1::bigint)`,
]

const version = createHash('sha256').update(statements.join()).digest('hex')

/** Fills a database, unless an earlier run of the last day has. Triggers do not run. */
export async function fillProgrammatic(
  url: string,
  count: number,
  isFresh: boolean,
  print: (line: string) => void,
): Promise<void> {
  const [known] = await query<{ filled: string | null }>(
    url,
    `SELECT to_regclass('bench.programmatic')::text AS filled`,
  )
  if (known?.filled && !isFresh) {
    const [row] = await query(
      url,
      `SELECT FROM bench.programmatic WHERE version = $1 AND at > now() - '6 hours'::interval`,
      [version],
    )
    if (row) {
      await applyMigrations(url)
      return
    }
  }
  const started = performance.now()
  await clear(url)
  await applyMigrations(url)
  const filling = new URL(url)
  filling.searchParams.set('options', '-c session_replication_role=replica -c synchronous_commit=off')
  for (const sql of statements) await query(filling.href, sql, [count])
  await nameParts(url)
  await query(url, 'VACUUM (ANALYZE)')
  await query(url, 'CREATE TABLE bench.programmatic (version text, at timestamptz)')
  await query(url, 'INSERT INTO bench.programmatic VALUES ($1, now())', [version])
  const [row] = await query<{ orders: string }>(url, 'SELECT count(*) AS orders FROM programmatic_parts')
  const seconds = ((performance.now() - started) / 1_000).toFixed(0)
  print(`${count} programmatic orders with ${row?.orders} orders in the book: ${seconds} s`)
}

/** The first TWAPs, whose parts have the UIDs that the program computes. */
export const namedIds = [...Array(200).keys()].map(
  (index) => Math.floor(index / 10) * 20 + (index % 10) || 10,
)

interface TwapRow {
  id: string
  owner: Buffer
  static_input: Buffer
  salt: Buffer
  context: Buffer
}

async function nameParts(url: string): Promise<void> {
  const rows = await query<TwapRow>(
    url,
    'SELECT id, owner, static_input, salt, context FROM programmatic_orders WHERE id = ANY($1)',
    [namedIds],
  )
  const hex = (value: Buffer): `0x${string}` => `0x${value.toString('hex')}`
  const parts = rows.flatMap((row) => {
    const terms = termsOf({
      ...{ chainId, owner: hex(row.owner), handler: `0x${twapHandler}`, salt: hex(row.salt) },
      ...{ staticInput: hex(row.static_input), context: hex(row.context), removedBlock: null },
    })
    if (!terms.schedule) throw new Error(`programmatic order ${row.id} has no schedule`)
    return twapParts(terms.schedule, 0, 10).map((part) => ({
      id: Number(row.id) * 10 + part.index,
      uid: orderUid(domain, part.order, terms.owner),
    }))
  })
  await query(
    url,
    `UPDATE orders o SET uid = decode(substring(n.uid FROM 3), 'hex') FROM unnest($1::bigint[], $2::text[]) AS n(id, uid) WHERE o.id = n.id`,
    [parts.map(({ id }) => id), parts.map(({ uid }) => uid)],
  )
}
