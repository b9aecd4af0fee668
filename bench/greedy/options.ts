import path from 'node:path'
import { parseArgs } from 'node:util'
import { leastOrders, shape } from '../database/shape.ts'
import { cache, type Options, whole } from '../options.ts'
import { kindNames } from './kinds.ts'

export interface GreedyOptions extends Pick<Options, 'orders' | 'fresh' | 'home' | 'databaseUrl' | 'json'> {
  /** The checkout under test. */
  source: string
  seconds: number
  rounds: number
  /** Requests per second of the modest client. */
  rate: number
  /** Connections of the greedy client. */
  connections: number
  only: string[] | undefined
}

export const greedyUsage = `usage: npm run bench -- greedy [flags]

Measures a client that reads one order at a modest pace: alone, and beside a client at another address that asks for as much as its
limit lets through, one kind of request at a time. The program has its usual limits. Kinds of the node, of which the other client asks
for five verified quotes a second, run over a local chain.

  --orders N        orders in the database (default 20000, at least ${leastOrders})
  --fresh           fill anew
  --home DIR        folder of the embedded database, kept between runs (default bench/.cache/home)
  --seconds N       length of a turn (default 5)
  --rounds N        turns of each kind, alone and beside (default 3); the medians are told
  --rate N          requests a second of the modest client (default 40)
  --connections N   connections of the greedy client (default 4)
  --only A,B        of the kinds ${kindNames.join(', ')}
  --source DIR      another checkout of the program
  --json FILE       where the figures go (default bench/results/greedy.json)`

/** @throws with the fault */
export function readGreedyOptions(argv: readonly string[], environment: NodeJS.ProcessEnv): GreedyOptions {
  const { values } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      orders: { type: 'string', default: '20000' },
      fresh: { type: 'boolean', default: false },
      home: { type: 'string', default: path.join(cache, 'home') },
      seconds: { type: 'string', default: '5' },
      rounds: { type: 'string', default: '3' },
      rate: { type: 'string', default: '40' },
      connections: { type: 'string', default: '4' },
      only: { type: 'string' },
      source: { type: 'string', default: path.join(import.meta.dirname, '..', '..') },
      json: { type: 'string', default: path.join(import.meta.dirname, '..', 'results', 'greedy.json') },
    },
  })
  const orders = whole('orders', values.orders, leastOrders, 10_000_000)
  return {
    orders: Math.ceil(orders / shape.groupSize) * shape.groupSize,
    fresh: values.fresh,
    home: values.home,
    databaseUrl: environment.DATABASE_URL || undefined,
    seconds: whole('seconds', values.seconds, 1, 120),
    rounds: whole('rounds', values.rounds, 1, 20),
    rate: whole('rate', values.rate, 1, 50),
    connections: whole('connections', values.connections, 1, 50),
    only: values.only?.split(','),
    source: path.resolve(values.source),
    json: values.json,
  }
}
