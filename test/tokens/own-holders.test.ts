import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Block } from '../../src/chain/chain.ts'
import type { TokenLog } from '../../src/chain/logs/transfer-logs.ts'
import { Outage } from '../../src/domain/errors/error.ts'
import { type Address, zeroAddress } from '../../src/domain/evm/address.ts'
import { applyBlocks, type Indexing } from '../../src/indexer/apply.ts'
import { clearBalances, findHolders, registerHolderTokens } from '../../src/storage/token/holders.ts'
import { createOwnHolders } from '../../src/tokens/own-holders.ts'
import { sampleNetwork } from '../fakes/network.ts'
import { numbered } from '../fakes/order.ts'
import { hashOf, rangeWith, sketchBlock } from '../indexer/hand-made.ts'
import { connectDirectly, createTestDatabase, type TestDatabase } from '../setup/database.ts'

const { chainId } = sampleNetwork
const [token, empty, alice] = [numbered('a0'), numbered('a1'), numbered('01')]
const holderTokens = [token, empty].map((address) => ({ address, fromBlock: 1 }))
let database: TestDatabase
let newest: number

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database?.[Symbol.asyncDispose]())
beforeEach(async () => {
  const client = await connectDirectly(database.url)
  await client.query('TRUNCATE holder_tokens, token_balances, token_balance_changes, checkpoints, blocks')
  await client.end()
  newest = 1
})

function find(of: Address, blockTimeMs = 12_000) {
  const network = { chainId, holderTokens, blockTimeMs }
  const head = async () => ({ number: newest })
  return createOwnHolders({ name: 'own', network, db: database.db, head })?.find(
    of,
    AbortSignal.timeout(5_000),
  )
}

const placeIn = (blockNumber: number) => {
  const { hash: blockHash } = sketchBlock(blockNumber, []).block
  return { blockNumber, blockHash, logIndex: 0, txHash: hashOf('tx') }
}
const transfer = (from: Address, to: Address, blockNumber = 1): TokenLog => {
  return { type: 'transfer', token, from, to, amount: 5n, ...placeIn(blockNumber) }
}

async function apply(logs: TokenLog[], ...others: Block[]): Promise<void> {
  const indexing: Indexing = {
    chainId,
    db: database.db,
    now: () => 0,
    network: { firstBlock: 1, holderTokens },
  }
  await applyBlocks(null, rangeWith(logs, sketchBlock(1, []).block, ...others), indexing)
}
const index = (from: Address, to: Address) => apply([transfer(from, to)])

async function outage(of: Address): Promise<unknown> {
  const thrown = await find(of)?.catch((error: unknown) => error)
  expect(thrown).toBeInstanceOf(Outage)
  return (thrown as Outage).cause
}

test('reads holders from the index in one statement; tokens without holders or not indexed are absent', async () => {
  await registerHolderTokens(database.db, chainId, holderTokens)
  await index(zeroAddress, alice)
  const before = database.statements.length
  expect(await find(token)).toEqual([{ address: alice, balance: 5n }])
  expect(database.statements.length).toBe(before + 1)
  expect(await find(empty)).toBeUndefined()
  expect(await find(numbered('a9'))).toBeUndefined()
  expect(database.statements.length).toBe(before + 2)
})

test('is an outage before anything was indexed, and while the token is behind the checkpoint', async () => {
  expect(await outage(token)).toBe(`${token}: its transfers are still being read`)
  await registerHolderTokens(database.db, chainId, [{ address: empty, fromBlock: 1 }])
  expect(await outage(empty)).toBe(`${empty}: the index is behind the chain`)
  await index(zeroAddress, alice)
  expect(await find(empty)).toBeUndefined()
  await registerHolderTokens(database.db, chainId, [{ address: token, fromBlock: 1 }])
  expect(await outage(token)).toBe(`${token}: its transfers are still being read`)
})

test('is an outage for a token whose transfers do not add up, and for no other', async () => {
  await registerHolderTokens(database.db, chainId, holderTokens)
  await index(alice, numbered('02'))
  expect(await outage(token)).toBe(`${token}: its transfers do not add up in block 1`)
  expect(await find(empty)).toBeUndefined()
})

test('unreadable logs from before the first indexed block cause no outage', async () => {
  await registerHolderTokens(database.db, chainId, [{ address: token, fromBlock: 2 }])
  const unreadable: TokenLog = { type: 'unreadable', token, ...placeIn(1) }
  await apply([unreadable, transfer(zeroAddress, alice, 2)], sketchBlock(2, []).block)
  expect(await find(token)).toEqual([{ address: alice, balance: 5n }])
})

test('is an outage while the old balances of a token that is indexed anew are being deleted', async () => {
  await registerHolderTokens(database.db, chainId, holderTokens)
  await apply([1, 2, 3].map((of) => transfer(zeroAddress, numbered(`0${of}`))))
  await registerHolderTokens(database.db, chainId, [{ address: token, fromBlock: 2 }])
  const left: unknown[] = []
  for (let round = 0; round < 2; round++) {
    await clearBalances(database.db, chainId, token, 2)
    const { indexedTo, holders } = (await findHolders(database.db, chainId, [token], 3)).get(token) ?? {}
    left.push([indexedTo, holders?.length])
  }
  expect(left).toEqual([
    [null, 1],
    [1, 0],
  ])
})

test('is an outage where the index is more than a minute, and five blocks, behind the chain', async () => {
  // The checkpoint of another chain does not count.
  const another: Indexing = { chainId: 1, db: database.db, now: () => 0 }
  await applyBlocks(null, rangeWith([], sketchBlock(7, []).block), another)
  await registerHolderTokens(database.db, chainId, holderTokens)
  await index(zeroAddress, alice)
  newest = 6
  expect(await find(token)).toHaveLength(1)
  newest = 7
  expect(await outage(token)).toContain('the index is behind the chain')
  newest = 61
  expect(await find(token, 1_000)).toHaveLength(1)
})

test('is no source where no token is indexed', () => {
  const network = { chainId, holderTokens: [], blockTimeMs: 1_000 }
  const head = async () => ({ number: 1 })
  expect(createOwnHolders({ name: 'own', network, db: database.db, head })).toBeUndefined()
})
