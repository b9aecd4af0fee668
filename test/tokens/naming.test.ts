import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Address } from '../../src/domain/evm/address.ts'
import { nativeMarker } from '../../src/domain/evm/address.ts'
import { findTokens } from '../../src/storage/token/tokens.ts'
import { createTokenNaming } from '../../src/tokens/metadata.ts'
import { number, text } from '../chain/speaking-code.ts'
import { silentLog } from '../fakes/silent-log.ts'
import { eventually } from '../setup/eventually.ts'
import { network } from '../setup/server.ts'
import { type MetadataWorld, openMetadataWorld } from './metadata-world.ts'

const { chainId } = network
let it: MetadataWorld
beforeAll(async () => {
  it = await openMetadataWorld()
})
afterAll(() => it[Symbol.asyncDispose]())

function openNaming() {
  const reader = it.openReader()
  const { db } = it.database
  const { knownTokens } = reader
  const againMs = Array.from({ length: 400 }, () => 25)
  const nameTokens = createTokenNaming({ chainId, db, log: silentLog, knownTokens, againMs })
  return { reader, nameTokens }
}

const symbolOf = async (token: Address) =>
  (await findTokens(it.database.db, chainId, [token])).get(token)?.symbol
const isNamed = (token: Address, symbol: string) =>
  eventually(`${symbol} is stored`, async () => (await symbolOf(token)) === symbol)

test('tokens are stored that no client has asked for, and asked for once', async () => {
  const [alpha, beta] = [
    await it.put([text('ALPHA'), text('Alpha'), number(18n)]),
    await it.put([text('BETA'), text('Beta'), number(6n)]),
  ]
  await it.evm.mine()
  await it.index()
  const { reader, nameTokens } = openNaming()
  nameTokens([alpha, nativeMarker])
  nameTokens([beta, alpha])
  await isNamed(alpha, 'ALPHA')
  await isNamed(beta, 'BETA')
  expect(reader.asked()).toBe(2)
  const statements = it.database.statements.length
  nameTokens([beta, alpha, nativeMarker])
  expect(it.database.statements.length).toBe(statements)
})

test('they are stored later where the node is away, and where the block of their reading is not indexed yet', async () => {
  const token = await it.put([text('LATE'), text('Late'), number(18n)])
  await it.evm.mine()
  const { reader, nameTokens } = openNaming()
  it.node.isAway = true
  nameTokens([token])
  await eventually('it was tried', () => reader.asked() > 1)
  it.node.isAway = false
  const tries = reader.asked()
  await eventually('it was read', () => reader.asked() > tries)
  expect(await symbolOf(token)).toBeUndefined()
  await it.index()
  // What was read a moment ago is read again when it is no longer fresh.
  it.world.time += 60_000
  await isNamed(token, 'LATE')
})
