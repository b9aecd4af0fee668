import fc from 'fast-check'
import type { Client } from 'pg'
import { expect, test } from 'vitest'
import { createChain } from '../../src/chain/chain.ts'
import { chainLogs } from '../../src/chain/logs/chain-logs.ts'
import { type DecodedSettlement, encodeSettle, encodeTrade } from '../../src/chain/settlement/call.ts'
import { minedGas, minedSettlements } from '../../src/chain/settlement/mined.ts'
import { createSettlementTracer } from '../../src/chain/settlement/trace.ts'
import type { Bytes32, Hex } from '../../src/domain/evm/hex.ts'
import type { Order } from '../../src/domain/order/order.ts'
import { applyBlocks, applyFinality, type Indexing } from '../../src/indexer/apply.ts'
import { type IndexerOptions, runIndexer } from '../../src/indexer/run.ts'
import { type Checkpoint, findCheckpoint } from '../../src/storage/chain/indexed-logs.ts'
import type { Database } from '../../src/storage/database/database.ts'
import { storeCompetition } from '../fakes/competition.ts'
import { sampleNetwork } from '../fakes/network.ts'
import { numbered, signingDomain } from '../fakes/order.ts'
import { silentLog } from '../fakes/silent-log.ts'
import { storeOrder } from '../fakes/stored-order.ts'
import { connectDirectly, createTestDatabase } from '../setup/database.ts'
import {
  hashOf,
  invalidation,
  type LogSketch,
  presignature,
  rangeOf,
  type SketchedBlock,
  settled,
  sketchBlock,
  trade,
} from './hand-made.ts'
import { createHostileNode } from './hostile-node.ts'

/** Actions on chain; those that the contract would refuse at that point are skipped. */
type Act =
  | { act: 'fill'; order: number; parts: number; own: boolean }
  | { act: 'invalidate'; order: number }
  | { act: 'presign'; order: number; signed: boolean }

/** Blocks that arrive together, after `undone` blocks were removed. */
interface Change {
  undone: number
  blocks: { acts: Act[]; seconds: number }[]
}

const unit = 10n ** 18n
const dollars = 2_900n * 10n ** 6n
const solver = numbered('51')
const { chainId } = signingDomain
const start = 1_000
const finalityBlocks = 4

type HostileNode = ReturnType<typeof createHostileNode>

/**
 * Orders of three units that expire at different times; the solution of auction `n + 1` fills one unit of
 * order `n`.
 */
async function seed(db: Database) {
  const orders: Order[] = []
  const calls = new Map<Bytes32, DecodedSettlement>()
  const calldata = new Map<Bytes32, Hex>()
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
    // It can be settled three times.
    for (const time of [0, 1, 2]) {
      calls.set(hashOf(`own ${index} ${time}`), call)
      calldata.set(hashOf(`own ${index} ${time}`), calldataOf(order, call))
    }
  }
  return { orders, calls, calldata }
}

function calldataOf(order: Order, { auctionId, trades, ...rest }: DecodedSettlement): Hex {
  return encodeSettle({
    ...rest,
    trades: trades.map(({ indices, executedAmount }) => encodeTrade(order, indices, executedAmount)),
    interactions: [[], [], []],
    auctionId: auctionId ?? 0n,
  })
}

/** The contract's state on a branch: what is left of each order. */
function playBranch(orders: readonly Order[], blocks: readonly { acts: Act[]; timestamp: number }[]) {
  const left = orders.map(() => 3)
  const done = orders.map(() => 0)
  const settledOwn = orders.map(() => 0)
  return blocks.map(({ acts, timestamp }) =>
    acts.flatMap((item): LogSketch[] => {
      const order = orders[item.order]
      const rest = left[item.order] ?? 0
      if (!order) return []
      // The same action is the same transaction on every branch.
      const tx = `${item.act} ${item.order} ${done[item.order]}`
      done[item.order] = (done[item.order] ?? 0) + 1
      if (item.act === 'presign') return [presignature(order, item.signed, tx)]
      if (item.act === 'invalidate') {
        left[item.order] = 0
        return [invalidation(order, tx)]
      }
      const parts = item.own ? 1 : Math.min(rest, item.parts)
      if (parts === 0 || rest === 0 || order.effectiveValidTo < timestamp) return []
      left[item.order] = rest - parts
      const time = settledOwn[item.order] ?? 0
      if (item.own) settledOwn[item.order] = time + 1
      const name = item.own ? `own ${item.order} ${time}` : tx
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
  let parentHash = hashOf('before')
  return branch.map(({ branch: name, timestamp }, index) => {
    const { block, logs: placed } = sketchBlock(index + 1, logs[index] ?? [], { branch: name, timestamp })
    const linked = { block: { ...block, parentHash }, logs: placed }
    parentHash = block.hash
    return linked
  })
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
  'attempts', (SELECT json_agg(json_build_object('auction', auction_id, 'outcome', outcome, 'block', end_block,
    'tx', CASE WHEN outcome IS NOT NULL THEN tx_hash END)
    ORDER BY auction_id) FROM settlement_attempts),
  'checkpoint', (SELECT json_build_object('number', block_number, 'hash', block_hash) FROM checkpoints)) AS facts`

const reportedSql = `SELECT n.id, n.cause, n.message, n.metadata, count(f.place)::int AS entries FROM notifications n
  LEFT JOIN feed_entries f ON f.notification_id = n.id GROUP BY n.id ORDER BY n.cause`

const resetSql = `DELETE FROM trades; DELETE FROM settlements; DELETE FROM invalidations; DELETE FROM presignatures;
  DELETE FROM executions; DELETE FROM order_events WHERE label <> 'created'; DELETE FROM notifications;
  DELETE FROM feed_entries; DELETE FROM checkpoints; DELETE FROM blocks;
  UPDATE settlement_attempts SET outcome = NULL, ended_at = NULL, end_block = NULL, tx_hash = NULL;
  UPDATE orders SET executed_sell = 0, executed_buy = 0, executed_fee = 0, executed_fee_token = NULL, invalidated = false,
    presigned = false, expired_at_block = NULL`

/** A database with the orders, before any block. */
async function createStore() {
  const database = await createTestDatabase()
  const seeded = await seed(database.db)
  const client = await connectDirectly(database.url)
  return {
    ...seeded,
    db: database.db,
    reset: () => client.query(resetSql),
    facts: async () => (await client.query(factsSql)).rows[0].facts,
    reported: () => readReported(client),
    async [Symbol.asyncDispose]() {
      await client.end()
      await database[Symbol.asyncDispose]()
    },
  }
}

type Store = Awaited<ReturnType<typeof createStore>>

/**
 * Follows a node until `atRest`, which is called when the index is level with the node's chain, returns
 * false.
 */
async function follow({ db }: Store, node: HostileNode, atRest: () => Promise<boolean>): Promise<void> {
  const stop = new AbortController()
  const network = { ...sampleNetwork, firstBlock: 1, finalityBlocks }
  const { rpc } = node
  const chain = createChain({ rpc, network })
  let polls = 0
  const tracer = createSettlementTracer({ rpc, settlement: network.settlement, now: () => 0, log: silentLog })
  const options: IndexerOptions = {
    chainId,
    network,
    db,
    now: () => 0,
    completeEveryMs: 0,
    log: silentLog,
    meter: { stored() {}, reorganised() {}, oddLog() {}, waits() {} },
    chain: {
      head: () => chain.head(),
      block: (number) => chain.block(number),
      logs: (range) => chainLogs({ rpc, network, log: silentLog }, range),
      settlements: (txHashes) => minedSettlements({ rpc, tracer, network, log: silentLog }, txHashes),
      gasOf: (txHashes) => minedGas(rpc, txHashes),
    },
    tokenLogs: async () => [],
    async poll() {
      if (++polls > 5_000) throw new Error('it does not come to rest')
      if ((await findCheckpoint(db, chainId))?.hash !== node.head()) return
      if (!(await atRest())) stop.abort()
    },
  }
  await runIndexer(options, stop.signal)
}

/** Block by block, which is the plainest way to read a chain. */
async function indexFresh({ db, calls }: Store, chain: readonly SketchedBlock[]): Promise<void> {
  const indexing: Indexing = { chainId, db, now: () => 0 }
  let checkpoint: Checkpoint | null = null
  for (const block of chain) checkpoint = await applyBlocks(checkpoint, rangeOf([block], calls), indexing)
}

async function readReported(client: Client): Promise<Reported[]> {
  return (await client.query<Reported>(reportedSql)).rows
}

/** A notification is in the feed once, and once more each time that it is reverted or restored. */
function expectNoRepetition(before: readonly Reported[], after: readonly Reported[]): void {
  const known = new Map(before.map((item) => [item.id, item]))
  for (const item of after) {
    const was = known.get(item.id)
    const turned = (was === undefined) !== (was?.metadata.reverted !== item.metadata.reverted)
    expect((item.entries - (was?.entries ?? 0)) % 2).toBe(turned ? 1 : 0)
    known.delete(item.id)
  }
  expect([...known]).toEqual([])
}

/** Often the same ones, so that they are settled more than once. */
const order = fc.constantFrom(0, 1, 1, 2, 3, 3, 3)
const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      act: fc.constant('fill' as const),
      order,
      parts: fc.integer({ min: 1, max: 3 }),
      own: fc.constantFrom(true, true, false),
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
})

/** More histories take longer: 300 are a few minutes. */
const histories = Number(process.env.HISTORIES ?? 40)

test('after reorgs of any depth over a hostile node, the store is a fresh index of the last branch', async () => {
  await using store = await createStore()
  await using fresh = await createStore()
  const { orders, calldata } = store
  const seen = new Set<string>()
  const faults = new Map<string, number>()

  /** @returns the last branch, whose last block is read from a node without faults */
  async function play(changes: readonly Change[], node: HostileNode): Promise<SketchedBlock[]> {
    let branch: Branch[] = []
    let reported: Reported[] = []
    let index = 0
    const grow = (undone: number, blocks: Change['blocks']) => {
      branch = branch.slice(0, Math.max(0, branch.length - undone))
      for (const { acts, seconds } of blocks) {
        const timestamp = (branch.at(-1)?.timestamp ?? start) + seconds
        branch.push({ acts, timestamp, branch: String(index) })
      }
      node.show(sketchBranch(orders, branch))
    }
    const next = () => {
      const change = changes[index++]
      if (change) grow(change.undone, change.blocks)
      else if (index === changes.length + 1) {
        node.calmDown()
        grow(0, [{ acts: [], seconds: 1 }])
      } else return false
      return true
    }
    next()
    await follow(store, node, async () => {
      const now = await store.reported()
      expectNoRepetition(reported, now)
      for (const { cause, metadata } of now) {
        seen.add(`${cause.split(':')[0]}${metadata.reverted ? ' reverted' : ''}`)
      }
      reported = now
      return next()
    })
    // Longer branches than the last one may have been reported.
    await applyFinality(1_000, { chainId, db: store.db, now: () => 0 })
    expectNoRepetition(reported, await store.reported())
    return sketchBranch(orders, branch)
  }

  await fc.assert(
    fc
      .asyncProperty(fc.array(change, { minLength: 1, maxLength: 6 }), fc.nat(), async (changes, seed) => {
        const node = createHostileNode(calldata, seed)
        await indexFresh(fresh, await play(changes, node))
        const facts = await store.facts()
        expect(facts).toEqual(await fresh.facts())
        const text = ({ cause, message, metadata }: Reported) => ({ cause, message, metadata })
        const standing = (await store.reported()).filter(({ metadata }) => !metadata.reverted)
        expect(standing.map(text)).toEqual((await fresh.reported()).map(text))
        for (const [fault, count] of node.faults) faults.set(fault, (faults.get(fault) ?? 0) + count)
        for (const label of storiesIn(facts)) seen.add(label)
      })
      .beforeEach(async () => {
        await store.reset()
        await fresh.reset()
      }),
    // A shorter history takes a quarter of an hour to find: the seed and the path repeat this one.
    { numRuns: histories, endOnFailure: true },
  )
  // The histories covered these cases.
  const told = ['cancelled', 'expired', 'filled', 'partial']
  expect([...seen]).toEqual(expect.arrayContaining([...told, 'settled twice', 'invalidated and expired']))
  expect([...seen].filter((cause) => cause.endsWith('reverted')).length).toBeGreaterThan(0)
  expect([...faults.keys()].toSorted()).toEqual([
    'absence',
    'delay',
    'forgotten block',
    'forgotten receipt',
    'forgotten transaction',
    'old branch',
    'refusal',
    'repetition',
    'shuffling',
  ])
}, 900_000)

interface Facts {
  orders: { invalidated: boolean; expired: boolean }[]
  settlements: { auction_id: number | null }[] | null
}

/** The rare cases among these facts. */
function storiesIn({ orders, settlements }: Facts): string[] {
  const auctions = (settlements ?? []).flatMap(({ auction_id: id }) => (id === null ? [] : [id]))
  return [
    ...(new Set(auctions).size < auctions.length ? ['settled twice'] : []),
    ...(orders.some(({ invalidated, expired }) => invalidated && expired) ? ['invalidated and expired'] : []),
  ]
}
