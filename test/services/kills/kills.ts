import { setTimeout as pause } from 'node:timers/promises'
import {
  type Answer,
  connect,
  type Deliverer,
  notify,
  startDeliverer,
  startReceiver,
  writeChannels,
} from './stand.ts'

interface KillOptions {
  url: string
  accounts: number
  /** Messages of each account. */
  messages: number
  kills: number
  random: () => number
  /** The time limit: a message that still waits is a fault. */
  seconds: number
}

interface KillResult {
  /** Deliveries by final state. */
  states: Record<string, number>
  requests: number
  repeated: number
  kills: number
  seconds: number
  hoursOfClock: number
  faults: string[]
}

/** Every twentieth channel refuses everything. */
const isDead = (channel: number) => channel % 20 === 0
const timeoutMs = 10_000
const idleMs = 150
/** The time after which a holder of a lease has been killed and sends nothing. */
const heldIdleMs = 1_000
/** The clock's advance beyond the next attempt, so that many run together: this, and a share of the way. */
const beyondMs = 60_000
const beyondShare = 0.25

/**
 * Two processes send to receivers that accept, refuse, answer late or not at all, and are killed at random.
 * When they are idle, their clocks move to the next attempt, and waiting messages age with them.
 */
export async function runKills(options: KillOptions): Promise<KillResult> {
  const { url, accounts, messages, kills, random, seconds } = options
  const client = await connect(url)
  const receiver = await startReceiver((channel): Answer => {
    if (isDead(channel)) return 'refuse'
    const at = random()
    return at < 0.7 ? 'take' : at < 0.85 ? 'refuse' : at < 0.92 ? 'nothing' : 'late'
  })
  const started = performance.now()
  const deliverers: Deliverer[] = []
  let offset = 0
  let killed = 0
  try {
    await writeChannels(client, receiver.url, accounts)
    for (let n = 0; n < 2; n++) deliverers.push(await startDeliverer(url, timeoutMs))
    const all = Array.from({ length: accounts }, (_, index) => index)
    const writing = (async () => {
      for (let place = 0; place < messages; place++) await notify(client, all, place)
    })()
    const killing = (async () => {
      for (; killed < kills; killed++) {
        await pause(100 + random() * 400)
        const index = random() < 0.5 ? 0 : 1
        await deliverers[index]?.kill()
        const next = await startDeliverer(url, timeoutMs)
        await next.move(offset)
        deliverers[index] = next
      }
    })()
    await writing
    while (performance.now() - started < seconds * 1_000) {
      await pause(50)
      if (receiver.idleMs() < idleMs) continue
      const [row] = (
        await client.query<{ waiting: boolean; held: boolean; next: Date | null; wakes: boolean }>(
          `SELECT EXISTS (SELECT FROM deliveries WHERE state = 'waiting') AS waiting, EXISTS (SELECT FROM channel_wakes) AS wakes,
             EXISTS (SELECT FROM channels WHERE lease IS NOT NULL) AS held, (SELECT min(next_attempt_at) FROM channels) AS next`,
        )
      ).rows
      if (!row?.waiting && killed === kills) break
      const next = (row?.next?.getTime() ?? 0) - Date.now() - offset
      if (row?.wakes || next <= 0 || killed < kills / 2) continue
      if (row?.held && receiver.idleMs() < heldIdleMs) continue
      const ahead = Math.ceil(next * (1 + beyondShare)) + beyondMs
      offset += ahead
      await client.query(
        `UPDATE deliveries SET waiting_since = waiting_since - $1 * interval '1 millisecond' WHERE state = 'waiting'`,
        [ahead],
      )
      // A killed process does not answer; its successor starts with this clock.
      const moves = deliverers.map((deliverer) => deliverer.move(offset).catch(() => undefined))
      await Promise.race([Promise.all(moves), pause(1_000)])
      await client.query(`SELECT pg_notify('tradegraph_deliveries', '')`)
    }
    await killing
    const rows = (
      await client.query<{ id: string; channel: string; state: string; message: string }>(
        `SELECT d.id, split_part(c.address, '/', 4) AS channel, d.state, n.message FROM deliveries d
         JOIN channels c ON c.id = d.channel_id JOIN notifications n ON n.id = d.notification_id`,
      )
    ).rows
    const { faults, repeated } = compare(rows, receiver.arrivals, accounts * messages)
    return {
      states: count(rows.map(({ state }) => state)),
      requests: receiver.arrivals.length,
      repeated,
      kills: killed,
      seconds: (performance.now() - started) / 1_000,
      hoursOfClock: offset / 3_600_000,
      faults,
    }
  } finally {
    await Promise.all(deliverers.map((deliverer) => deliverer.kill()))
    await receiver.stop()
    await client.end()
  }
}

function count(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  return counts
}

function compare(
  rows: readonly { id: string; channel: string; state: string; message: string }[],
  arrivals: readonly { channel: number; place: number; id: string; isTaken: boolean }[],
  total: number,
): { faults: string[]; repeated: number } {
  const faults: string[] = []
  if (rows.length !== total) faults.push(`${rows.length} of ${total} were written`)
  const ids = new Map(rows.map((row) => [`${row.channel}:${row.message}`, `msg_${row.id}`]))
  const taken = new Set<string>()
  const last = new Map<number, number>()
  const seen = new Set<string>()
  for (const { channel, place, id, isTaken } of arrivals) {
    const key = `${channel}:${place}`
    if (ids.get(key) !== id) faults.push(`${key} came as ${id}`)
    if (isTaken) taken.add(key)
    seen.add(key)
    if (place < (last.get(channel) ?? 0)) faults.push(`${key} came after ${last.get(channel)}`)
    last.set(channel, place)
  }
  for (const { channel, message, state } of rows) {
    const expected = isDead(Number(channel)) ? 'dead' : 'delivered'
    if (state !== expected) faults.push(`${channel}:${message} is ${state}`)
    if (state === 'delivered' && !taken.has(`${channel}:${message}`))
      faults.push(`${channel}:${message} was not taken`)
  }
  return { faults, repeated: arrivals.length - seen.size }
}
