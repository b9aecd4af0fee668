import type { Client } from 'pg'
import { expect, test } from 'vitest'
import { countMessage, messageAllowance } from '../../../src/storage/channels/queue.ts'
import type { Database } from '../../../src/storage/database/database.ts'
import { type DeliverySketch, storeChannel, storeDeliveries } from '../../fakes/stored-channel.ts'
import { useTables } from '../../setup/database.ts'

const start = new Date(1_800_000_000_000)
const at = (seconds: number) => new Date(start.getTime() + seconds * 1_000)
/** Two messages of one delivery in a minute, more go together. */
const pace = { alone: 2, together: 20 }
let client: Client
let db: Database
useTables((tables) => {
  ;({
    client,
    database: { db },
  } = tables)
})

async function turnWith(
  minute: { minuteBeganAt?: Date; minuteMessages?: number },
  sketches: readonly DeliverySketch[],
  now = at(30),
) {
  const channel = await storeChannel(db, minute)
  await storeDeliveries(db, channel, sketches)
  return await messageAllowance(db, channel.id, { ...pace, now })
}
const began = (messages: number) => ({ minuteBeganAt: start, minuteMessages: messages })

test('a minute begins with its first message', async () => {
  expect(await turnWith({}, [{}, {}])).toEqual({ limit: 1, minute: { beganAt: at(30), messages: 0 } })
})

test('more than a minute may hold alone go together', async () => {
  const delivered = { state: 'delivered' } as const
  expect(await turnWith({}, [delivered, {}, {}])).toMatchObject({ limit: 1 })
  expect(await turnWith({}, [{}, {}, {}])).toMatchObject({ limit: 20 })
})

test('a message goes alone while the minute has room for what waits', async () => {
  const minute = { beganAt: start, messages: 1 }
  expect(await turnWith(began(1), [{}])).toEqual({ limit: 1, minute })
  expect(await turnWith(began(1), [{}, {}])).toEqual({ limit: 20, minute })
})

test('a full minute is waited for, and what waits then goes together', async () => {
  expect(await turnWith(began(2), [{}])).toEqual({ until: at(60) })
  expect(await turnWith(began(2), [{}], new Date(at(60).getTime() - 1))).toEqual({ until: at(60) })
  expect(await turnWith(began(2), [{}], at(60))).toEqual({
    limit: 20,
    minute: { beganAt: at(60), messages: 0 },
  })
  expect(await turnWith(began(1), [{}], at(60))).toEqual({
    limit: 1,
    minute: { beganAt: at(60), messages: 0 },
  })
})

test('what was sent together goes together again', async () => {
  expect(await turnWith({}, [{ batch: 7n }])).toMatchObject({ limit: 20 })
  expect(await turnWith({}, [{}, { batch: 7n }])).toMatchObject({ limit: 1 })
})

test('a message of many fills its minute', async () => {
  const channel = await storeChannel(db)
  const other = await storeChannel(db)
  const count = async (messages: number, deliveries: number) => {
    await countMessage(db, channel.id, { beganAt: start, messages }, deliveries, pace.alone)
    const { rows } = await client.query(
      'SELECT minute_began_at, minute_messages FROM channels ORDER BY id = $1',
      [channel.id],
    )
    expect(rows[0]).toEqual({ minute_began_at: null, minute_messages: 0 })
    return Object.values(rows[1])
  }
  expect(other.id).not.toBe(channel.id)
  expect(await count(0, 1)).toEqual([start, 1])
  expect(await count(4, 1)).toEqual([start, 5])
  expect(await count(0, 2)).toEqual([start, 2])
})
