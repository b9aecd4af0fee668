import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { limitGap } from '../../src/domain/auction/admission.ts'
import {
  auctionKey,
  auctionNumber,
  auctionNumberSql,
  chainOfKey,
  firstKeySql,
  isHeldHereSql,
  maxChainId,
} from '../../src/domain/auction/key.ts'
import { hexToBytes } from '../../src/domain/evm/hex.ts'
import { type Cancellation, cancellationReason } from '../../src/domain/order/event.ts'
import type { OrderUid } from '../../src/domain/order/order.ts'
import { encodeStaticInput } from '../../src/domain/programmatic/static-input.ts'
import { twapPartByEnd, twapSchedule, twapStart } from '../../src/domain/programmatic/twap.ts'
import { rollbackProgrammatic } from '../../src/storage/chain/programmatic.ts'
import { countStrays } from '../../src/storage/composable/read.ts'
import { numeric, raw } from '../../src/storage/database/columns.ts'
import { sql } from '../../src/storage/database/database.ts'
import { twapInput } from '../domain/programmatic/vectors.ts'
import { signingDomain } from '../fakes/order.ts'
import { storeOrder } from '../fakes/stored-order.ts'
import { createTestDatabase } from '../setup/database.ts'
import { openTestServer } from '../setup/server.ts'
import { graphql } from '../setup/trader.ts'

const { chainId } = signingDomain
const root = path.join(import.meta.dirname, '..', '..')
const codeIn = (text = '') => [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)

const rows = [
  ...readFileSync(path.join(root, 'docs', 'architecture.md'), 'utf8').matchAll(
    /^\| ([^|`]+) \| (`[^|]+) \| (`[^|]+) \| (`test[^|]+) \|$/gm,
  ),
]

test.each(rows.map(([, rule, ...cells]) => ({ rule, cells })))('$rule: all names are there', ({ cells }) => {
  for (const place of cells.flatMap((cell) => cell.split(';'))) {
    const names = codeIn(place)
    const text = readFileSync(path.join(root, names.pop() ?? ''), 'utf8')
    expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(text))).toEqual([])
  }
})

test('the page has each file of SQL that says that a test compares it', () => {
  const named = new Set(rows.flatMap(([, , ...cells]) => codeIn(cells.join())))
  const compared = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .map((file) => `src/${file}`)
    .filter((file) => file.endsWith('.ts') && !file.includes('generated'))
    .filter((file) =>
      /the same rule|a test\s+(?:\* )?(?:holds|compares)/.test(readFileSync(path.join(root, file), 'utf8')),
    )
  expect(compared.length).toBeGreaterThan(5)
  expect(compared.filter((file) => !named.has(file))).toEqual([])
})

/** Compares many random values in one run: a failure prints the seed. */
const compare = <Value>(
  values: fc.Arbitrary<Value>,
  count: number,
  body: (values: Value[]) => Promise<void>,
) =>
  fc.assert(fc.asyncProperty(fc.array(values, { minLength: count, maxLength: count }), body), {
    numRuns: 1,
    endOnFailure: true,
  })

const amount = fc.oneof(fc.bigInt(1n, 20n), fc.bigInt(1n, 2n ** 128n))

test('the gap of the best price is that of the domain', async () => {
  await using server = await openTestServer()
  const { db } = server.database
  const found = fc.record({
    sellAmount: amount,
    sell: amount,
    buy: amount,
    buyAmount: fc.oneof(amount, fc.constant(0n)),
  })
  await compare(found, 60, async (samples) => {
    const expected = new Map<string, number>()
    for (const { sell, buy, ...amounts } of samples) {
      const order = await storeOrder(db, { ...amounts, validTo: 2_000_000_000 + expected.size })
      await sql(db).$executeRaw`
        INSERT INTO order_standings (order_id, chain_id, since, updated_at, routed_sell, routed_buy, routed_block)
        VALUES (${order.id}, ${chainId}, now(), now(), ${numeric(sell)}, ${numeric(buy)}, 1)`
      expected.set(order.uid, Number(limitGap(order, { sell, buy })) / 1e6)
    }
    const document = '{ orders(first: 100) { nodes { uid standing { bestPrice { gap } } } } }'
    type Node = { uid: string; standing: { bestPrice: { gap: string } } }
    const { nodes } = (await graphql(server.url, document)).orders
    const gaps = nodes.map(({ uid, standing }: Node) => [uid, Number(standing.bestPrice.gap)])
    expect(new Map(gaps)).toEqual(expected)
  })
})

test('the source of a cancellation is read from the reason that the domain gives it', async () => {
  await using server = await openTestServer()
  const { db } = server.database
  const texts = ['', 'chain', 'api', 'chain: 0x12', 'replacement: 0x12', 'policy', 'a court', ': ']
  const txHash = `0x${'ab'.repeat(32)}` as const
  const cancellation = fc.oneof(
    fc.constant<Cancellation>({ by: 'api' }),
    fc.option(fc.constantFrom(...texts)).map((reason): Cancellation => ({ by: 'policy', reason })),
    fc.constant<Cancellation>({ by: 'replacement', uid: `0x${'cd'.repeat(56)}` as OrderUid }),
    fc.constant<Cancellation>({ by: 'chain', blockNumber: 1, txHash }),
  )
  const order = await storeOrder(db)
  await compare(cancellation, 40, async (cancellations) => {
    await sql(db).$executeRaw`
      INSERT INTO order_events (order_id, label, reason, timestamp)
      SELECT ${order.id}, 'cancelled', n.reason, now() + n.place * interval '1 second'
      FROM unnest(${cancellations.map(cancellationReason)}::text[]) WITH ORDINALITY AS n(reason, place)`
    const document = `{ order(uid: "${order.uid}") { debugReport { events(last: 40) { nodes { source detail txHash } } } } }`
    const { nodes } = (await graphql(server.url, document)).order.debugReport.events
    expect(nodes).toEqual(
      cancellations.map((each) => ({
        source: each.by.toUpperCase(),
        detail: each.by === 'policy' ? cancellationReason(each) : null,
        txHash: each.by === 'chain' ? txHash : null,
      })),
    )
  })
})

test('numbers and keys of auctions are those of the domain', async () => {
  await using database = await createTestDatabase()
  const chain = fc.oneof(fc.constantFrom(0, 1, maxChainId), fc.integer({ min: 0, max: maxChainId }))
  const number = fc.oneof(fc.constantFrom(0n, 1n, 2n ** 31n - 1n), fc.bigInt(0n, 2n ** 31n - 1n))
  const key = fc.tuple(chain, number).map(([chain, number]) => auctionKey(chain, number) ?? expect.fail())
  await compare(key, 200, async (keys) => {
    const read = await sql(database.db).$queryRaw`
      SELECT ${raw(auctionNumberSql('k.key'))} AS number, ${raw(isHeldHereSql('k.key'))} AS held,
        ${raw(firstKeySql('k.chain'))} AS first
      FROM unnest(${keys}::bigint[], ${keys.map((key) => chainOfKey(key) ?? 0)}::int[])
        WITH ORDINALITY AS k(key, chain, place) ORDER BY place`
    expect(read).toEqual(
      keys.map((key) => ({
        number: auctionNumber(key),
        held: chainOfKey(key) === undefined,
        first: auctionKey(chainOfKey(key) ?? 0, 0n),
      })),
    )
  })
})

const starts = [0n, 1n, 1_000n, 1_000_003n, 2n ** 32n - 30n]
const input = fc
  .record({
    t0: fc.constantFrom(...starts),
    n: fc.bigInt(2n, 6n),
    t: fc.bigInt(1n, 9n),
    span: fc.bigInt(0n, 9n),
  })
  .map(({ span, ...terms }) => twapInput({ ...terms, span: span > terms.t ? 0n : span }))

test('an order is no part of a TWAP if the domain has no part with its end', async () => {
  await using database = await createTestDatabase()
  const { db } = database
  await sql(db).$executeRaw`
    INSERT INTO programmatic_orders (id, chain_id, owner, hash, handler, salt, static_input, created_block, type)
    VALUES (1, ${chainId}, '\\x01', '\\x01', '\\x02', '\\x03', '\\x', 1, 'TWAP')`
  const seconds = Array.from({ length: 30 }, (_, second) => second)
  const ends = [...new Set(starts.flatMap((start) => seconds.map((second) => Number(start) + second)))]
  for (const validTo of ends) {
    const { id } = await storeOrder(db, { validTo })
    await sql(db).$executeRaw`
      INSERT INTO programmatic_parts (order_id, chain_id, owner, hash) VALUES (${id}, ${chainId}, '\\x01', '\\x01')`
  }
  await compare(input, 200, async (inputs) => {
    const schedules = inputs.flatMap((terms) => {
      const schedule = twapSchedule(terms, 7n)
      return 'fault' in schedule ? [] : [schedule]
    })
    const strays = schedules.map((schedule) => ends.filter((end) => !twapPartByEnd(schedule, end)).length)
    expect(new Set(strays).size).toBeGreaterThan(3)
    const rows = [...schedules, null].map((schedule) => ({ id: '1', schedule }))
    expect(await countStrays(db, rows)).toEqual([...strays, ends.length])
  })
})

test('a reorg of a creation forgets the start that is in the contract, and no other', async () => {
  await using database = await createTestDatabase()
  const { db } = database
  await compare(input, 40, async (inputs) => {
    const hashes = inputs.map((_, index) => Buffer.from([index]))
    const encoded = inputs.map((terms) => hexToBytes(encodeStaticInput('TWAP', terms)))
    await sql(db).$executeRaw`
      INSERT INTO programmatic_orders (chain_id, owner, hash, handler, salt, static_input, created_block, type, starts_at, looked_block)
      SELECT ${chainId}, '\\x01', n.hash, '\\x02', '\\x03', n.input, 1, 'TWAP', 5, 1
      FROM unnest(${hashes}::bytea[], ${encoded}::bytea[]) AS n(hash, input)`
    await sql(db).$executeRaw`
      INSERT INTO programmatic_creations (chain_id, block_number, log_index, tx_hash, owner, hash, block_time)
      SELECT ${chainId}, 3, n.place, '\\x04', '\\x01', n.hash, now()
      FROM unnest(${hashes}::bytea[]) WITH ORDINALITY AS n(hash, place)`
    await db.transaction((tx) => rollbackProgrammatic(tx, chainId, 2))
    const read = await sql(db).programmaticOrder.findMany({ orderBy: { hash: 'asc' } })
    const isInContract = inputs.map((terms) => twapStart(terms, 1n) !== twapStart(terms, 2n))
    expect(read.map(({ startsAt }) => startsAt)).toEqual(isInContract.map((isRead) => (isRead ? null : 5n)))
  })
})
