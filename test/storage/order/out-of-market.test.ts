import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Address } from '../../../src/domain/evm/address.ts'
import { hexToBytes } from '../../../src/domain/evm/hex.ts'
import type { Order } from '../../../src/domain/order/order.ts'
import { isOutOfMarket } from '../../../src/domain/quote/quote.ts'
import { sql } from '../../../src/storage/database/database.ts'
import { countOutOfMarket } from '../../../src/storage/order/orders.ts'
import { sampleQuote, signingDomain } from '../../fakes/order.ts'
import { storeOrder } from '../../fakes/stored-order.ts'
import { connectDirectly, createTestDatabase, type TestDatabase } from '../../setup/database.ts'

const { chainId } = signingDomain
const now = 1_800_000_000
let database: TestDatabase
let owners = 0
beforeAll(async () => {
  database = await createTestDatabase({ isNew: true })
})
afterAll(() => database[Symbol.asyncDispose]())

const newOwner = () => `0x${(++owners).toString(16).padStart(40, '0')}` as Address
const count = (owner: Address, max = 100) => countOutOfMarket(database.db, { chainId, owner, now, max })

/** Just in the market, and just out of it; the third pair differs only by the rounding of the fee's share. */
const edges = [
  { kind: 'sell' as const, sellAmount: 1_000n, buyAmount: 495n },
  { kind: 'sell' as const, sellAmount: 1_000n, buyAmount: 496n },
  { kind: 'buy' as const, sellAmount: 1_010n, buyAmount: 500n },
  { kind: 'buy' as const, sellAmount: 1_009n, buyAmount: 500n },
]
  .map((order) => ({ ...order, quote: { sellAmount: 1_000n, buyAmount: 500n, feeAmount: 10n } }))
  .concat(
    [7n, 8n].map((buyAmount) => ({
      kind: 'sell' as const,
      sellAmount: 3n,
      buyAmount,
      quote: { sellAmount: 3n, buyAmount: 10n, feeAmount: 1n },
    })),
  )

test('SQL and the domain agree on which orders are out of market', async () => {
  const amount = fc.oneof(fc.bigInt({ min: 1n, max: 20n }), fc.bigInt({ min: 1n, max: 2n ** 256n - 1n }))
  const quote = fc.record({
    sellAmount: amount,
    buyAmount: amount,
    feeAmount: fc.bigInt({ min: 0n, max: 30n }),
  })
  const kind = fc.constantFrom('buy' as const, 'sell' as const)
  const samples = [
    ...edges,
    ...fc.sample(fc.record({ kind, sellAmount: amount, buyAmount: amount, quote }), 60),
  ]
  const results = new Set<boolean>()
  for (const { quote, ...amounts } of samples) {
    const owner = newOwner()
    await storeOrder(database.db, { ...amounts, owner, quote: sampleQuote(quote) })
    const expected = isOutOfMarket(amounts, quote)
    results.add(expected)
    expect([amounts, quote, await count(owner)]).toEqual([amounts, quote, expected ? 1 : 0])
  }
  expect(results.size).toBe(2)
})

test('what is just in the market is not out of it', () => {
  const results = edges.map(({ quote, ...order }) => isOutOfMarket(order, quote))
  expect(results).toEqual([false, true, false, true, false, true])
})

test('counts open orders, and no more than the limit', async () => {
  const owner = newOwner()
  let validTo = now
  const store = (overrides: Partial<Order> = {}) =>
    storeOrder(database.db, { owner, validTo: ++validTo, effectiveValidTo: now, ...overrides })
  const change = async (order: Order, data: object) =>
    sql(database.db).order.update({ where: { id: order.id }, data })
  for (let open = 0; open < 3; open++) await store()
  await store({ signingScheme: 'presign' })
  await store({ effectiveValidTo: now - 1 })
  await store({ class: 'market' })
  await store({ owner: newOwner() })
  await store({ chainId: 1 })
  await change(await store(), { cancelledAt: new Date() })
  await change(await store(), { invalidated: true })
  await change(await store(), { executedSell: `${10n ** 18n}` })
  expect([await count(owner), await count(owner, 2)]).toEqual([3, 2])
  await change(await store({ signingScheme: 'presign' }), { presigned: true })
  expect(await count(owner)).toBe(4)
})

test('for an account with many ended orders, only the open ones are read', async () => {
  const owner = newOwner()
  await using client = await connectDirectly(database.url)
  await client.query(`INSERT INTO orders (chain_id, uid, owner, sell_token, buy_token, sell_amount, buy_amount, valid_to, app_data,
      fee_amount, kind, partially_fillable, sell_token_balance, buy_token_balance, signing_scheme, signature, settlement, class,
      full_balance_check, created_at, effective_valid_to, executed_sell)
    SELECT ${chainId}, decode(lpad(to_hex(g), 112, '0'), 'hex'), '\\x${owner.slice(2)}', '', '', 1, 1, ${now}, '', 0, 'sell', false, 'erc20',
      'erc20', 'eip712', '', '', 'limit', false, now(), ${now + 600}, CASE WHEN g > 3 THEN 1 ELSE 0 END
    FROM generate_series(1, 5000) AS g`)
  await client.query('VACUUM ANALYZE')
  const before = database.statements.length
  expect(await count(owner)).toBe(3)
  const [statement = ''] = database.statements.slice(before)
  const { rows } = await client.query<{ 'QUERY PLAN': string }>(
    `EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF) ${statement}`,
    [hexToBytes(owner), chainId, now, 100],
  )
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
  expect(plan).toContain('orders_owner_status_idx')
  expect(plan).not.toContain('Seq Scan on orders')
  expect(Number(/Buffers: shared hit=(\d+)/.exec(plan)?.[1])).toBeLessThan(40)
})
