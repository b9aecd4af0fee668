import { randomUUID } from 'node:crypto'
import type { Client } from 'pg'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Channel } from '../../../src/domain/notification/channel.ts'
import type { Sender, SendResult } from '../../../src/notifications/channels/sender.ts'
import { sendTurn } from '../../../src/notifications/delivery/turn.ts'
import type { Database } from '../../../src/storage/database/database.ts'
import { type DeliverySketch, storeChannel, storeDeliveries } from '../../fakes/stored-channel.ts'
import { useTables } from '../../setup/database.ts'

const start = 1_800_000_000_000
const leaseId = randomUUID()
let client: Client
let db: Database
useTables((tables) => {
  ;({
    client,
    database: { db },
  } = tables)
})
let channel: Channel
/** Milliseconds that messages have taken. */
let spent = 0
beforeEach(async () => {
  spent = 0
  vi.spyOn(performance, 'now').mockImplementation(() => spent)
  channel = await storeChannel(db, { lease: leaseId, nextAttemptAt: new Date(start + 60_000) })
})
afterEach(async () => {
  vi.restoreAllMocks()
})

const sent: SendResult = { kind: 'sent', status: 200 }
const failed: SendResult = { kind: 'failed', status: 503, fault: 'it answers 503' }
interface Turn {
  results?: SendResult[]
  takesMs?: number
  sender?: Partial<Sender>
  confirmations?: Record<number, number>
  signal?: AbortSignal
}

/** Sends a turn of these deliveries. Results of messages, the last one for all that follow. */
async function turnOf(sketches: readonly DeliverySketch[], turn: Turn = {}) {
  const { results = [sent], takesMs = 0, sender, confirmations = {}, signal } = turn
  const ids = await storeDeliveries(db, channel, sketches)
  const messages: number[][] = []
  const outcomes: unknown[][] = []
  const faults: string[] = []
  const place = { yield: vi.fn(), leave: vi.fn() }
  const sending: Sender = {
    maxDigest: 1,
    sendConfirmation: () => Promise.reject(new Error('none is sent')),
    async send(_, deliveries) {
      spent += takesMs
      messages.push(deliveries.map(({ id }) => ids.indexOf(id)))
      return results.length > 1 ? (results.shift() ?? sent) : (results[0] ?? sent)
    },
    ...sender,
  }
  const options = {
    db,
    confirmations,
    now: () => start,
    random: () => 0.5,
    log: { debug() {}, info() {}, warn() {}, error: (message: string) => faults.push(message) },
    onSent: (...outcome: unknown[]) => outcomes.push(outcome),
  }
  const isDue = await sendTurn(
    { channel, sender: sending, leaseId, place },
    options,
    signal ?? new AbortController().signal,
  )
  return { isDue, messages, outcomes, faults, place, ids }
}

async function stateOf() {
  const [row] = (await client.query('SELECT lease, next_attempt_at, slow_turns, state FROM channels')).rows
  const afterMs = row.next_attempt_at && row.next_attempt_at.getTime() - start
  return { isLeased: row.lease !== null, afterMs, slowTurns: row.slow_turns, state: row.state }
}
const deliveries = async () =>
  (await client.query('SELECT state, status, fault FROM deliveries ORDER BY id')).rows.map((row) =>
    Object.values(row),
  )

test('all that waits is sent, in its order, and then the channel rests', async () => {
  const { isDue, messages, outcomes, place } = await turnOf([{}, {}, {}], { sender: { maxDigest: 2 } })
  expect(messages).toEqual([[0, 1], [2]])
  expect(isDue).toBe(false)
  expect(outcomes).toEqual([
    ['webhook', 'sent', 2],
    ['webhook', 'sent', 1],
  ])
  expect(await deliveries()).toEqual(Array(3).fill(['delivered', 200, null]))
  expect(await stateOf()).toEqual({ isLeased: false, afterMs: null, slowTurns: 0, state: 'active' })
  expect(place.yield).not.toHaveBeenCalled()
})

test('after fifty messages others have a turn', async () => {
  const { isDue, messages } = await turnOf(Array(51).fill({}))
  expect(messages).toHaveLength(50)
  expect(isDue).toBe(true)
  expect(await stateOf()).toMatchObject({ isLeased: false, afterMs: 0 })
})

test('after two seconds others have a turn', async () => {
  const { isDue, messages } = await turnOf(Array(5).fill({}), { takesMs: 1_000 })
  expect(messages).toHaveLength(2)
  expect(isDue).toBe(true)
  expect(await stateOf()).toMatchObject({ slowTurns: 0 })
})

test('a receiver that takes longer than two seconds is slow', async () => {
  const { isDue } = await turnOf([{}, {}], { takesMs: 2_001 })
  expect(isDue).toBe(true)
  expect(await stateOf()).toMatchObject({ slowTurns: 10 })
})

test('one that takes two seconds is not', async () => {
  await turnOf([{}, {}], { takesMs: 2_000 })
  expect(await stateOf()).toMatchObject({ afterMs: 0, slowTurns: 0 })
})

test('the place goes to another while a receiver is waited for', async () => {
  let hasYielded: () => void = () => {}
  const yielded = new Promise<void>((resolve) => {
    hasYielded = resolve
  })
  await storeDeliveries(db, channel, [{}])
  const place = { yield: hasYielded, leave: vi.fn() }
  const sender: Sender = {
    maxDigest: 1,
    sendConfirmation: () => Promise.reject(new Error('none is sent')),
    send: async () => {
      await yielded
      return sent
    },
  }
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  const options = { db, confirmations: {}, now: () => start, random: () => 0.5, log }
  await sendTurn({ channel, sender, leaseId, place }, options, new AbortController().signal)
  expect(await deliveries()).toEqual([['delivered', 200, null]])
})

test('a receiver’s turn that comes soon is waited for', async () => {
  const takeTurn = vi.fn().mockReturnValue({ isTaken: true, waitMs: 300 })
  const { messages, place } = await turnOf([{}], { sender: { takeTurn } })
  expect(messages).toEqual([[0]])
  expect(place.yield).toHaveBeenCalled()
  expect(await deliveries()).toEqual([['delivered', 200, null]])
})

test('one that comes later is not: the lease goes back, and no attempt is counted', async () => {
  const takeTurn = (_: Channel, withinMs: number) => {
    expect(withinMs).toBeLessThan(10_000)
    return { isTaken: false, waitMs: 40_000 }
  }
  const { messages, outcomes, isDue } = await turnOf([{}], { sender: { takeTurn } })
  expect([messages, outcomes, isDue]).toEqual([[], [], false])
  expect(await deliveries()).toEqual([['waiting', null, null]])
  expect(await stateOf()).toEqual({ isLeased: false, afterMs: 40_000, slowTurns: 0, state: 'active' })
  expect((await client.query('SELECT attempts FROM deliveries')).rows).toEqual([{ attempts: 0 }])
})

test('a sender that does not end has failed before the lease ends', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const send = () => {
      queueMicrotask(() => vi.advanceTimersByTime(59_000))
      return new Promise<never>(() => {})
    }
    const { outcomes } = await turnOf([{}], { sender: { send } })
    expect(outcomes).toEqual([['webhook', 'failed', 1]])
    expect(await deliveries()).toEqual([['waiting', null, 'no answer in time']])
  } finally {
    vi.useRealTimers()
  }
})

test('a failure is tried again, and what is behind it waits', async () => {
  const { isDue, messages, outcomes } = await turnOf([{}, {}], { results: [failed] })
  expect(messages).toEqual([[0]])
  expect(isDue).toBe(false)
  expect(outcomes).toEqual([['webhook', 'failed', 1]])
  expect(await deliveries()).toEqual([
    ['waiting', 503, 'it answers 503'],
    ['waiting', null, null],
  ])
  expect(await stateOf()).toMatchObject({ isLeased: false, afterMs: 5_000 })
})

test('the pause follows the most attempts of a message', async () => {
  await turnOf([{ attempts: 2 }, { attempts: 1 }], { results: [failed], sender: { maxDigest: 2 } })
  expect(await stateOf()).toMatchObject({ afterMs: 120_000 })
})

test.each([
  [1_000, 5_000],
  [9_000, 9_000],
  [10 * 86_400_000, 86_400_000],
])('a receiver that asks for a pause of %i ms has one of %i', async (retryAfterMs, afterMs) => {
  await turnOf([{}], { results: [{ ...failed, retryAfterMs }] })
  expect(await stateOf()).toMatchObject({ afterMs })
})

test('after its last attempt a delivery is dead, and the next one has its turn', async () => {
  const { messages, outcomes } = await turnOf([{ attempts: 10 }, {}], { results: [failed, sent] })
  expect(messages).toEqual([[0], [1]])
  expect(outcomes).toEqual([
    ['webhook', 'failed', 1],
    ['webhook', 'dead', 1],
    ['webhook', 'sent', 1],
  ])
  expect(await deliveries()).toEqual([
    ['dead', 503, 'it answers 503'],
    ['delivered', 200, null],
  ])
})

test('what a receiver has failed for longer than a day is dead', async () => {
  await storeDeliveries(db, channel, [{}, {}])
  await client.query(`UPDATE deliveries SET waiting_since = now() - interval '26.1 h'`)
  const { outcomes } = await turnOf([{}], { results: [failed] })
  expect(outcomes).toEqual([
    ['webhook', 'failed', 1],
    ['webhook', 'dead', 2],
  ])
  expect((await deliveries()).map(([state]) => state)).toEqual(['dead', 'dead', 'waiting'])
})

test('a day and two hours are not too long', async () => {
  await storeDeliveries(db, channel, [{}])
  await client.query(`UPDATE deliveries SET waiting_since = now() - interval '25.9 h'`)
  const { outcomes } = await turnOf([], { results: [failed] })
  expect(outcomes).toEqual([['webhook', 'failed', 1]])
})

test('a receiver that wants no more ends its channel', async () => {
  const gone: SendResult = { kind: 'gone', status: 410, fault: 'it is gone' }
  const { isDue, outcomes } = await turnOf([{}, {}], { results: [gone] })
  expect(isDue).toBe(false)
  expect(outcomes).toEqual([['webhook', 'gone', 1]])
  expect(await deliveries()).toEqual([
    ['dead', 410, 'it is gone'],
    ['dropped', null, null],
  ])
  expect(await stateOf()).toMatchObject({ isLeased: false, afterMs: null, state: 'ended' })
})

test('a fault of a sender is a failure without its text', async () => {
  const send = () => Promise.reject(new Error('secret'))
  const { faults, outcomes } = await turnOf([{}], { sender: { send } })
  expect(faults).toEqual(['a channel cannot be sent to'])
  expect(outcomes).toEqual([['webhook', 'failed', 1]])
  expect(await deliveries()).toEqual([['waiting', null, 'a fault of this service']])
})

test('what a process that ends has not heard about is not counted as failed', async () => {
  const stopping = new AbortController()
  const send = async () => {
    stopping.abort()
    return failed
  }
  const { outcomes, isDue } = await turnOf([{}], { sender: { send }, signal: stopping.signal })
  expect(outcomes).toEqual([])
  expect(await deliveries()).toEqual([['waiting', null, null]])
  expect(isDue).toBe(true)
  expect(await stateOf()).toMatchObject({ isLeased: false, afterMs: 0 })
})

test('what arrived before the process ends is stored', async () => {
  const stopping = new AbortController()
  const send = async () => {
    stopping.abort()
    return sent
  }
  const { messages } = await turnOf([{}, {}], { sender: { send }, signal: stopping.signal })
  expect(messages).toEqual([])
  expect(await deliveries()).toEqual([
    ['delivered', 200, null],
    ['waiting', null, null],
  ])
})

test('what has to wait for blocks is looked at again after five seconds', async () => {
  const { isDue, messages } = await turnOf([{ blockNumber: 100n }], { confirmations: { 1: 1 } })
  expect(isDue).toBe(false)
  expect(messages).toEqual([])
  expect(await stateOf()).toMatchObject({ isLeased: false, afterMs: 5_000 })
})

test('without its lease a turn ends, and changes nothing', async () => {
  await client.query('UPDATE channels SET lease = $1', [randomUUID()])
  const { isDue, messages } = await turnOf([{}])
  expect(isDue).toBe(false)
  expect(messages).toEqual([])
  expect(await stateOf()).toMatchObject({ isLeased: true, afterMs: 60_000 })
})

test('a channel with a pace sends so many alone, and the rest together', async () => {
  const pace = { maxDigest: 20, maxAlone: 2 }
  const first = await turnOf([{}, {}], { sender: pace })
  expect(first.messages).toEqual([[0], [1]])
  await client.query('UPDATE channels SET lease = $1, next_attempt_at = $2', [
    leaseId,
    new Date(start + 90_000),
  ])
  const second = await turnOf([{}, {}, {}], { sender: pace })
  expect(second.messages).toEqual([])
  expect(second.isDue).toBe(false)
  expect(await stateOf()).toMatchObject({ isLeased: false, afterMs: 60_000 })
})

test('many go together at once, and fill their minute', async () => {
  const { messages } = await turnOf([{}, {}, {}], { sender: { maxDigest: 20, maxAlone: 2 } })
  expect(messages).toEqual([[0, 1, 2]])
  const { rows } = await client.query('SELECT minute_began_at, minute_messages FROM channels')
  expect(rows).toEqual([{ minute_began_at: new Date(start), minute_messages: 2 }])
})

test('nothing that is due begins no minute', async () => {
  await turnOf([], { sender: { maxDigest: 20, maxAlone: 2 } })
  const { rows } = await client.query('SELECT minute_began_at, minute_messages FROM channels')
  expect(rows).toEqual([{ minute_began_at: null, minute_messages: 0 }])
})
