import path from 'node:path'
import { parseArgs } from 'node:util'
import { cache, type Options, whole } from '../options.ts'
import { networks } from './shape.ts'
import { type Phase, phases } from './world.ts'

export interface FollowOptions extends Pick<Options, 'home' | 'json'> {
  /** The duration under load, and that of each idle phase. */
  minutes: number
  idleMinutes: number
  networks: number
  orders: number
  fills: number
  callsPerMinute: number
  /** The phases that are measured. */
  only: readonly Phase[]
  /** The limit of the program's heap in MB. */
  heapMb: number | undefined
  /** The target of a CPU profile of the program. */
  profile: string | undefined
}

export const followUsage = `usage: npm run bench -- follow [flags]

Runs the program as one process that follows the order books of up to ${networks.length} networks, each with a scripted node and a
scripted order book that behave like the public ones in size and rate; these run in a process of their own. Three phases are
measured: blocks alone, fills and auctions, and a resting book. Per phase: memory and processor of the program's process,
statements and WAL for each block, and calls of order books; for fills, the time from their block to their events.

  --minutes N     duration of the load (default 10)
  --idle N        minutes of each phase without fills (default 3)
  --networks N    the first N of the networks (default ${networks.length})
  --orders N      live orders of the busiest network (default 2200); others have a share of them
  --fills N       fills a minute of the busiest network (default 30); others have a share of them
  --calls N       calls of an order book in a minute (default 100)
  --only A,B      of the phases ${phases.join(', ')}
  --heap MB       limit of the program's heap (default: Node's for this machine)
  --profile DIR   where a CPU profile of the program goes
  --home DIR      folder of the embedded database, kept between runs (default bench/.cache/follow)
  --json FILE     where the figures go (default bench/results/follow.json)`

/** @throws with the fault */
export function readFollowOptions(argv: readonly string[]): FollowOptions {
  const { values } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      minutes: { type: 'string', default: '10' },
      idle: { type: 'string', default: '3' },
      networks: { type: 'string', default: String(networks.length) },
      orders: { type: 'string', default: '2200' },
      fills: { type: 'string', default: '30' },
      calls: { type: 'string', default: '100' },
      only: { type: 'string', default: phases.join(',') },
      heap: { type: 'string' },
      profile: { type: 'string' },
      home: { type: 'string', default: path.join(cache, 'follow') },
      json: { type: 'string', default: path.join(import.meta.dirname, '..', 'results', 'follow.json') },
    },
  })
  return {
    minutes: whole('minutes', values.minutes, 1, 1_440),
    idleMinutes: whole('idle', values.idle, 1, 1_440),
    networks: whole('networks', values.networks, 1, networks.length),
    orders: whole('orders', values.orders, 1, 20_000),
    fills: whole('fills', values.fills, 1, 600),
    callsPerMinute: whole('calls', values.calls, 4, 1_000_000),
    only: values.only.split(',').map((text) => {
      const phase = phases.find((name) => name === text)
      if (!phase) throw new Error(`--only takes ${phases.join(', ')}`)
      return phase
    }),
    heapMb: values.heap === undefined ? undefined : whole('heap', values.heap, 100, 100_000),
    profile: values.profile,
    home: values.home,
    json: values.json,
  }
}
