import fc from 'fast-check'
import type { Client } from 'pg'
import { expect, test } from 'vitest'
import type { Block } from '../../src/chain/chain.ts'
import type { SettlementLog } from '../../src/chain/logs/settlement-logs.ts'
import type { DecodedSettlement } from '../../src/chain/settlement/call.ts'
import type { Bytes32 } from '../../src/domain/evm/hex.ts'
import type { Order } from '../../src/domain/order/order.ts'
import { applyBlocks, applyFinality, applyReorg, type Indexing } from '../../src/indexer/apply.ts'
import type { Checkpoint } from '../../src/storage/chain/log.ts'
import type { Database } from '../../src/storage/database/database.ts'
import { storeCompetition } from '../fakes/competition.ts'
import { numbered, signingDomain } from '../fakes/order.ts'
import { storeOrder } from '../fakes/stored-order.ts'
import { connectDirectly, createTestDatabase } from '../setup/database.ts'
import {
  hashOf,
  invalidation,
  type LogSketch,
  presignature,
  type SketchedBlock,
  settled,
  sketchBlock,
  trade,
} from './hand-made.ts'

/** Actions on chain; those that the contract would refuse at that point are skipped. */
type Act =
  | { act: 'fill'; order: number; parts: number; own: boolean }
  | { act: 'invalidate'; order: number }
  | { act: 'presign'; order: number; signed: boolean }

/** Blocks that arrive together, after `undone` blocks were removed. */
interface Change {
  undone: number
  blocks: { acts: Act[]; seconds: number }[]
  finalizes: boolean
}

const unit = 10n ** 18n
const dollars = 2_900n * 10n ** 6n
const solver = numbered('51')
const { chainId } = signingDomain
const start = 1_000

/** Orders of three units that expire at different times; the auction `n + 1` fills one unit of order `n`. */
async function seed(db: Database): Promise<{ orders: Order[]; calls: Map<Bytes32, DecodedSettlement> }> {
  const orders: Order[] = []
  const calls = new Map<Bytes32, DecodedSettlement>()
  for (const [index, signingScheme] of (['eip712', 'eip712', 'presign', 'ethsign'] as const).entries()) {
    const effectiveValidTo = start + 40 + 60 * index
    const order = await storeOrder(db, {
      signingScheme,
      effectiveValidTo,
      validTo: effectiveValidTo,
      sellAmount: 3n * unit,
      buyAmount: dollars,
      partiallyFillable: true,
    })
    orders.push(order)
    const fills = [{ order, fill: { sell: unit, buy: dollars } }]
    const call = await storeCompetition(db, { id: BigInt(index + 1), solver, fills })
    calls.set(hashOf(`own ${index}`), call)
  }
  return { orders, calls }
}

/** The contract's state on a branch: what is left of each order. */
function playBranch(orders: readonly Order[], blocks: readonly { acts: Act[]; timestamp: number }[]) {
  const left = orders.map(() => 3)
  const done = orders.map(() => 0)
  const settledOwn = new Set<number>()
  return blocks.map(({ acts, timestamp }) =>
    acts.flatMap((item): LogSketch[] => {
      const order = orders[item.order]
      const rest = left[item.order] ?? 0
      if (!order) return []
      // The same action is the same transaction on every branch.
      const tx = `${item.act} ${item.order} ${done[item.order]}`
      done[item.order] = (done[item.order] ?? 0) + 1
      if (item.act === 'presign') return [presignature(order, item.signed, tx)]
      if (order.effectiveValidTo < timestamp) return []
      if (item.act === 'invalidate') {
        left[item.order] = 0
        return [invalidation(order, tx)]
      }
      const own = item.own && !settledOwn.has(item.order)
      const parts = own ? 1 : Math.min(rest, item.parts)
      if (parts === 0 || rest === 0) return []
      left[item.order] = rest - parts
      if (own) settledOwn.add(item.order)
      const name = own ? `own ${item.order}` : tx
      return [
        trade(order, { sell: unit * BigInt(parts), buy: dollars * BigInt(parts) }, name),
        settled(solver, name),
      ]
    }),
  )
}

interface Branch {
  acts: Act[]
  timestamp: number
  branch: string
}

function sketchBranch(orders: readonly Order[], branch: readonly Branch[]): SketchedBlock[] {
  const logs = playBranch(orders, branch)
  return branch.map(({ branch: name, timestamp }, index) =>
    sketchBlock(index + 1, logs[index] ?? [], { branch: name, timestamp }),
  )
}

interface Reported {
  id: string
  cause: string
  message: string
  metadata: Record<string, unknown>
  entries: number
}

const factsSql = `SELECT json_build_object(
  'orders', (SELECT json_agg(json_build_object('uid', uid, 'sell', executed_sell::text, 'buy', executed_buy::text,
    'fee', executed_fee::text, 'token', executed_fee_token, 'invalidated', invalidated, 'presigned', presigned,
    'expired', expired_at_block IS NOT NULL) ORDER BY id) FROM orders),
  'trades', (SELECT json_agg(t ORDER BY block_number, log_index) FROM trades t),
  'settlements', (SELECT json_agg(t ORDER BY block_number, log_index) FROM settlements t),
  'invalidations', (SELECT json_agg(t ORDER BY block_number, log_index) FROM invalidations t),
  'presignatures', (SELECT json_agg(t ORDER BY block_number, log_index) FROM presignatures t),
  'executions', (SELECT json_agg(t ORDER BY order_id, auction_id) FROM executions t),
  'events', (SELECT json_agg(json_build_object('order', order_id, 'label', label, 'block', block_number)
    ORDER BY order_id, id) FROM order_events),
  'attempts', (SELECT json_agg(json_build_object('auction', auction_id, 'outcome', outcome, 'block', end_block)
    ORDER BY auction_id) FROM settlement_attempts),
  'checkpoint', (SELECT json_build_object('number', block_number, 'hash', block_hash) FROM checkpoints)) AS facts`

const reportedSql = `SELECT n.id, n.cause, n.message, n.metadata, count(f.id)::int AS entries FROM notifications n
  LEFT JOIN feed_entries f ON f.notification_id = n.id GROUP BY n.id ORDER BY n.cause`

const resetSql = `DELETE FROM trades; DELETE FROM settlements; DELETE FROM invalidations; DELETE FROM presignatures;
  DELETE FROM executions; DELETE FROM order_events WHERE label <> 'created'; DELETE FROM notifications;
  DELETE FROM feed_entries; DELETE FROM checkpoints; DELETE FROM blocks;
  UPDATE settlement_attempts SET outcome = NULL, ended_at = NULL, end_block = NULL, tx_hash = NULL;
  UPDATE orders SET executed_sell = 0, executed_buy = 0, executed_fee = 0, executed_fee_token = NULL, invalidated = false,
    presigned = false, expired_at_block = NULL`

/** An indexer with a new database. */
async function createFollower() {
  const database = await createTestDatabase()
  const { orders, calls } = await seed(database.db)
  const client = await connectDirectly(database.url)
  const settlementOf = async (txHash: Bytes32) => calls.get(txHash)
  const indexing: Indexing = { chainId, db: database.db, now: () => 0, settlementOf }
  let checkpoint: Checkpoint | null = null
  return {
    orders,
    async reset() {
      await client.query(resetSql)
      checkpoint = null
    },
    async grow(sketched: readonly SketchedBlock[]) {
      const [first, ...rest] = sketched.map(({ block }) => block) as [Block, ...Block[]]
      const logs: SettlementLog[] = sketched.flatMap((item) => item.logs)
      checkpoint = await applyBlocks(checkpoint, [first, ...rest], logs, indexing)
    },
    async rollBack(to: Block | undefined) {
      checkpoint = await applyReorg(checkpoint, to ?? { number: 0, hash: null }, indexing)
    },
    finalize: (number: number) => applyFinality(number, indexing),
    facts: async () => (await client.query(factsSql)).rows[0].facts,
    reported: () => readReported(client),
    async [Symbol.asyncDispose]() {
      await client.end()
      await database[Symbol.asyncDispose]()
    },
  }
}

async function readReported(client: Client): Promise<Reported[]> {
  return (await client.query<Reported>(reportedSql)).rows
}

/** A notification is in the feed once, and once more each time that it is reverted or restored. */
function expectNoRepetition(before: readonly Reported[], after: readonly Reported[]): void {
  const known = new Map(before.map((item) => [item.id, item]))
  for (const item of after) {
    const was = known.get(item.id)
    const turned = was === undefined || was.metadata.reverted !== item.metadata.reverted
    expect(item.entries - (was?.entries ?? 0)).toBe(turned ? 1 : 0)
    known.delete(item.id)
  }
  expect([...known]).toEqual([])
}

const order = fc.integer({ min: 0, max: 3 })
const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      act: fc.constant('fill' as const),
      order,
      parts: fc.integer({ min: 1, max: 3 }),
      own: fc.boolean(),
    }),
  },
  fc.record({ act: fc.constant('invalidate' as const), order }),
  fc.record({ act: fc.constant('presign' as const), order, signed: fc.boolean() }),
)
const change: fc.Arbitrary<Change> = fc.record({
  undone: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 4 }), fc.constant(99)),
  blocks: fc.array(
    fc.record({ acts: fc.array(act, { maxLength: 3 }), seconds: fc.constantFrom(1, 12, 50) }),
    {
      minLength: 1,
      maxLength: 3,
    },
  ),
  finalizes: fc.boolean(),
})

test('after reorgs of any depth the state is that of the last branch alone', async () => {
  await using follower = await createFollower()
  await using fresh = await createFollower()
  const { orders } = follower
  const seen = new Set<string>()

  async function follow(changes: readonly Change[]): Promise<Branch[]> {
    let branch: Branch[] = []
    let reported: Reported[] = []
    for (const [index, { undone, blocks, finalizes }] of changes.entries()) {
      const kept = branch.slice(0, Math.max(0, branch.length - undone))
      if (kept.length < branch.length) {
        await follower.rollBack(sketchBranch(orders, kept).at(-1)?.block)
      }
      branch = [...kept]
      for (const { acts, seconds } of blocks) {
        const timestamp = (branch.at(-1)?.timestamp ?? start) + seconds
        branch.push({ acts, timestamp, branch: String(index) })
      }
      await follower.grow(sketchBranch(orders, branch).slice(kept.length))
      if (finalizes) await follower.finalize(branch.length)
      const now = await follower.reported()
      expectNoRepetition(reported, now)
      for (const { cause, metadata } of now) {
        seen.add(`${cause.split(':')[0]}${metadata.reverted ? ' reverted' : ''}`)
      }
      reported = now
    }
    // Longer branches than the last one may have been reported.
    await follower.finalize(1_000)
    expectNoRepetition(reported, await follower.reported())
    return branch
  }

  await fc.assert(
    fc
      .asyncProperty(fc.array(change, { minLength: 1, maxLength: 6 }), async (changes) => {
        const branch = await follow(changes)
        for (const sketched of sketchBranch(orders, branch)) await fresh.grow([sketched])
        expect(await follower.facts()).toEqual(await fresh.facts())
        const text = ({ cause, message, metadata }: Reported) => ({ cause, message, metadata })
        const standing = (await follower.reported()).filter(({ metadata }) => !metadata.reverted)
        expect(standing.map(text)).toEqual((await fresh.reported()).map(text))
      })
      .beforeEach(async () => {
        await follower.reset()
        await fresh.reset()
      }),
    { numRuns: 25 },
  )
  // The histories covered these cases.
  expect([...seen]).toEqual(expect.arrayContaining(['cancelled', 'expired', 'filled', 'partial']))
  expect([...seen].filter((cause) => cause.endsWith('reverted')).length).toBeGreaterThan(1)
})
