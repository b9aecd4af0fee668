import { afterAll, beforeAll, expect, test } from 'vitest'
import type { MinedGas } from '../../src/chain/settlement/mined.ts'
import type { Bytes32 } from '../../src/domain/evm/hex.ts'
import { readReverted } from '../../src/indexer/late/reverted.ts'
import { endAttempt, startAttempt } from '../../src/storage/auction/competition.ts'
import { storeCancellation } from '../../src/storage/auction/settlement-attempts.ts'
import { rollbackChainFacts } from '../../src/storage/chain/indexed-logs.ts'
import { numbered } from '../fakes/order.ts'
import { silentLog } from '../fakes/silent-log.ts'
import { indexedUpTo } from '../fakes/solutions.ts'
import { connectDirectly, createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { network } from '../setup/server.ts'

const { chainId } = network
const hash = (number: number) => `0x${number.toString(16).padStart(64, '0')}` as const satisfies Bytes32

let database: TestDatabase
let client: Awaited<ReturnType<typeof connectDirectly>>
beforeAll(async () => {
  database = await createTestDatabase()
  client = await connectDirectly(database.url)
  await indexedUpTo(database.db, 100)
})
afterAll(async () => {
  await client?.end()
  await database?.[Symbol.asyncDispose]()
})

/** An attempt that ended so, with transfers that were sent to end it. */
async function attempt(id: bigint, outcome: string, cancellations: Bytes32[]): Promise<void> {
  const key = { auctionId: id, solutionUid: 0 }
  const at = new Date()
  await database.db.transaction(async (tx) => {
    const blocks = { startBlock: 80, deadlineBlock: 90 }
    await startAttempt(tx, { ...key, chainId, solver: numbered('51'), startedAt: at, ...blocks })
    for (const each of cancellations) await storeCancellation(tx, key, each)
    await endAttempt(tx, { ...key, endedAt: at, endBlock: 90, outcome, txHash: hash(Number(id)) })
  })
}

const mined = new Map<Bytes32, MinedGas>()
const mine = (at: Bytes32, block: number, isReverted = false) =>
  mined.set(at, { isReverted, gas: 21_000n, gasPrice: 7n, block, blockHash: hash(block) })
const read = (checkpoint: number) =>
  readReverted(
    {
      chainId,
      network: { finalityBlocks: 64 },
      db: database.db,
      log: silentLog,
      chain: { gasOf: async (hashes) => hashes.map((each) => mined.get(each) ?? null) },
    },
    { number: checkpoint, hash: hash(checkpoint) },
  )
const costs = async () =>
  (
    await client.query(
      `SELECT auction_id::int AS id, reverted_gas::int AS reverted, cancellation_gas::int AS gas, cancellation_gas_price::int AS price
       FROM settlement_attempts ORDER BY auction_id`,
    )
  ).rows

test('an attempt costs what its one transaction on chain cost: its settlement, or a transfer that took its nonce', async () => {
  await attempt(1n, 'timeout', [hash(101), hash(102)])
  await attempt(2n, 'driver failed: withdrawn: its orders were cancelled', [hash(201)])
  await attempt(3n, 'driver failed: reverted', [])
  await attempt(4n, 'timeout', [])
  await attempt(5n, 'success', [hash(501)])
  mine(hash(102), 91)
  mine(hash(2), 89, true)
  mine(hash(3), 89, true)
  await read(90)
  const unread = { reverted: null, gas: null, price: null }
  const reverted = { reverted: 21_000, gas: null, price: null }
  const others = [
    { id: 2, ...reverted },
    { id: 3, ...reverted },
    { id: 4, ...unread },
    { id: 5, ...unread },
  ]
  expect(await costs()).toEqual([{ id: 1, ...unread }, ...others])
  await read(100)
  expect(await costs()).toEqual([{ id: 1, reverted: 0, gas: 21_000, price: 7 }, ...others])
})

test('a reorg takes it back, and what never came on chain cost nothing', async () => {
  await database.db.transaction((tx) => rollbackChainFacts(tx, chainId, 90))
  mined.delete(hash(102))
  await read(100)
  expect((await costs())[0]).toEqual({ id: 1, reverted: null, gas: null, price: null })
  await read(155)
  expect((await costs())[0]).toEqual({ id: 1, reverted: 0, gas: null, price: null })
})
