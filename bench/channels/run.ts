import { applyMigrations } from '../../src/storage/database/migrations.ts'
import { openEmptyDatabase } from '../database/empty.ts'
import { toTable } from '../report.ts'
import type { Undo } from '../setup.ts'
import { type KillResult, runKills } from './kills.ts'
import { type LeaseResults, measureLeases } from './lease.ts'
import { type LoadFigures, measureLoad } from './load.ts'
import type { ChannelOptions } from './options.ts'
import type { Answer } from './stand.ts'

type Print = (line: string) => void

export interface ChannelResults {
  loads: LoadFigures[]
  leases: LeaseResults | undefined
  kills: KillResult | undefined
  faults: string[]
}

const killSeconds = 600

export async function runChannels(
  options: ChannelOptions,
  undo: Undo,
  print: Print,
): Promise<ChannelResults> {
  const { only, accounts, dead, perSecond, seconds, slow } = options
  const database = await openEmptyDatabase(options.home, 'channels')
  undo.push(database.stop)
  await applyMigrations(database.url)
  const { url } = database
  const loads: LoadFigures[] = []
  const faults: string[] = []
  const steady = { perSecond, notifications: perSecond * seconds }

  /** Every tenth, for a share of a tenth: alternately refusing and silent. */
  const isDead = (channel: number) => Math.floor((channel + 1) * dead) > Math.floor(channel * dead)
  const someDead = (channel: number): Answer =>
    isDead(channel) ? (Math.floor(channel * dead) % 2 === 0 ? 'refuse' : 'hang') : 'take'
  const measureOne = async (load: Omit<Parameters<typeof measureLoad>[0], 'url'>) => {
    const figures = await measureLoad({ url, ...load })
    loads.push(figures)
    if (figures.missing > 0) faults.push(`${figures.title}: ${figures.missing} did not come`)
    print(`${figures.title}: done`)
  }

  if (only.includes('rate')) {
    const whole = { accounts, notifications: options.notifications }
    const quick = { answerTo: (): Answer => 'take', isMeasured: () => true }
    const partly = { answerTo: someDead, isMeasured: (channel: number) => !isDead(channel) }
    await measureOne({ title: 'all at once', ...whole, ...quick })
    await measureOne({ title: 'all at once, some dead', ...whole, ...partly })
    await measureOne({ title: 'steadily', ...whole, ...steady, ...quick })
    await measureOne({ title: 'steadily, some dead', ...whole, ...steady, ...partly })
  }
  if (only.includes('slow')) {
    const isSlow = (channel: number) => channel % 2 === 0
    const load = { accounts: 2 * slow, ...steady, isMeasured: (channel: number) => !isSlow(channel) }
    await measureOne({ title: 'half of them, all quick', ...load, answerTo: () => 'take' })
    const answerTo = (channel: number) => (isSlow(channel) ? 2_000 + ((channel * 7_919) % 7_900) : 'take')
    await measureOne({ title: 'half of them, the others slow', ...load, answerTo })
  }
  if (loads.length > 0) print(reportLoads(loads))
  const leases = only.includes('lease')
    ? await measureLeases({ url, channels: options.backlog, answerTo: someDead })
    : undefined
  if (leases) print(reportLeases(leases))
  const kills = only.includes('kill')
    ? await runKills({
        url,
        accounts,
        messages: Math.floor(options.notifications / accounts),
        kills: options.kills,
        random: Math.random,
        seconds: killSeconds,
      })
    : undefined
  if (kills) {
    faults.push(...kills.faults)
    print(reportKills(kills))
  }
  for (const fault of faults.slice(0, 20)) print(`fault: ${fault}`)
  return { loads, leases, kills, faults }
}

function reportLoads(loads: readonly LoadFigures[]): string {
  const rows = loads.map((load) => {
    const { title, measured, perSecond, lagMs, firstHalf, secondHalf, statements, cpuMs } = load
    return [
      title,
      ...[measured, perSecond, lagMs.p50, lagMs.p99, lagMs.worst, firstHalf.p99, secondHalf.p99].map(
        (figure) => figure.toFixed(0),
      ),
      statements.toFixed(2),
      cpuMs.toFixed(2),
    ]
  })
  const head = [
    'load',
    'arrived',
    'a second',
    'p50 ms',
    'p99 ms',
    'worst',
    '1st half',
    '2nd half',
    'SQL',
    'CPU ms',
  ]
  return `\nLag from commit to receiver (p99 also of each half), and the cost of a request\n${toTable(head, rows)}\n`
}

function reportLeases({ rows, idle }: LeaseResults): string {
  const head = ['a look', 'channels', 'p50 ms', 'p99 ms', 'SQL', 'leased']
  const lines = rows.map(({ title, channels, p50Ms, p99Ms, statements, leased }) => [
    title,
    `${channels}`,
    p50Ms.toFixed(2),
    p99Ms.toFixed(2),
    statements.toFixed(1),
    leased.toFixed(0),
  ])
  const quiet = `a process that finds nothing: ${idle.statements.toFixed(1)} statements and ${idle.cpuMs.toFixed(1)} ms of CPU a second`
  return `\n${toTable(head, lines)}\n${quiet}\n`
}

function reportKills(result: KillResult): string {
  const { states, requests, repeated, kills, seconds, hoursOfClock, faults } = result
  const ended = Object.entries(states).map(([state, count]) => `${count} ${state}`)
  return `\n${kills} kills: ${ended.join(', ')}; ${requests} requests, ${repeated} of them repeated; ${seconds.toFixed(0)} s for ${hoursOfClock.toFixed(1)} hours of the clock; ${faults.length} faults\n`
}
