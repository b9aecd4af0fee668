import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { quantile } from '../load/turn.ts'
import { type Answer, connect, notify, startDeliverer, startReceiver, writeChannels } from './stand.ts'

export interface Load {
  title: string
  url: string
  accounts: number
  notifications: number
  /** Messages per second; all at once when left out. */
  perSecond?: number
  answerTo: (channel: number) => Answer
  /** Channels whose messages are awaited and measured. */
  isMeasured: (channel: number) => boolean
}

export interface LoadFigures {
  title: string
  measured: number
  missing: number
  perSecond: number
  /** Lag from just before the commit to the receiver, of the first half of the load and of the rest. */
  lagMs: Lag
  firstHalf: Lag
  secondHalf: Lag
  /** Statements per request, to any receiver. */
  statements: number
  cpuMs: number
}

interface Lag {
  p50: number
  p99: number
  worst: number
}

const timeoutMs = 10_000
const tickMs = 50
const longestMs = 600_000

/** Measures one process that sends the written messages. */
export async function measureLoad(load: Load): Promise<LoadFigures> {
  const { url, accounts, notifications, perSecond, answerTo, isMeasured } = load
  const client = await connect(url)
  const receiver = await startReceiver(answerTo)
  try {
    await writeChannels(client, receiver.url, accounts)
    await client.query('ANALYZE')
    const deliverer = await startDeliverer(url, timeoutMs)
    try {
      const before = await deliverer.move(0)
      const started = Date.now()
      const writtenAt = await write(client, accounts, notifications, perSecond)
      const expected = [...writtenAt.keys()].filter((key) => isMeasured(Number(key.split(':')[0]))).length
      for (let arrived = 0; arrived < expected && Date.now() < started + longestMs; ) {
        await pause(200)
        arrived = new Set(measured().map(({ key }) => key)).size
      }
      const after = await deliverer.move(0)
      const lags = new Map<string, { lag: number; at: number }>()
      for (const { key, at } of measured()) {
        const written = writtenAt.get(key)
        if (written !== undefined && !lags.has(key))
          lags.set(key, { lag: Math.max(0, at - written), at: written })
      }
      const all = [...lags.values()].sort((one, other) => one.at - other.at)
      const lastAt = measured().at(-1)?.at ?? Number.NaN
      const requests = receiver.arrivals.length
      return {
        title: load.title,
        measured: lags.size,
        missing: expected - lags.size,
        perSecond: lags.size / ((lastAt - started) / 1_000),
        lagMs: lagOf(all),
        firstHalf: lagOf(all.slice(0, all.length / 2)),
        secondHalf: lagOf(all.slice(all.length / 2)),
        statements: (after.statements - before.statements) / requests,
        cpuMs: (after.cpuMs - before.cpuMs) / requests,
      }
    } finally {
      await deliverer.kill()
    }
  } finally {
    await receiver.stop()
    await client.end()
  }

  function measured() {
    return receiver.arrivals
      .filter(({ channel }) => isMeasured(channel))
      .map(({ channel, place, at }) => ({ key: `${channel}:${place}`, at }))
  }
}

/** @returns the commit time of each, by account and place */
async function write(client: pg.Client, accounts: number, notifications: number, perSecond?: number) {
  const writtenAt = new Map<string, number>()
  const started = Date.now()
  for (let count = 0; count < notifications; ) {
    const account = count % accounts
    const place = Math.floor(count / accounts)
    const due =
      perSecond === undefined ? accounts : Math.floor(((Date.now() - started) * perSecond) / 1_000) - count
    const length = Math.min(due, accounts - account, notifications - count)
    if (length > 0) {
      const range = Array.from({ length }, (_, index) => account + index)
      await client.query('BEGIN')
      await notify(client, range, place)
      const at = Date.now()
      await client.query('COMMIT')
      for (const written of range) writtenAt.set(`${written}:${place}`, at)
      count += length
    }
    if (perSecond !== undefined) await pause(tickMs)
  }
  return writtenAt
}

function lagOf(values: readonly { lag: number }[]): Lag {
  const lags = values.map(({ lag }) => lag).sort((one, other) => one - other)
  return { p50: quantile(lags, 0.5), p99: quantile(lags, 0.99), worst: quantile(lags, 1) }
}
