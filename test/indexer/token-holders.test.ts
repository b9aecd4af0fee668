import fc from 'fast-check'
import type { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { LogPosition, LogRange } from '../../src/chain/logs/logs.ts'
import type { TransferLog } from '../../src/chain/logs/transfer-logs.ts'
import { zeroAddress } from '../../src/domain/evm/address.ts'
import type { Network } from '../../src/domain/network/network.ts'
import { runIndexer } from '../../src/indexer/run.ts'
import type { Database } from '../../src/storage/database/database.ts'
import { sampleNetwork } from '../fakes/network.ts'
import { numbered } from '../fakes/order.ts'
import { silentLog } from '../fakes/silent-log.ts'
import { connectDirectly, createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { type ChainChange, createSimulatedChain } from './simulated-chain.ts'

const tokens = [numbered('a0'), numbered('a1'), numbered('a2')] as const
const accounts = [numbered('01'), numbered('02'), numbered('03')]
const finalityBlocks = 4

/** The tokens that one run of the program follows, which may differ from those of the run before. */
type Configured = Network['holderTokens']
const early = { address: tokens[0], fromBlock: 0 }
const late = { address: tokens[1], fromBlock: 6 }
const third = { address: tokens[2], fromBlock: 2 }
const configurations: Configured[] = [
  [early, late],
  [],
  [late],
  [early, late, { ...third, fromBlock: 4 }],
  [early, late, third],
]

/**
 * By the block and its position in it: other branches have other logs. The third token is also sent by
 * accounts that have none of it by its logs.
 */
function transferAt(place: LogPosition): TransferLog {
  const number = Number(BigInt(place.blockHash)) * 7 + place.logIndex * 5
  const pick = (shift: number) => accounts[Math.floor(number / shift) % accounts.length] ?? zeroAddress
  const token = tokens[number % tokens.length] ?? tokens[0]
  const from = token === third.address && number % 4 > 1 ? pick(3) : zeroAddress
  return { type: 'transfer', ...place, token, from, to: pick(2), amount: BigInt(number % 11) }
}

let database: TestDatabase
let client: Client
beforeAll(async () => {
  database = await createTestDatabase()
  client = await connectDirectly(database.url)
})
afterAll(async () => {
  await client?.end()
  await database?.[Symbol.asyncDispose]()
})

class Crash extends Error {}

/** Stops the program at its transactions with these numbers: before one, or after its commit. */
function crashing(db: Database, crashes: ReadonlyMap<number, 'before' | 'after'>): Database {
  let transactions = 0
  return new Proxy(db, {
    get(target, name, receiver) {
      if (name !== 'transaction') return Reflect.get(target, name, receiver)
      return async (run: Parameters<Database['transaction']>[0]) => {
        const crash = crashes.get(transactions++)
        if (crash === 'before') throw new Crash()
        const result = await target.transaction(run)
        if (crash === 'after') throw new Crash()
        return result
      }
    },
  })
}

interface Story {
  script: (ChainChange | undefined)[]
  runs: { configured: number; crash: number; when: 'before' | 'after' }[]
  firstBlock: number
}

async function play({ script, runs, firstBlock }: Story) {
  const simulated = createSimulatedChain([...script], transferAt)
  const { chain } = simulated
  let time = 0
  const run = async (holderTokens: Configured, db: Database) => {
    const stop = new AbortController()
    let quiet = 0
    const followed = new Set(holderTokens.map(({ address }) => address))
    const isOf = (wanted: ReadonlySet<string>) => (log: { type: string; token?: string }) =>
      wanted.has(log.token ?? '')
    const options = {
      chainId: sampleNetwork.chainId,
      network: { ...sampleNetwork, holderTokens, firstBlock, finalityBlocks },
      db,
      now: () => (time += 60_000),
      log: silentLog,
      chain: {
        ...chain,
        logs: async (range: LogRange) => (await chain.logs(range)).filter(isOf(followed)),
      },
      tokenLogs: async (wanted: readonly string[], range: LogRange) =>
        (await chain.logs(range)).filter(isOf(new Set(wanted))) as TransferLog[],
      meter: { stored() {}, reorganised() {}, oddLog() {}, waits() {} },
      poll: async () => {
        quiet = simulated.isQuiet() ? quiet + 1 : 0
        // More looks than a shorter chain gets before it is accepted.
        if (quiet > 30) stop.abort()
      },
    }
    await runIndexer(options, stop.signal)
  }
  for (const { configured, crash, when } of runs) {
    const db = crashing(database.db, new Map([[crash, when]]))
    await run(configurations[configured] ?? [], db).catch((fault) => {
      if (!(fault instanceof Crash)) throw fault
    })
  }
  await run([early, late, third], database.db)
  return simulated
}

type Simulated = Awaited<ReturnType<typeof play>>

/** The balances by the logs of the current chain. */
function model({ blocks }: Simulated, firstBlock: number, lowest: number) {
  const head = blocks.length - 1
  return [early, late, third].map(({ address: token, fromBlock }) => {
    const balances = new Map<string, bigint>()
    const kept: string[] = []
    let fault: number | null = null
    // A chain shorter than what can be followed has no checkpoint.
    for (const { number, logs } of head < firstBlock ? [] : blocks) {
      const changes = new Map<string, bigint>()
      for (const log of logs as TransferLog[]) {
        if (log.token !== token || number < fromBlock) continue
        changes.set(log.from, (changes.get(log.from) ?? 0n) - log.amount)
        changes.set(log.to, (changes.get(log.to) ?? 0n) + log.amount)
      }
      changes.delete(zeroAddress)
      for (const [holder, change] of changes) {
        if (change === 0n) continue
        const balance = (balances.get(holder) ?? 0n) + change
        balances.set(holder, balance)
        if (balance < 0n) fault ??= number
        if (number > lowest) kept.push(`${number} ${holder} ${change}`)
      }
    }
    return {
      token,
      indexedTo: Math.max(head < firstBlock ? -1 : head, fromBlock - 1),
      fault,
      balances: [...balances]
        .filter(([, balance]) => balance !== 0n)
        .map(String)
        .sort(),
      kept: kept.sort(),
    }
  })
}

const storedSql = `SELECT '0x' || encode(address, 'hex') AS token, indexed_to::int AS "indexedTo", fault_block::int AS fault,
  coalesce((SELECT array_agg('0x' || encode(holder, 'hex') || ',' || balance ORDER BY holder) FROM token_balances
    WHERE token_id = id AND balance <> 0), '{}') AS balances,
  coalesce((SELECT array_agg(block_number || ' 0x' || encode(holder, 'hex') || ' ' || change) FROM token_balance_changes
    WHERE token_id = id AND block_number > $1), '{}') AS kept
  FROM holder_tokens ORDER BY address`

async function stored(lowest: number) {
  const { rows } = await client.query(storedSql, [lowest])
  return rows.map((row) => ({ ...row, balances: row.balances.toSorted(), kept: row.kept.toSorted() }))
}

/** The last possible fork block: blocks before it are never undone alone. */
async function lowestKnown(): Promise<number> {
  const { rows } = await client.query<{ number: string | null }>('SELECT min(number) AS number FROM blocks')
  return Number(rows[0]?.number ?? 0)
}

const logs = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 4 })
/** Mostly nothing, so that what was read is also written before it changes. */
const change: fc.Arbitrary<ChainChange | undefined> = fc.oneof(
  { weight: 30, arbitrary: fc.constant(undefined) },
  { weight: 4, arbitrary: fc.record({ op: fc.constant('grow' as const), logs }) },
  {
    weight: 3,
    arbitrary: fc.record({
      op: fc.constant('fork' as const),
      depth: fc.constantFrom(1, 1, 2, 3, 6, 99),
      logs,
    }),
  },
  fc.record({ op: fc.constant('away' as const), calls: fc.integer({ min: 1, max: 3 }) }),
  fc.record({
    op: fc.constant('lag' as const),
    blocks: fc.constantFrom(1, 3, 9),
    calls: fc.integer({ min: 1, max: 5 }),
  }),
)
const story: fc.Arbitrary<Story> = fc.record({
  script: fc.array(change, { minLength: 60, maxLength: 240, size: 'max' }),
  runs: fc.array(
    fc.record({
      configured: fc.integer({ min: 0, max: configurations.length - 1 }),
      crash: fc.integer({ min: 0, max: 20 }),
      when: fc.constantFrom('before' as const, 'after' as const),
    }),
    { maxLength: 3 },
  ),
  firstBlock: fc.constantFrom(0, 0, 3),
})

test('after crashes, reorgs and changes of the followed tokens, balances are the sums of the chain’s logs', async () => {
  const seen = { faults: 0, holders: 0, kept: 0 }
  await fc.assert(
    fc
      .asyncProperty(story, async (story) => {
        const simulated = await play(story)
        const lowest = await lowestKnown()
        const expected = model(simulated, story.firstBlock, lowest)
        expect(await stored(lowest)).toEqual(expected)
        for (const { fault, balances, kept } of expected) {
          seen.faults += Number(fault !== null)
          seen.holders += balances.length
          seen.kept += kept.length
        }
      })
      .beforeEach(async () => {
        await client.query(
          'TRUNCATE holder_tokens, token_balances, token_balance_changes, checkpoints, blocks',
        )
      }),
    { numRuns: 10 },
  )
  // The histories covered these cases.
  expect(seen.faults).toBeGreaterThan(1)
  expect(seen.holders).toBeGreaterThan(20)
  expect(seen.kept).toBeGreaterThan(10)
})
