import { afterAll, beforeAll, expect, test } from 'vitest'
import { moveCheckpoint } from '../../../src/storage/chain/indexed-logs.ts'
import { encodedId } from '../../fakes/node-id.ts'
import { network, openTestServer, type TestServer } from '../../setup/server.ts'
import { graphql, request } from '../../setup/trader.ts'

let server: TestServer
beforeAll(async () => {
  server = await openTestServer()
})
afterAll(() => server[Symbol.asyncDispose]())

const query = `query ($network: NetworkName) { meta(network: $network) {
  network { name } block { number hash timestamp } head lag { blocks seconds } version
} }`
const meta = async (variables = {}) => (await graphql(server.url, query, variables)).meta
const hash = (digit: string) => `0x${digit.repeat(64)}` as const
const nothing = { network: { name: 'sepolia' }, block: null, head: null, lag: null, version: 'test-build' }

test('meta has the newest indexed block, its lag and the build, by one statement', async () => {
  const { db } = server.database
  const { chainId } = network
  expect(await meta()).toEqual(nothing)
  // The program's clock is fixed at 1,800,000,000.
  const place = { number: 70, hash: hash('a'), timestamp: 1_799_999_990 }
  await db.transaction((tx) =>
    moveCheckpoint(tx, chainId, { from: null, to: place, at: new Date(), head: 75 }),
  )
  const before = server.database.statements.length
  const indexed = {
    ...nothing,
    block: { number: 70, hash: hash('a'), timestamp: '2027-01-15T07:59:50Z' },
    head: 75,
    lag: { blocks: 5, seconds: 10 },
  }
  expect(await meta()).toEqual(indexed)
  expect(server.database.statements.length - before).toBe(1)
  for (const name of ['sepolia', '11155111', 11155111]) expect(await meta({ network: name })).toEqual(indexed)
  // After a reorg, only the hash of the checkpoint's block is known.
  const back = { number: 69, hash: hash('b') }
  await db.transaction((tx) => moveCheckpoint(tx, chainId, { from: place, to: back, at: new Date() }))
  expect(await meta()).toEqual({
    ...nothing,
    block: { ...back, timestamp: null },
    lag: { blocks: null, seconds: null },
  })
})

test('a network is found by its name or its chain id, as text or as a number', async () => {
  expect(
    await graphql(server.url, '{ network(name: 11155111) { id name wrappedNative { address symbol } } }'),
  ).toEqual({
    network: {
      id: encodedId('Network:11155111'),
      name: 'sepolia',
      wrappedNative: {
        address: network.wrappedNative,
        symbol: network.wrappedNative.slice(2, 5).toUpperCase(),
      },
    },
  })
  for (const [name, code] of [
    ['nowhere', 'NotFound'],
    [5, 'NotFound'],
    [1.5, 'InvalidParameter'],
    [true, 'InvalidParameter'],
    [['sepolia'], 'InvalidParameter'],
  ]) {
    const { body } = await request(`${server.url}/graphql`, 'POST', { query, variables: { network: name } })
    expect([name, body.errors[0].extensions]).toMatchObject([name, { code, field: 'network' }])
  }
})
