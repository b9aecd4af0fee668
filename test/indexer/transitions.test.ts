import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Cancellation } from '../../src/domain/order/event.ts'
import type { Order } from '../../src/domain/order/order.ts'
import { applyBlocks } from '../../src/indexer/apply.ts'
import { recordCancelled, recordExpired } from '../../src/notifications/record.ts'
import type { Checkpoint } from '../../src/storage/chain/indexed-logs.ts'
import { sql } from '../../src/storage/database/database.ts'
import { appendEvents } from '../../src/storage/order/events.ts'
import { storeCancellations } from '../../src/storage/order/orders.ts'
import { readPage } from '../docs/pages.ts'
import { numbered, sampleOrder, signingDomain } from '../fakes/order.ts'
import { readOrder, storeOrder } from '../fakes/stored-order.ts'
import { openTestServer, type TestServer } from '../setup/server.ts'
import { graphql, request } from '../setup/trader.ts'
import { invalidation, type LogSketch, presignature, rangeOf, sketchBlock, trade } from './hand-made.ts'

// The table of transitions in the documentation, against what the interfaces say after each step of random
// histories.
const [, table = ''] =
  /These\s+are\s+all\s+transitions:\n\n([\s\S]*?)\n\n/.exec(readPage('docs/reference/orders.md').text) ?? []
const rows = new Map(
  table
    .split('\n')
    .slice(2)
    .map((line) => {
      const [what = '', before = '', after = '', stage = '', untraded = '', traded = ''] = line
        .split('|')
        .slice(1)
        .map((cell) => cell.trim())
      return [what, { before: before.split(', '), after, stage, untraded, traded }]
    }),
)

const { chainId } = signingDomain
let server: TestServer
let checkpoint: Checkpoint | null = null
let steps = 0

beforeAll(async () => {
  server = await openTestServer()
})
afterAll(() => server?.[Symbol.asyncDispose]())

async function mine(log: LogSketch): Promise<void> {
  const range = rangeOf([sketchBlock((checkpoint?.number ?? 0) + 1, [log])])
  checkpoint = await applyBlocks(checkpoint, range, {
    chainId,
    db: server.database.db,
    now: () => 1_799_999_000_000 + ++steps,
  })
}

async function cancel(order: Order, cancellation: Cancellation): Promise<void> {
  const at = new Date(1_799_999_000_000 + ++steps)
  await server.database.db.transaction(async (tx) => {
    await storeCancellations(tx, [order.id], at)
    await recordCancelled(tx, [order], cancellation, at)
  })
}

async function expire(order: Order): Promise<void> {
  await server.database.db.transaction(async (tx) => {
    await sql(tx).order.update({ where: { id: order.id }, data: { effectiveValidTo: 1_799_999_000n } })
    await recordExpired(tx, [{ order, blockNumber: 1 }], new Date(1_799_999_000_000 + ++steps))
  })
}

/** In a settlement of an auction: REST knows no status of orders that others settled. */
async function fill(order: Order, sell: bigint): Promise<void> {
  await mine(trade(order, { sell, buy: 1n }, `fill ${++steps}`))
  await sql(server.database.db).trade.updateMany({ where: { orderId: order.id }, data: { auctionId: 1n } })
}

const acts: Record<string, (order: Order) => Promise<void>> = {
  'signed on chain': (order) => mine(presignature(order, true, `sign ${++steps}`)),
  'signature revoked': (order) => mine(presignature(order, false, `revoke ${++steps}`)),
  'traded in part': (order) => fill(order, 1n),
  'traded whole': (order) => fill(order, order.sellAmount - order.executedSellAmount),
  'time passes': expire,
  'cancelled by its owner': (order) => cancel(order, { by: 'api' }),
  'cancelled by the operator': (order) => cancel(order, { by: 'policy', reason: 'x' }),
  replaced: (order) => cancel(order, { by: 'replacement', uid: sampleOrder().uid }),
  'invalidated on chain': (order) => mine(invalidation(order, `invalidate ${++steps}`)),
  refunded: ({ id }) =>
    server.database.db.transaction((tx) =>
      appendEvents(tx, [
        { orderId: id, label: 'refunded', reason: null, timestamp: new Date(1_799_999_000_000 + ++steps) },
      ]),
    ),
}

async function read({ uid }: Order) {
  const { order } = await graphql(
    server.url,
    'query ($uid: OrderUid!) { order(uid: $uid) { status progress { stage } executedSellAmount } }',
    { uid },
  )
  const { body } = await request(`${server.url}/sepolia/api/v1/orders/${uid}/status`)
  const status = order.status === 'PRESIGNATURE_PENDING' ? 'presignaturePending' : order.status.toLowerCase()
  return { status, stage: order.progress.stage, hasTraded: order.executedSellAmount !== '0', rest: body.type }
}

test('after each step of any history the interfaces say what the table of the documentation says', async () => {
  const names = Object.keys(acts)
  expect([...rows.keys()]).toEqual(['placed', 'placed unsigned', ...names])
  const seen = new Set<string>()
  const history = fc.record({
    unsigned: fc.boolean(),
    steps: fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 5 }),
  })
  let owners = 0x3000

  async function play({ unsigned, steps: story }: { unsigned: boolean; steps: string[] }): Promise<void> {
    const { db } = server.database
    const signingScheme = unsigned ? 'presign' : 'eip712'
    const owner = numbered((owners++).toString(16))
    const order = await storeOrder(db, {
      owner,
      signingScheme,
      partiallyFillable: true,
      creationDate: new Date(1_799_998_000_000),
    })
    const before = { status: '', stage: '', hasTraded: false, rest: '' }
    const first = await read(order)
    check(unsigned ? 'placed unsigned' : 'placed', before, first)
    let last = first
    for (const what of story) {
      // What the service and the contract refuse does not happen.
      if (!rows.get(what)?.before.includes(last.status)) continue
      if (what === 'signature revoked' && !unsigned) continue
      await acts[what]?.(await readOrder(db, order))
      const next = await read(order)
      check(what, last, next)
      last = next
    }
  }

  type State = Awaited<ReturnType<typeof read>>
  function check(what: string, before: State, after: State): void {
    const row = rows.get(what)
    if (!row) throw new Error(`the table lacks: ${what}`)
    const or = (told: string, same: string) => (told === 'as before' ? same : told)
    expect([what, before.status, after.status, after.stage, after.rest]).toEqual([
      what,
      before.status,
      or(row.after, before.status),
      or(row.stage, before.stage),
      after.hasTraded ? or(row.traded, before.rest) : or(row.untraded, before.rest),
    ])
    seen.add(what)
  }

  await fc.assert(fc.asyncProperty(history, play), { numRuns: 40, endOnFailure: true })
  // Each row at least once.
  for (const what of names)
    await play({
      unsigned: what.startsWith('sign'),
      steps:
        what === 'signature revoked'
          ? ['signed on chain', what]
          : what === 'refunded'
            ? ['time passes', what]
            : [what],
    })
  expect([...seen].sort()).toEqual([...rows.keys()].sort())
})
