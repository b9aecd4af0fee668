import path from 'node:path'
import { parseArgs } from 'node:util'
import { cache, whole } from '../options.ts'

const parts = ['rate', 'slow', 'lease', 'kill'] as const
export type ChannelPart = (typeof parts)[number]

export interface ChannelOptions {
  only: readonly ChannelPart[]
  notifications: number
  accounts: number
  /** The share of dead receivers, from 0 to 1. */
  dead: number
  perSecond: number
  seconds: number
  slow: number
  backlog: number
  kills: number
  home: string
  json: string
}

export const channelUsage = `usage: npm run bench -- channels [flags]

Notifications that are sent to webhooks, by processes of their own. Four parts:
  rate   notifications for many accounts, all at once and steadily: how many a second, how long from commit to receiver, what a message
         costs; then the same with a share of the receivers dead, half of which refuse and half of which never answer
  slow   receivers that take 2 to 9.9 s beside quick ones, and how long it takes to the quick ones
  lease  the cost of finding channels that are due, among many with a backlog: with none due, with all due, and while a process sends
  kill   receivers that take, refuse, answer late or not at all at random, and two processes that are killed at random: what arrived is
         compared with what was written

  --only LIST        of these parts, with commas between them
  --notifications N  of rate and kill (default 10000)
  --accounts N       of rate and kill (default 1000)
  --dead SHARE       of the receivers, in rate and lease (default 0.1)
  --rate N           notifications a second, where they come steadily (default 100)
  --seconds N        of each steady load (default 40); a part ends after ten minutes whatever is missing
  --slow N           slow receivers, beside as many quick ones (default 1000)
  --backlog N        channels in lease, with five notifications each (default 10000)
  --kills N          in kill (default 20)
  --home DIR         folder of the embedded database, kept between runs (default bench/.cache/channels)
  --json FILE        where the figures go (default bench/results/channels.json)`

/** @throws with the fault */
export function readChannelOptions(argv: readonly string[]): ChannelOptions {
  const { values } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      only: { type: 'string', default: parts.join() },
      notifications: { type: 'string', default: '10000' },
      accounts: { type: 'string', default: '1000' },
      dead: { type: 'string', default: '0.1' },
      rate: { type: 'string', default: '100' },
      seconds: { type: 'string', default: '40' },
      slow: { type: 'string', default: '1000' },
      backlog: { type: 'string', default: '10000' },
      kills: { type: 'string', default: '20' },
      home: { type: 'string', default: path.join(cache, 'channels') },
      json: { type: 'string', default: path.join(import.meta.dirname, '..', 'results', 'channels.json') },
    },
  })
  const only = values.only.split(',').map((name) => {
    const part = parts.find((known) => known === name)
    if (!part) throw new Error(`--only takes ${parts.join(', ')}`)
    return part
  })
  const dead = Number(values.dead)
  if (!(dead >= 0 && dead < 1)) throw new Error('--dead must be from 0 to below 1')
  const accounts = whole('accounts', values.accounts, 1, 100_000)
  return {
    only,
    accounts,
    notifications: whole('notifications', values.notifications, accounts, 1_000_000),
    dead,
    perSecond: whole('rate', values.rate, 1, 10_000),
    seconds: whole('seconds', values.seconds, 1, 300),
    slow: whole('slow', values.slow, 1, 10_000),
    backlog: whole('backlog', values.backlog, 100, 1_000_000),
    kills: whole('kills', values.kills, 0, 1_000),
    home: values.home,
    json: values.json,
  }
}
