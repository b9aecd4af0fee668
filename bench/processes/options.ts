import path from 'node:path'
import { parseArgs } from 'node:util'
import { leastOrders, shape } from '../database/shape.ts'
import { cache, type Options, whole } from '../options.ts'

export interface ProcessesOptions
  extends Pick<Options, 'orders' | 'fresh' | 'home' | 'databaseUrl' | 'json'> {
  seconds: number
  rounds: number
  connections: number
  /** The numbers of processes to measure. */
  processes: number[]
}

export const processesUsage = `usage: npm run bench -- processes [flags]

Reads orders from one, two and four processes over one database, each with the limits of clients: counted by each process alone, and
shared over Redis. Program, database and load share the machine's cores: compare the CPU of a request, and the shared row with the
one above it.

  --orders N        orders in the database (default 20000, at least ${leastOrders})
  --fresh           fill anew
  --processes A,B   numbers of processes (default 1,2,4)
  --connections N   requests on their way at a time, of clients that ask each process (default 24)
  --seconds N       length of a turn (default 5)
  --rounds N        turns of each row (default 5); the medians are told
  --home DIR        folder of the embedded database, kept between runs (default bench/.cache/home)
  --json FILE       where the figures go (default bench/results/processes.json)

Redis is found in the PATH.`

/** @throws with the fault */
export function readProcessesOptions(
  argv: readonly string[],
  environment: NodeJS.ProcessEnv,
): ProcessesOptions {
  const { values } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      orders: { type: 'string', default: '20000' },
      fresh: { type: 'boolean', default: false },
      processes: { type: 'string', default: '1,2,4' },
      connections: { type: 'string', default: '24' },
      seconds: { type: 'string', default: '5' },
      rounds: { type: 'string', default: '5' },
      home: { type: 'string', default: path.join(cache, 'home') },
      json: { type: 'string', default: path.join(import.meta.dirname, '..', 'results', 'processes.json') },
    },
  })
  const orders = whole('orders', values.orders, leastOrders, 10_000_000)
  return {
    orders: Math.ceil(orders / shape.groupSize) * shape.groupSize,
    fresh: values.fresh,
    home: values.home,
    databaseUrl: environment.DATABASE_URL || undefined,
    processes: values.processes.split(',').map((text) => whole('processes', text, 1, 16)),
    connections: whole('connections', values.connections, 1, 200),
    seconds: whole('seconds', values.seconds, 1, 600),
    rounds: whole('rounds', values.rounds, 1, 100),
    json: values.json,
  }
}
