import path from 'node:path'
import { parseArgs } from 'node:util'
import { cache, whole } from '../options.ts'

export interface SoakOptions {
  minutes: number
  everySeconds: number
  reads: number
  orders: number
  streams: number
  home: string
  json: string
}

export const soakUsage = `usage: npm run bench -- soak [flags]

Runs the whole program over a real EVM under a steady load: traders place orders that are quoted, settled and notified,
clients read orders, reports and lists, and streams stay open, some of which leave and come back. Told is how much memory,
handles, connections, statements, and tables with their dead rows grow in an hour, by the slope of the second half.

  --minutes N   duration (default 60)
  --every N     seconds between two samples (default 10)
  --reads N     requests a second (default 100)
  --orders N    orders a minute (default 60)
  --streams N   open streams (default 200)
  --home DIR    folder of the embedded database, kept between runs (default bench/.cache/soak)
  --json FILE   where samples and slopes go (default bench/results/soak.json)`

/** @throws with the fault */
export function readSoakOptions(argv: readonly string[]): SoakOptions {
  const { values } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      minutes: { type: 'string', default: '60' },
      every: { type: 'string', default: '10' },
      reads: { type: 'string', default: '100' },
      orders: { type: 'string', default: '60' },
      streams: { type: 'string', default: '200' },
      home: { type: 'string', default: path.join(cache, 'soak') },
      json: { type: 'string', default: path.join(import.meta.dirname, '..', 'results', 'soak.json') },
    },
  })
  return {
    minutes: whole('minutes', values.minutes, 1, 1_440),
    everySeconds: whole('every', values.every, 1, 600),
    reads: whole('reads', values.reads, 1, 10_000),
    orders: whole('orders', values.orders, 1, 6_000),
    streams: whole('streams', values.streams, 0, 10_000),
    home: values.home,
    json: values.json,
  }
}
