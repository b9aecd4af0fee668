import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { PollAnswer } from '../../src/chain/order/programmatic-poll.ts'
import type { Address } from '../../src/domain/evm/address.ts'
import { encodeStaticInput, type TwapInput } from '../../src/domain/programmatic/static-input.ts'
import { twapAt } from '../../src/domain/programmatic/twap.ts'
import { runWatchTower } from '../../src/indexer/watch-tower.ts'
import { releaseStored, reserveStored } from '../../src/storage/chain/tower-uses.ts'
import { scheduled, twapHandler, twapInput, word } from '../domain/programmatic/vectors.ts'
import { sampleNetwork } from '../fakes/network.ts'
import { numbered } from '../fakes/order.ts'
import { silentLog } from '../fakes/silent-log.ts'
import { unlimited } from '../fakes/tower.ts'
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

async function emptied(): Promise<void> {
  const client = await connectDirectly(database.url)
  await client.query('TRUNCATE programmatic_orders, programmatic_feed, tower_uses')
  await client.end()
}

async function insertTwap(owners: readonly Address[], input: TwapInput): Promise<void> {
  const client = await connectDirectly(database.url)
  for (const owner of owners)
    await client.query(
      `INSERT INTO programmatic_orders (chain_id, owner, hash, handler, salt, static_input, created_block, type, looked_block, context)
        VALUES ($1, $2, sha256($2), $3, sha256($2), $4, 1, 'TWAP', 1, decode(repeat('00', 32), 'hex'))`,
      [
        sampleNetwork.chainId,
        ...[owner, twapHandler, encodeStaticInput('TWAP', input)].map((hex) =>
          Buffer.from(hex.slice(2), 'hex'),
        ),
      ],
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
      network: sampleNetwork,
      db: database.db,
      log: silentLog,
      atOnce: 4,
      budgets: unlimited,
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
  // The first turns begin together: one of the spammer has one order.
  expect(polled.indexOf(other)).toBeLessThan(2)
  expect(polled.filter((owner) => owner === other)).toHaveLength(1)
  expect(new Set(results)).toEqual(new Set(['notMet']))
})

test('asks for what is due once at a head, and again after a change or at the next head', async () => {
  await emptied()
  let number = 9
  let steps = 0
  const polled: Address[] = []
  const asked = () => database.statements.filter((text) => text.includes('poll_repeats')).length
  const ending = new AbortController()
  const running = runWatchTower(
    {
      network: sampleNetwork,
      db: database.db,
      log: silentLog,
      atOnce: 4,
      budgets: unlimited,
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
  expect(asked()).toBe(before + 2)
  await insert(other, 1)
  await eventually('it is polled at the same head', () => polled.includes(other))
  ending.abort()
  await running
  expect(polled).toEqual([other])
})

test('handlers and wallets that never answer hold back no owner of whom a part was placed', async () => {
  await emptied()
  const start = 1_000_000
  const owners = ['c1', 'c2', 'c3'].map(numbered)
  const input = twapInput({ t0: BigInt(start), n: 9n, t: 60n })
  await insertTwap(owners, input)
  const placed: number[] = []
  let now = start
  let release = () => {}
  const never = new Promise<void>((resolve) => {
    release = resolve
  })
  const ending = new AbortController()
  const running = runWatchTower(
    {
      network: sampleNetwork,
      db: database.db,
      log: silentLog,
      atOnce: 4,
      budgets: unlimited,
      head: async () => ({ number: now, timestamp: now, hash: word(now), parentHash: '0x' }),
      poll: async (owner) => {
        if (!owners.includes(owner)) {
          await never
          return { fault: { error: 'Empty' } }
        }
        const answer = twapAt(scheduled(input), now)
        return 'part' in answer ? { part: { order: answer.part.order, signature: '0x' } } : expect.fail()
      },
      place: async ({ validTo }) => {
        placed.push(validTo)
        return '0x'
      },
      meter: { polled() {}, placed() {}, late() {} },
      rhythm: () => pause(5),
    },
    ending.signal,
  )
  try {
    await eventually('first parts', () => placed.length === 3)
    for (const group of ['d', 'e']) {
      const hostile = Array.from({ length: 9 }, (_, index) => numbered(`${group}${index}`))
      if (group === 'd') await insertTwap(hostile, input)
      else for (const owner of hostile) await insert(owner, 2)
    }
    for (let part = 2; part <= 4; part++) {
      now += 60
      await eventually(`part ${part}`, () => placed.length === 3 * part)
      expect(placed.slice(-3)).toEqual([now + 59, now + 59, now + 59])
    }
  } finally {
    ending.abort()
    release()
    await running
  }
})

test('budgets of an owner and of all are kept in the database; half of the latter is for those who have traded', async () => {
  await emptied()
  const { db } = database
  const { chainId } = sampleNetwork
  const limits = { owner: { orders: 8, bytes: 1_000 }, tower: { orders: 24, bytes: 0 } }
  const reserve = (owner: Address, bytes = 100) => reserveStored(db, chainId, { owner, bytes }, limits)
  const [first, second, third] = [numbered('a1'), numbered('a2'), numbered('a3')]
  // Processes count at the same time: half of a day's orders fit.
  const answers = await Promise.all(Array.from({ length: 9 }, () => reserve(first)))
  expect(answers.filter((spent) => spent === undefined)).toHaveLength(4)
  expect(answers.filter((spent) => spent === 'owner')).toHaveLength(5)
  expect(await reserve(second, 501)).toBe('owner')
  expect([await reserve(second), await reserve(second), await reserve(third)]).toEqual([
    undefined,
    undefined,
    'tower',
  ])
  await releaseStored(db, chainId, { owner: second, bytes: 100 })
  expect([await reserve(third), await reserve(third)]).toEqual([undefined, 'tower'])
  const client = await connectDirectly(database.url)
  // Two hours free a twelfth of what can be used at once: one order of all.
  await client.query(`UPDATE tower_uses SET stored_at = stored_at - interval '2 hours'`)
  await client.end()
  expect([await reserve(third), await reserve(third)]).toEqual([undefined, 'tower'])
})
