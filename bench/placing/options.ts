import path from 'node:path'
import { parseArgs } from 'node:util'
import { cache, whole } from '../options.ts'

export interface PlacingOptions {
  traders: number
  orders: number
  home: string
  seconds: number
  rounds: number
  connections: number[]
  against: string | undefined
  fastify: boolean
  json: string
}

export const placingUsage = `usage: npm run bench -- orders [flags]

Submits signed orders to the program and to a minimal fastify handler that does the same work, in turns. Both read balances
and allowances from a local chain, and store the same rows in a database of their own on one server, durably.

  --traders N       accounts that hold and have approved what they sell (default 1000)
  --orders N        orders signed before the clock starts; a turn ends when they are used up (default 20000)
  --home DIR        folder of the embedded database, kept between runs (default bench/.cache/orders)
  --seconds N       length of a turn (default 5)
  --rounds N        turns of each system (default 3); the medians are told
  --connections A,B requests on their way at a time (default 10,50)
  --against DIR     another checkout of the program, measured in the same turns
  --no-fastify      leave the peer out
  --json FILE       where the figures go (default bench/results/orders.json)

The peer's packages are installed from npm into bench/.cache once.`

/** @throws with the fault */
export function readPlacingOptions(argv: readonly string[]): PlacingOptions {
  const { values } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      traders: { type: 'string', default: '1000' },
      orders: { type: 'string', default: '20000' },
      home: { type: 'string', default: path.join(cache, 'orders') },
      seconds: { type: 'string', default: '5' },
      rounds: { type: 'string', default: '3' },
      connections: { type: 'string', default: '10,50' },
      against: { type: 'string' },
      'no-fastify': { type: 'boolean', default: false },
      json: { type: 'string', default: path.join(import.meta.dirname, '..', 'results', 'orders.json') },
    },
  })
  return {
    traders: whole('traders', values.traders, 1, 100_000),
    orders: whole('orders', values.orders, 100, 1_000_000),
    home: values.home,
    seconds: whole('seconds', values.seconds, 1, 600),
    rounds: whole('rounds', values.rounds, 1, 100),
    connections: values.connections.split(',').map((text) => whole('connections', text, 1, 1_000)),
    against: values.against,
    fastify: !values['no-fastify'],
    json: values.json,
  }
}
