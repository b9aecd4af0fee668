import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { leaseChannels, wakeChannels } from '../../src/storage/channels/queue.ts'
import { type Database, openDatabase } from '../../src/storage/database/database.ts'
import { quantile } from '../load/turn.ts'
import { type Answer, connect, notify, startDeliverer, startReceiver, writeChannels } from './stand.ts'

export interface LeaseFigures {
  title: string
  channels: number
  /** The time of one poll: moving new messages to the queue, and leasing. */
  p50Ms: number
  p99Ms: number
  statements: number
  /** The average number of leased messages. */
  leased: number
}

export interface LeaseResults {
  rows: LeaseFigures[]
  /** The cost of an idle process, per second. */
  idle: { statements: number; cpuMs: number }
}

const looks = 200
const messages = 5
const places = 64
const leaseMs = 60_000
const idleMs = 10_000

export async function measureLeases(options: {
  url: string
  channels: number
  answerTo: (channel: number) => Answer
}): Promise<LeaseResults> {
  const { url, channels, answerTo } = options
  const client = await connect(url)
  const receiver = await startReceiver(answerTo)
  let statements = 0
  const db = openDatabase({ url, maxConnections: 4, onStatement: () => statements++ })
  try {
    const rows: LeaseFigures[] = []
    for (const count of [Math.ceil(channels / 100), channels]) {
      await fill(count)
      await setAll(`now() + interval '1 hour'`)
      rows.push(await measure('none is due', count))
      await setAll('now()')
      rows.push(await measure('all are due', count))
    }
    await setAll(`now() + interval '1 hour'`)
    const deliverer = await startDeliverer(url, 10_000)
    try {
      const before = await deliverer.move(0)
      await pause(idleMs)
      const after = await deliverer.move(0)
      await setAll('now()')
      await client.query(`SELECT pg_notify('tradegraph_deliveries', '')`)
      rows.push(await measure('all are due, a process sends', channels))
      const perSecond = (total: number) => (total * 1_000) / idleMs
      return {
        rows,
        idle: {
          statements: perSecond(after.statements - before.statements),
          cpuMs: perSecond(after.cpuMs - before.cpuMs),
        },
      }
    } finally {
      await deliverer.kill()
    }
  } finally {
    await db.close()
    await receiver.stop()
    await client.end()
  }

  async function fill(count: number) {
    await writeChannels(client, receiver.url, count)
    const all = Array.from({ length: count }, (_, index) => index)
    for (let place = 0; place < messages; place++) await notify(client, all, place)
    await client.query('TRUNCATE channel_wakes')
    await client.query('VACUUM ANALYZE')
  }

  async function setAll(at: string) {
    await client.query(`UPDATE channels SET lease = NULL, next_attempt_at = ${at}`)
  }

  async function measure(title: string, count: number): Promise<LeaseFigures> {
    const times: number[] = []
    let leased = 0
    let asked = 0
    for (let look = 0; look < looks; look++) {
      const from = statements
      const started = performance.now()
      const lease = await lookOnce(db)
      times.push(performance.now() - started)
      asked += statements - from
      leased += lease.channels.length
      await client.query('UPDATE channels SET lease = NULL, next_attempt_at = now() WHERE lease = $1', [
        lease.id,
      ])
    }
    times.sort((one, other) => one - other)
    return {
      title,
      channels: count,
      p50Ms: quantile(times, 0.5),
      p99Ms: quantile(times, 0.99),
      statements: asked / looks,
      leased: leased / looks,
    }
  }
}

async function lookOnce(db: Database) {
  const at = Date.now()
  const lease = { id: randomUUID(), now: new Date(at), until: new Date(at + leaseMs) }
  await wakeChannels(db, lease.now, 2_000)
  const lanes = [false, true].map((isSlow) => ({ kind: 'webhook' as const, isSlow, places }))
  const channels = await leaseChannels(db, lease, {}, { lanes, later: lease.until })
  return { id: lease.id, channels }
}
