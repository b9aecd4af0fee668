import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { TransferLog } from '../../../src/chain/logs/transfer-logs.ts'
import { Outage } from '../../../src/domain/errors/error.ts'
import { zeroAddress } from '../../../src/domain/evm/address.ts'
import type { Log } from '../../../src/domain/log.ts'
import { applyBlocks, type Indexing } from '../../../src/indexer/apply.ts'
import { maxLogs } from '../../../src/indexer/block-range.ts'
import { createProgress, type Progress } from '../../../src/indexer/progress.ts'
import { createCatchUp } from '../../../src/indexer/token-balances.ts'
import type { Checkpoint } from '../../../src/storage/chain/indexed-logs.ts'
import { findHolders, registerHolderTokens } from '../../../src/storage/token/holders.ts'
import { sampleNetwork } from '../../fakes/network.ts'
import { numbered } from '../../fakes/order.ts'
import { silentLog } from '../../fakes/silent-log.ts'
import { connectDirectly, createTestDatabase, type TestDatabase } from '../../setup/database.ts'
import { hashOf, rangeOf, sketchBlock } from '../hand-made.ts'

const { chainId } = sampleNetwork
const [token, other, alice] = [numbered('a0'), numbered('a1'), numbered('01')]
const head = 20
let database: TestDatabase
let checkpoint: Checkpoint
let time: number
let asked: string[]
let warnings: string[]
/** Logs of each block. */
let perBlock: number
let fault: Error | undefined
let branch: string
let progress: Progress
/** The node's branch while it returns logs, and from then on. */
let moves: [string, string] | undefined
const log: Log = { ...silentLog, warn: (message) => warnings.push(message) }

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database?.[Symbol.asyncDispose]())

/** A network that was followed before holders were enabled. */
beforeEach(async () => {
  const client = await connectDirectly(database.url)
  await client.query('TRUNCATE holder_tokens, token_balances, token_balance_changes, checkpoints, blocks')
  await client.end()
  time = 0
  progress = createProgress({ network: 'test', what: 'transfers', now: () => time, log: silentLog })
  asked = []
  warnings = []
  perBlock = 1
  fault = undefined
  branch = 'a'
  moves = undefined
  const indexing: Indexing = { chainId, db: database.db, now: () => 0 }
  const blocks = Array.from({ length: head }, (_, index) => sketchBlock(index + 1, []))
  checkpoint = await applyBlocks(null, rangeOf(blocks), indexing)
})

function catchUp(tokens: { address: typeof token; fromBlock: number }[], maxRange = 8) {
  const wanted = tokens.map(({ address }) => address)
  return createCatchUp({
    chainId,
    db: database.db,
    now: () => time,
    log,
    chain: { block: async (number) => sketchBlock(number, [], { branch }).block },
    tokens: wanted,
    progress,
    maxRange,
    async tokenLogs(addresses, { from, to }) {
      asked.push(`${addresses.map((address) => wanted.indexOf(address))} ${from}-${to}`)
      if (fault) throw fault
      const [during = branch, afterwards = branch] = moves ?? []
      branch = during
      const logs = addresses.flatMap((address) =>
        blocksFrom(from, to).flatMap((number) => logsIn(number, address)),
      )
      branch = afterwards
      return logs
    },
  })
}

const blocksFrom = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index)

function logsIn(blockNumber: number, of: typeof token): TransferLog[] {
  const parties = { from: zeroAddress, to: alice, amount: 1n }
  return Array.from({ length: perBlock }, (_, logIndex) => ({
    type: 'transfer',
    token: of,
    ...parties,
    blockNumber,
    blockHash: hashOf(`${branch}:${blockNumber}`),
    logIndex,
    txHash: hashOf('tx'),
  }))
}

async function begin(...tokens: { address: typeof token; fromBlock: number }[]) {
  await registerHolderTokens(database.db, chainId, tokens)
  return catchUp(tokens)
}

async function untilDone(step: () => Promise<boolean>): Promise<void> {
  for (let steps = 0; await step(); steps++) if (steps > 100) throw new Error('it does not come to an end')
}

const balance = async (of = token) =>
  (await findHolders(database.db, chainId, [of], 1)).get(of)?.holders[0]?.balance

test('goes in parts, from the first block of each token, and makes no requests once it is level', async () => {
  const { step } = await begin({ address: token, fromBlock: 3 }, { address: other, fromBlock: 7 })
  const behind: (number | undefined)[] = []
  await untilDone(async () => {
    const isMoving = await step(checkpoint)
    behind.push(progress.state()?.blocksBehind)
    return isMoving
  })
  expect(asked).toEqual(['0 3-6', '0,1 7-14', '0,1 15-20'])
  expect(behind).toEqual([14, 6, 0, 0])
  expect([await balance(), await balance(other)]).toEqual([18n, 14n])
  const before = database.statements.length
  expect(await step(checkpoint)).toBe(false)
  expect(database.statements.length).toBe(before)
})

test('does nothing before the first block is stored, and all afterwards', async () => {
  const { step } = await begin({ address: token, fromBlock: 15 })
  expect(await step(null)).toBe(false)
  expect(await step(null)).toBe(false)
  await untilDone(() => step(checkpoint))
  expect(asked).toEqual(['0 15-20'])
})

test('an outage of the node makes it wait, longer each time, and request less', async () => {
  const { step } = await begin({ address: token, fromBlock: 1 })
  fault = new Outage('the network node')
  expect(await step(checkpoint)).toBe(false)
  expect(await step(checkpoint)).toBe(false)
  time += 1_000
  expect(await step(checkpoint)).toBe(false)
  time += 1_999
  expect(await step(checkpoint)).toBe(false)
  expect(asked).toEqual(['0 1-8', '0 1-4'])
  expect(warnings).toHaveLength(2)
  fault = undefined
  time += 1
  await untilDone(() => step(checkpoint))
  expect(asked.slice(2)).toEqual(['0 1-2', '0 3-6', '0 7-14', '0 15-20'])
  expect(await balance()).toBe(20n)
})

test('it waits half a minute at most, and restarts with short waits once the node answered', async () => {
  const { step } = await begin({ address: token, fromBlock: 1 })
  fault = new Outage('the network node')
  for (let tries = 0; tries < 8; tries++) {
    expect(await step(checkpoint)).toBe(false)
    time += 30_000
  }
  expect(asked).toHaveLength(8)
  fault = undefined
  expect(await step(checkpoint)).toBe(true)
  fault = new Outage('the network node')
  for (const ms of [0, 999, 1]) {
    time += ms
    expect(await step(checkpoint)).toBe(false)
  }
  expect(asked).toHaveLength(11)
})

test('more than one write holds is read in parts, without a wait', async () => {
  perBlock = Math.ceil(maxLogs / 3)
  const { step } = await begin({ address: token, fromBlock: 15 })
  await untilDone(() => step(checkpoint))
  expect(asked).toEqual(['0 15-20', '0 15-18', '0 15-16', '0 17-18', '0 19-20'])
  expect(warnings).toEqual([])
  expect(await balance()).toBe(BigInt(6 * perBlock))
})

test('one block is written at once, however large', async () => {
  perBlock = maxLogs + 1
  const { step } = await begin({ address: token, fromBlock: 19 })
  await untilDone(() => step(checkpoint))
  expect(asked).toEqual([...Array(3).fill('0 19-20'), '0 19-19', '0 20-20'])
  expect(await balance()).toBe(BigInt(2 * perBlock))
})

test.each([0, 1])(
  'writes nothing of a chain other than the stored one, with %d logs a block',
  async (logs) => {
    perBlock = logs
    const { step } = await begin({ address: token, fromBlock: 1 })
    branch = 'b'
    expect(await step(checkpoint)).toBe(false)
    expect(warnings).toEqual(['transfers cannot be caught up with for the moment'])
    expect(await balance()).toBeUndefined()
  },
)

test.each<[string, string, [string, string], number]>([
  ['until they were read', 'b', ['b', 'a'], 0],
  ['once they were read', 'a', ['a', 'b'], 0],
  ['only during the read, as their block hashes show', 'a', ['b', 'a'], 1],
])('writes no logs of a node that was on another chain %s', async (_, before, meanwhile, logs) => {
  perBlock = logs
  const { step } = await begin({ address: token, fromBlock: 1 })
  branch = before
  moves = meanwhile
  expect(await step(checkpoint)).toBe(false)
  expect(warnings).toEqual(['transfers cannot be caught up with for the moment'])
  const { indexedTo, holders } = (await findHolders(database.db, chainId, [token], 1)).get(token) ?? {}
  expect([indexedTo, holders]).toEqual([0, []])
})

test('writes nothing when another process moved the checkpoint', async () => {
  const { step } = await begin({ address: token, fromBlock: 1 })
  await expect(step({ number: 19, hash: hashOf('a:19') })).rejects.toThrow('moved by another process')
  branch = 'b'
  perBlock = 0
  await expect(step({ number: 20, hash: hashOf('b:20') })).rejects.toThrow('moved by another process')
  expect(await balance()).toBeUndefined()
})

test('a fault of the program is not retried', async () => {
  const { step } = await begin({ address: token, fromBlock: 1 })
  fault = new TypeError('a bug')
  await expect(step(checkpoint)).rejects.toThrow('a bug')
})
