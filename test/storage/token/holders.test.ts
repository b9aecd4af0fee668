import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { TokenLog } from '../../../src/chain/logs/transfer-logs.ts'
import { maxUint256 } from '../../../src/domain/amount.ts'
import { type Address, address, zeroAddress } from '../../../src/domain/evm/address.ts'
import { applyBlocks, applyFinality, applyReorg, type Indexing } from '../../../src/indexer/apply.ts'
import { type Checkpoint, findCheckpoint } from '../../../src/storage/chain/indexed-logs.ts'
import {
  clearBalances,
  findHolders,
  registerHolderTokens,
  tokensBehind,
} from '../../../src/storage/token/holders.ts'
import { sampleNetwork } from '../../fakes/network.ts'
import { numbered } from '../../fakes/order.ts'
import { hashOf, rangeWith, sketchBlock } from '../../indexer/hand-made.ts'
import { connectDirectly, createTestDatabase, type TestDatabase } from '../../setup/database.ts'

const { chainId } = sampleNetwork
const [token, other] = [numbered('a0'), numbered('a1')]
const [alice, bob] = [numbered('01'), numbered('02')]
const holderTokens = [token, other].map((address) => ({ address, fromBlock: 1 }))
let database: TestDatabase
let indexing: Indexing
let checkpoint: Checkpoint | null

beforeAll(async () => {
  database = await createTestDatabase({ isNew: true })
  indexing = {
    chainId,
    db: database.db,
    now: () => 0,
    network: { firstBlock: 1, holderTokens },
  }
})
beforeEach(async () => {
  const client = await connectDirectly(database.url)
  await client.query('TRUNCATE holder_tokens, token_balances, token_balance_changes, checkpoints, blocks')
  await client.end()
  checkpoint = null
  await registerHolderTokens(database.db, chainId, holderTokens)
})
afterAll(() => database?.[Symbol.asyncDispose]())

interface Move {
  from?: Address
  to: Address
  amount: bigint
  of?: Address
}

function logsOf(number: number, moves: readonly Move[]): TokenLog[] {
  return moves.map(({ from = zeroAddress, to, amount, of = token }, logIndex) => ({
    type: 'transfer',
    token: of,
    from,
    to,
    amount,
    blockNumber: number,
    blockHash: hashOf(`a:${number}`),
    logIndex,
    txHash: hashOf(`tx ${number}`),
  }))
}

async function apply(moves: readonly Move[], skipped = 0, with_ = indexing): Promise<void> {
  const number = (checkpoint?.number ?? 0) + 1 + skipped
  const range = rangeWith(logsOf(number, moves), sketchBlock(number, []).block)
  checkpoint = await applyBlocks(checkpoint, range, with_)
}

const held = async (of = token) => {
  const { holders } = (await findHolders(database.db, chainId, [of], 100)).get(of) ?? {}
  return holders?.map(({ address, balance }) => [address, balance])
}
const standOf = async (of = token) => {
  const { indexedTo, faultBlock } = (await findHolders(database.db, chainId, [of], 1)).get(of) ?? {}
  return { indexedTo, faultBlock }
}

async function statementsOf(run: () => Promise<unknown>): Promise<number> {
  const before = database.statements.length
  await run()
  return database.statements.length - before
}

describe('holders', () => {
  test('are the greatest first, then by address, without empty accounts', async () => {
    await apply([
      { to: bob, amount: 5n },
      { to: alice, amount: 5n },
      { to: numbered('03'), amount: maxUint256 },
      { to: numbered('04'), amount: 7n },
      { to: bob, amount: 1n, of: other },
    ])
    await apply([{ from: numbered('04'), to: zeroAddress, amount: 7n }])
    expect(await held()).toEqual([
      [numbered('03'), maxUint256],
      [alice, 5n],
      [bob, 5n],
    ])
    expect(await held(other)).toEqual([[bob, 1n]])
    expect((await findHolders(database.db, chainId, [token], 2)).get(token)).toEqual({
      indexedTo: 2,
      faultBlock: null,
      checkpoint: 2,
      holders: [
        { address: numbered('03'), balance: maxUint256 },
        { address: alice, balance: 5n },
      ],
    })
    expect((await findHolders(database.db, chainId, [numbered('ff')], 2)).get(numbered('ff'))).toBeUndefined()
  })

  test('are one statement, which reads no more rows than it returns', async () => {
    await apply(
      Array.from({ length: 3_000 }, (_, index) => ({
        to: numberedAccount(index),
        amount: BigInt(index + 1),
      })),
    )
    expect(await statementsOf(() => findHolders(database.db, chainId, [token], 100))).toBe(1)
    const client = await connectDirectly(database.url)
    await client.query('ANALYZE token_balances')
    const { rows } = await client.query(
      `EXPLAIN SELECT holder, balance FROM token_balances WHERE token_id = (SELECT min(id) FROM holder_tokens)
        AND balance > 0 ORDER BY balance DESC, holder LIMIT 100`,
    )
    await client.end()
    expect(JSON.stringify(rows)).toContain('token_balances_greatest_idx')
    expect(JSON.stringify(rows)).not.toContain('Sort')
  })
})

describe('a range', () => {
  const counts = async (moves: readonly Move[], with_ = indexing) =>
    statementsOf(() => apply(moves, 0, with_))

  test('costs as many statements with any number of transfers, and one without tokens', async () => {
    await apply([])
    const withNone = await counts([])
    for (const number of [1, 4_000]) {
      const moves = Array.from({ length: number }, (_, index) => ({ to: numberedAccount(index), amount: 1n }))
      expect(await counts(moves)).toBe(withNone)
      expect((await held())?.length).toBe(Math.min(number, 100))
    }
    // Blocks without logs take one statement in all.
    expect(await counts([], { ...indexing, network: { firstBlock: 1, holderTokens: [] } })).toBe(1)
  })

  test('ignores a token that starts later, and counts one that starts within it from there', async () => {
    await registerHolderTokens(database.db, chainId, [{ address: token, fromBlock: 3 }])
    await clearBalances(database.db, chainId, token, 10)
    await apply([{ to: alice, amount: 1n }])
    expect(await standOf()).toEqual({ indexedTo: 2, faultBlock: null })
    const blocks = [2, 3, 4].map((number) => sketchBlock(number, []).block)
    const logs = [2, 3, 4].flatMap((number) => logsOf(number, [{ to: bob, amount: 10n ** BigInt(number) }]))
    checkpoint = await applyBlocks(checkpoint, rangeWith(logs, ...blocks), indexing)
    expect(await held()).toEqual([[bob, 11_000n]])
    expect(await standOf()).toEqual({ indexedTo: 4, faultBlock: null })
  })

  test('does nothing for a token that is behind', async () => {
    await apply([{ to: alice, amount: 5n }])
    await registerHolderTokens(database.db, chainId, [{ address: token, fromBlock: 0 }])
    await apply([{ to: alice, amount: 1n }])
    expect(await tokensBehind(database.db, chainId, [token, other], 2)).toEqual([
      { address: token, indexedTo: null },
    ])
    await clearBalances(database.db, chainId, token, 1)
    expect(await held()).toEqual([])
    await clearBalances(database.db, chainId, token, 1)
    expect(await tokensBehind(database.db, chainId, [token, other], 2)).toEqual([
      { address: token, indexedTo: -1 },
    ])
    await apply([{ to: alice, amount: 1n }])
    expect(await held()).toEqual([])
  })

  test('is not written from a checkpoint that was replaced', async () => {
    await apply([{ to: alice, amount: 5n }])
    const stale = checkpoint
    await apply([{ to: alice, amount: 1n }])
    checkpoint = stale
    await expect(apply([{ to: alice, amount: 1n }])).rejects.toThrow('moved by another process')
    expect(await held()).toEqual([[alice, 6n]])
    checkpoint = (await findCheckpoint(database.db, chainId)) ?? null
  })
})

const back = async (number: number) => {
  checkpoint = await applyReorg(checkpoint, { number, hash: hashOf(`a:${number}`) }, indexing)
}

test('a token that is named twice is followed once, from the earlier block', async () => {
  await registerHolderTokens(
    database.db,
    chainId,
    [9, 4].map((fromBlock) => ({ address: numbered('a9'), fromBlock })),
  )
  expect(await standOf(numbered('a9'))).toEqual({ indexedTo: 3, faultBlock: null })
})

describe('a token whose transfers do not add up', () => {
  test('is faulty from the block on at whose end an account has a negative balance', async () => {
    await apply([
      { from: alice, to: bob, amount: 5n },
      { to: alice, amount: 5n },
    ])
    expect(await standOf()).toEqual({ indexedTo: 1, faultBlock: null })
    await apply([{ from: alice, to: bob, amount: 1n }])
    await apply([{ to: alice, amount: 9n }])
    expect(await standOf()).toEqual({ indexedTo: 3, faultBlock: 2 })
    expect(await standOf(other)).toEqual({ indexedTo: 3, faultBlock: null })
  })

  test('is no longer faulty when that block is undone', async () => {
    await apply([{ to: alice, amount: 5n }])
    await apply([{ from: alice, to: bob, amount: 6n }])
    await apply([])
    await back(2)
    expect(await standOf()).toEqual({ indexedTo: 2, faultBlock: 2 })
    await back(1)
    expect(await standOf()).toEqual({ indexedTo: 1, faultBlock: null })
    expect(await held()).toEqual([[alice, 5n]])
  })

  test('is faulty if one account has more than can exist, and other tokens go on', async () => {
    const moves = Array.from({ length: 50 }, () => ({ to: alice, amount: maxUint256 }))
    await apply(moves)
    expect(await standOf()).toEqual({ indexedTo: 1, faultBlock: 1 })
    expect(await held()).toEqual([[alice, 50n * maxUint256]])
  })

  test('is faulty if its logs cannot be read', async () => {
    const place = { blockNumber: 1, blockHash: hashOf('a:1'), logIndex: 0, txHash: hashOf('x') }
    const log: TokenLog = { type: 'unreadable', token: other, ...place }
    checkpoint = await applyBlocks(null, rangeWith([log], sketchBlock(1, []).block), indexing)
    expect(await standOf(other)).toEqual({ indexedTo: 1, faultBlock: 1 })
    expect(await standOf()).toEqual({ indexedTo: 1, faultBlock: null })
  })
})

describe('a reorg', () => {
  test('undoes its blocks, however many', async () => {
    for (const amount of [1n, 10n, 100n, 1_000n])
      await apply([
        { to: alice, amount },
        { to: bob, amount: 1n },
      ])
    await back(2)
    expect(await held()).toEqual([
      [alice, 11n],
      [bob, 2n],
    ])
    await apply([{ from: alice, to: bob, amount: 11n }])
    expect(await held()).toEqual([[bob, 13n]])
    await back(1)
    expect(await held()).toEqual([
      [alice, 1n],
      [bob, 1n],
    ])
  })

  test('to nothing restarts every token', async () => {
    await apply([{ to: alice, amount: 1n }])
    checkpoint = await applyReorg(checkpoint, { number: 0, hash: null }, indexing)
    expect(await standOf()).toEqual({ indexedTo: null, faultBlock: null })
  })

  test('is possible down to the final block, and nothing below it is kept for undoing', async () => {
    for (const amount of [1n, 10n, 100n]) await apply([{ to: alice, amount }])
    await applyFinality(2, indexing)
    expect(await keptBlocks()).toEqual([3])
    await back(2)
    expect(await held()).toEqual([[alice, 11n]])
  })

  test('cannot reach into blocks that were read without their headers', async () => {
    await apply([{ to: alice, amount: 1n }])
    await apply([{ to: alice, amount: 10n }], 50)
    expect(await keptBlocks()).toEqual([])
    await apply([{ to: alice, amount: 100n }])
    expect(await keptBlocks()).toEqual([53])
    await back(52)
    expect(await held()).toEqual([[alice, 11n]])
  })
})

async function keptBlocks(): Promise<number[]> {
  const client = await connectDirectly(database.url)
  const { rows } = await client.query<{ number: number }>(
    'SELECT block_number::int AS number FROM token_balance_changes ORDER BY 1',
  )
  await client.end()
  return rows.map(({ number }) => number)
}

function numberedAccount(index: number): Address {
  return address(`0x${(index + 1).toString(16).padStart(40, '0')}`)
}
