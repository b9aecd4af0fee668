import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Address } from '../../src/domain/evm/address.ts'
import { applyReorg } from '../../src/indexer/apply.ts'
import { type Checkpoint, moveCheckpoint } from '../../src/storage/chain/indexed-logs.ts'
import { findTokens, storeReadTokens } from '../../src/storage/token/tokens.ts'
import { number, type Reported, text } from '../chain/speaking-code.ts'
import { connectDirectly } from '../setup/database.ts'
import { eventually } from '../setup/eventually.ts'
import { network } from '../setup/server.ts'
import { type MetadataWorld, openMetadataWorld } from './metadata-world.ts'

const { chainId } = network
let it: MetadataWorld
beforeAll(async () => {
  it = await openMetadataWorld()
})
afterAll(() => it[Symbol.asyncDispose]())

const alpha: Reported = [text('ALPHA'), text('Alpha'), number(18n)]
const beta: Reported = [text('BETA'), text('Beta'), number(6n)]
const stored = async (token: Address) =>
  (await findTokens(it.database.db, chainId, [token])).get(token)?.symbol ?? null
const symbolOf = async (reader: Pick<ReturnType<MetadataWorld['openReader']>, 'tokens'>, token: Address) => {
  const metadata = (await reader.tokens([token])).get(token)
  return metadata && 'symbol' in metadata ? metadata.symbol : metadata
}

/** A block that stays, with a child that deploys ALPHA; a reorg puts BETA at the same address. */
async function fork() {
  await it.evm.mine()
  const parent = await it.index()
  const before = await it.evm.rpc.call('evm_snapshot')
  const token = await it.put(alpha)
  await it.evm.mine()
  return {
    token,
    parent,
    async replace() {
      expect(await it.evm.rpc.call('evm_revert', [before])).toBe(true)
      await it.put(beta, token)
      await it.evm.mine()
    },
  }
}

test('a token read in an indexed block is deleted when a reorg removes the block', async () => {
  const { token, parent, replace } = await fork()
  await it.index()
  const reader = it.openReader()
  expect(await symbolOf(reader, token)).toBe('ALPHA')
  expect(await stored(token)).toBe('ALPHA')
  await replace()
  expect((await reader.cost([token])).requests, 'the indexer has not seen it yet').toBe(0)
  await it.reorg(parent)
  await it.index()
  expect(await symbolOf(reader, token)).toBe('BETA')
  expect(await stored(token)).toBe('BETA')
})

test('a token is not stored after the reorg of its block', async () => {
  const { token, parent, replace } = await fork()
  await it.index()
  let hasRead = false
  let proceed = () => {}
  const held = new Promise<void>((resolve) => {
    proceed = resolve
  })
  const beforeStoring = () => {
    hasRead = true
    return held
  }
  const reader = it.openReader({ beforeStoring, storeAgainMs: [1, 1] })
  const reading = symbolOf(reader, token)
  await eventually('it is read', () => hasRead)
  await replace()
  await it.reorg(parent)
  await it.index()
  proceed()
  expect(await reading).toBe('ALPHA')
  expect(await stored(token)).toBeNull()
  it.world.time += 5_000
  expect(await symbolOf(reader, token)).toBe('BETA')
  expect(await stored(token)).toBe('BETA')
})

test('a token read in a block that the indexer never sees is not stored', async () => {
  const { token, replace } = await fork()
  const reader = it.openReader({ storeAgainMs: [1, 1] })
  expect(await symbolOf(reader, token)).toBe('ALPHA')
  await replace()
  await it.index()
  expect(await stored(token)).toBeNull()
  it.world.time += 5_000
  expect(await symbolOf(reader, token)).toBe('BETA')
  expect(await stored(token)).toBe('BETA')
})

const readIn = (block: Checkpoint, address: Address) => [
  { chainId, address, symbol: 'ALPHA', name: null, decimals: 18, block },
]

test('readers do not wait for an indexer that is writing, and store nothing meanwhile', async () => {
  const { db } = it.database
  const { token, parent } = await fork()
  await db.transaction(async (tx) => {
    await moveCheckpoint(tx, chainId, { from: parent, to: parent, at: new Date() })
    expect(await storeReadTokens(db, chainId, readIn(parent, token))).toEqual(new Set())
  })
  expect(await storeReadTokens(db, chainId, readIn(parent, token))).toEqual(new Set([token]))
})

test('a reorg that begins while a token of its blocks is being stored deletes it', async () => {
  const { db } = it.database
  const { token, parent } = await fork()
  const lost = await it.index()
  const client = await connectDirectly(it.database.url)
  let ended = false
  let reorg: Promise<unknown> | undefined
  await db.transaction(async (tx) => {
    expect(await storeReadTokens(tx, chainId, readIn(lost, token))).toEqual(new Set([token]))
    const indexing = { chainId, db, now: Date.now, settlementOf: async () => undefined }
    reorg = applyReorg(lost, parent, indexing).finally(() => {
      ended = true
    })
    await eventually('it waits, or is done', async () => {
      const { rows } = await client.query(`SELECT 1 FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`)
      return rows.length > 0 || ended
    })
  })
  await reorg
  await client.end()
  expect(await stored(token)).toBeNull()
})
