import { afterAll, beforeAll, expect, test } from 'vitest'
import type { PollAnswer } from '../../src/chain/order/programmatic-poll.ts'
import type { Address } from '../../src/domain/evm/address.ts'
import { runWatchTower } from '../../src/indexer/watch-tower.ts'
import { sampleNetwork } from '../fakes/network.ts'
import { numbered } from '../fakes/order.ts'
import { silentLog } from '../fakes/silent-log.ts'
import { connectDirectly, createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { eventually } from '../setup/eventually.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database?.[Symbol.asyncDispose]())

const [spammer, other] = [numbered('aa'), numbered('bb')]

/** Orders of an unknown handler that the contract authorises. */
async function insert(owner: Address, count: number): Promise<void> {
  const client = await connectDirectly(database.url)
  await client.query(
    `INSERT INTO programmatic_orders (chain_id, owner, hash, handler, salt, static_input, created_block, type, looked_block)
      SELECT $1, $2, sha256(convert_to($3 || n::text, 'UTF8')), $2, $2, '', 1, 'Unknown', 1 FROM generate_series(1, $4::int) n`,
    [sampleNetwork.chainId, Buffer.from(owner.slice(2), 'hex'), owner, count],
  )
  await client.end()
}

test('10,000 orders of one owner do not delay that of another', async () => {
  await insert(spammer, 10_000)
  await insert(other, 1)
  const polled: Address[] = []
  const results: string[] = []
  const ending = new AbortController()
  const running = runWatchTower(
    {
      ...{ network: sampleNetwork, db: database.db, log: silentLog, atOnce: 4 },
      head: async () => ({ number: 9, timestamp: 1_000_000, hash: '0x', parentHash: '0x' }),
      poll: async (owner): Promise<PollAnswer> => {
        polled.push(owner)
        return { fault: { error: 'PollTryNextBlock', message: 'again' } }
      },
      place: async () => {
        throw new Error('no part is made')
      },
      meter: { polled: (result) => results.push(result), placed() {}, late() {} },
      rhythm: async () => undefined,
    },
    ending.signal,
  )
  await eventually(
    'the other is polled, and several turns',
    () => polled.includes(other) && results.length > 40,
  )
  ending.abort()
  await running
  // The first turns begin together: one of the spammer has at most eight orders.
  expect(polled.indexOf(other)).toBeLessThan(9)
  expect(polled.filter((owner) => owner === other)).toHaveLength(1)
  expect(new Set(results)).toEqual(new Set(['notMet']))
})

test('asks for what is due once at a head, and again after a change or at the next head', async () => {
  const client = await connectDirectly(database.url)
  await client.query('TRUNCATE programmatic_orders, programmatic_feed')
  await client.end()
  let number = 9
  let steps = 0
  const polled: Address[] = []
  const asked = () => database.statements.filter((text) => text.includes('poll_repeats')).length
  const ending = new AbortController()
  const running = runWatchTower(
    {
      ...{ network: sampleNetwork, db: database.db, log: silentLog, atOnce: 4 },
      head: async () => ({ number, timestamp: 1_000_000, hash: `0x${number}` as const, parentHash: '0x' }),
      poll: async (owner): Promise<PollAnswer> => {
        polled.push(owner)
        return { fault: { error: 'PollNever', message: 'over' } }
      },
      place: async () => {
        throw new Error('no part is made')
      },
      meter: { polled() {}, placed() {}, late() {} },
      rhythm: async () => {
        steps++
      },
    },
    ending.signal,
  )
  const pass = async () => {
    const last = steps
    await eventually('ten steps', () => steps > last + 10)
  }
  await pass()
  const before = asked()
  await pass()
  expect(asked()).toBe(before)
  number++
  await pass()
  expect(asked()).toBe(before + 1)
  await insert(other, 1)
  await eventually('it is polled at the same head', () => polled.includes(other))
  ending.abort()
  await running
  expect(polled).toEqual([other])
})
