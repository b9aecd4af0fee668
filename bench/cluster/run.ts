import { setTimeout as pause } from 'node:timers/promises'
import { eventually } from '../../test/setup/eventually.ts'
import type { Exchanged } from '../../test/setup/steadily.ts'
import { quantile } from '../load/turn.ts'
import { toTable } from '../report.ts'
import type { Undo } from '../setup.ts'
import { type Checked, check } from './check.ts'
import { type Followed, followAll, startTraffic, type Traffic } from './load.ts'
import type { ClusterOptions, clusterParts } from './options.ts'
import { type Stand, startStand } from './stand.ts'

type Part = (typeof clusterParts)[number]
type Print = (line: string) => void

/** The time from the signal to the end of the process: faults of requests during it belong to the kill. */
type Kill = readonly [from: number, to: number]

interface Happened {
  kills: Kill[]
  /** The part's own results as text. */
  told: string
}

export interface PartResult {
  part: Part
  told: string
  requests: number
  p50Ms: number
  p99Ms: number
  orders: number
  /** Failed requests, without those during a kill. */
  failed: number
  underWay: number
  /** Milliseconds from the first to the last fault. */
  failingMs: number
  /** Faults, without their varying numbers. */
  faults: Record<string, number>
  blocksBehind: number
  ends: Record<string, number>
  checked: Checked
}

/** Parts in which other requests may fail; any other part is right without such failures. */
const mayFail: readonly Part[] = ['switch']
const redisAwayMs = 20_000
const killPauseMs = 3_000
/** The time that the balancer may need to notice a kill. */
const killSpanMs = 250

export async function runCluster(options: ClusterOptions, undo: Undo, print: Print) {
  const stand = await startStand(options.home, undo, print)
  print(`started: ${stand.members.map(({ name }) => name).join(', ')}`)
  const followed = followAll(stand, options.streams)
  undo.push(async () => void (await Promise.all(followed.map(({ follower }) => follower.stop()))))
  const results: PartResult[] = []
  for (const part of options.only) {
    print(`${part}: begins`)
    const ends = endsOf(followed)
    const from = performance.now()
    const stop = startTraffic(stand, options)
    const { kills, told } = await parts[part](stand, options, print)
    const traffic = await stop()
    const checked = await check(stand, followed)
    const refused = followed.flatMap(({ follower }) =>
      follower.faults
        .filter(({ at }) => at >= from)
        .map(({ at, fault }) => ({ from: at - 1, to: at, fault: `stream: ${fault}`, text: '' })),
    )
    const result = judge({ part, told, kills, traffic, refused, checked })
    result.ends = difference(endsOf(followed), ends)
    results.push(result)
    print(report(result))
  }
  return { results, isRight: results.every(isRight) }
}

type Play = (stand: Stand, options: ClusterOptions, print: Print) => Promise<Happened>

const parts: Record<Part, Play> = {
  async restarts({ members }, { restarts }, print) {
    const codes: (number | null)[] = []
    const times: number[] = []
    for (let round = 0; round < restarts; round++) {
      for (const member of members) {
        const { code, ms } = await member.restart('SIGTERM')
        codes.push(code)
        times.push(ms)
      }
      print(`round ${round + 1} of ${restarts}`)
    }
    const wrong = codes.filter((code) => code !== 0).length
    return {
      kills: [],
      told: `${codes.length} restarts, ${wrong} with another exit code than 0; ${startTimes(times)}`,
    }
  },
  async kills({ members }, { killMinutes }) {
    const kills: Kill[] = []
    const times: number[] = []
    let count = 0
    for (const from = performance.now(); performance.now() - from < killMinutes * 60_000; count++) {
      const member = members[Math.floor(Math.random() * members.length)]
      if (!member) continue
      const killedAt = performance.now()
      const { goneAt, ms } = await member.restart('SIGKILL')
      if (member.role === 'serve') kills.push([killedAt, goneAt])
      times.push(ms)
      await pause(killPauseMs * Math.random())
    }
    return { kills, told: `${count} kills, ${kills.length} of serve; ${startTimes(times)}` }
  },
  async redis({ redis }) {
    await pause(5_000)
    await redis.stop()
    await pause(redisAwayMs)
    await redis.start()
    await pause(10_000)
    return { kills: [], told: `Redis was away for ${redisAwayMs / 1_000} s` }
  },
  async replica({ replica }, { lagSeconds }) {
    await pause(5_000)
    await replica.run('SELECT pg_wal_replay_pause()')
    await pause(lagSeconds * 1_000)
    await eventually('the replica goes on', async () => {
      // The replica's replay is then so late that it cancels statements at once: this one too.
      const rows = await replica.run('SELECT pg_wal_replay_resume()').catch(() => [])
      return rows.length > 0
    })
    await pause(10_000)
    return { kills: [], told: `the replica stood still for ${lagSeconds} s` }
  },
  async switch({ switchOver }) {
    await pause(5_000)
    const from = performance.now()
    await switchOver()
    const ms = performance.now() - from
    await pause(30_000)
    return { kills: [], told: `no database took writes for ${ms.toFixed(0)} ms` }
  },
}

function startTimes(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b)
  return `ready again after ${seconds(quantile(sorted, 0.5))} (median), ${seconds(sorted.at(-1) ?? 0)} (longest)`
}

interface Judged {
  part: Part
  told: string
  kills: readonly Kill[]
  traffic: Traffic
  refused: readonly Exchanged[]
  checked: Checked
}

function judge({ part, told, kills, traffic, refused, checked }: Judged): PartResult {
  const all = [...traffic.reads, ...traffic.orders, ...traffic.ownReads]
  const latencies = all.map(({ from, to }) => to - from).sort((a, b) => a - b)
  const faulty = [...all, ...refused].filter(({ fault }) => fault !== undefined)
  const isOfKill = ({ from, to }: Exchanged) =>
    kills.some(([first, last]) => from <= last + killSpanMs && to >= first)
  const failed = faulty.filter((one) => !isOfKill(one))
  const times = faulty.flatMap(({ from, to }) => [from, to])
  const faults: Record<string, number> = {}
  for (const { fault = '' } of failed) {
    const kind = fault.replace(/0x\w+/g, '…').slice(0, 160)
    faults[kind] = (faults[kind] ?? 0) + 1
  }
  return {
    part,
    told,
    requests: all.length,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    orders: traffic.orders.length,
    failed: failed.length,
    underWay: faulty.length - failed.length,
    failingMs: times.length === 0 ? 0 : max(times) + max(times.map((time) => -time)),
    faults,
    blocksBehind: traffic.blocksBehind,
    ends: {},
    checked,
  }
}

function isRight({ part, failed, checked }: PartResult): boolean {
  const { unfilled, lost, repeated, messagesLost, double, unindexed } = checked
  const wrong = unfilled + lost + repeated + messagesLost + double + unindexed
  return wrong === 0 && (failed === 0 || mayFail.includes(part))
}

function report(result: PartResult): string {
  const { part, told, requests, p50Ms, p99Ms, orders, failed, underWay, failingMs, checked } = result
  const { ends, faults, blocksBehind } = result
  const reasons = Object.entries(ends).map(([reason, count]) => `${count} ${reason}`)
  const rows = Object.entries(checked).map(([what, count]) => [what, `${count}`])
  return [
    `\n${part}: ${told}`,
    `${requests} requests (${orders} of them orders), ${failed} failed${underWay > 0 ? `, and ${underWay} under way at a kill` : ''}; p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(0)} ms`,
    ...(failingMs > 0 ? [`from the first to the last fault ${seconds(failingMs)}`] : []),
    ...Object.entries(faults).map(([fault, count]) => `  ${count} × ${fault}`),
    `answers were at most ${blocksBehind} blocks behind the chain; streams ended: ${reasons.join(', ') || 'none'}`,
    toTable(['since the beginning', ''], rows),
  ].join('\n')
}

function endsOf(followed: readonly Followed[]): Record<string, number> {
  const sum: Record<string, number> = {}
  for (const { follower } of followed)
    for (const [reason, count] of follower.ends) sum[reason] = (sum[reason] ?? 0) + count
  return sum
}

function difference(later: Record<string, number>, earlier: Record<string, number>) {
  const entries = Object.entries(later).map(
    ([reason, count]) => [reason, count - (earlier[reason] ?? 0)] as const,
  )
  return Object.fromEntries(entries.filter(([, count]) => count > 0))
}

/** Returns the maximum of any number of values. */
const max = (values: readonly number[]) =>
  values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY)
const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`
