import path from 'node:path'
import { parseArgs } from 'node:util'
import { cache, whole } from '../options.ts'

export const clusterParts = ['restarts', 'kills', 'redis', 'replica', 'switch'] as const

export interface ClusterOptions {
  only: (typeof clusterParts)[number][]
  restarts: number
  rate: number
  streams: number
  orders: number
  killMinutes: number
  lagSeconds: number
  home: string
  json: string
}

export const clusterUsage = `usage: npm run bench -- cluster [flags]

Three serve, two auction, two index and one deliver behind HAProxy, over PgBouncer in transaction mode, with a replica of
PostgreSQL and Redis, while requests come at a steady rate, orders are placed and settled, streams and webhooks are fed.
Every process is restarted in turn; then one at a time is killed at random; Redis is killed for 20 s; the replica stands
still; the replica takes the place of the database. Told is what clients saw, and each stream, each webhook and the chain
are compared with the database. HAProxy, PgBouncer and Redis are found in the PATH or where Debian has them. LOG_LEVEL sets
what the processes log (silent).

  --only A,B        of ${clusterParts.join(', ')}
  --restarts N      of each process (default 10)
  --rate N          requests a second (default 200)
  --streams N       open streams (default 500)
  --orders N        orders a minute (default 60)
  --kill-minutes N  for so long processes are killed (default 10)
  --lag-seconds N   for so long the replica stands still (default 120)
  --home DIR        folder of the chain (default bench/.cache/cluster)
  --json FILE       where the figures go (default bench/results/cluster.json)`

/** @throws with the fault */
export function readClusterOptions(argv: readonly string[]): ClusterOptions {
  const { values } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      only: { type: 'string' },
      restarts: { type: 'string', default: '10' },
      rate: { type: 'string', default: '200' },
      streams: { type: 'string', default: '500' },
      orders: { type: 'string', default: '60' },
      'kill-minutes': { type: 'string', default: '10' },
      'lag-seconds': { type: 'string', default: '120' },
      home: { type: 'string', default: path.join(cache, 'cluster') },
      json: { type: 'string', default: path.join(import.meta.dirname, '..', 'results', 'cluster.json') },
    },
  })
  const only = values.only?.split(',') ?? clusterParts
  return {
    only: clusterParts.filter((part) => only.includes(part)),
    restarts: whole('restarts', values.restarts, 1, 100),
    rate: whole('rate', values.rate, 1, 10_000),
    streams: whole('streams', values.streams, 1, 10_000),
    orders: whole('orders', values.orders, 1, 6_000),
    killMinutes: whole('kill-minutes', values['kill-minutes'], 1, 1_440),
    lagSeconds: whole('lag-seconds', values['lag-seconds'], 1, 3_600),
    home: values.home,
    json: values.json,
  }
}
