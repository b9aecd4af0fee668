import path from 'node:path'
import { parseArgs } from 'node:util'
import { leastOrders, shape } from './database/shape.ts'

export interface Options {
  orders: number
  fresh: boolean
  home: string
  seconds: number
  rounds: number
  connections: number
  only: string[] | undefined
  against: string | undefined
  postgraphile: boolean
  json: string
  databaseUrl: string | undefined
}

export const cache = path.join(import.meta.dirname, '.cache')

export const usage = `usage: npm run bench -- debug [flags]

Fills a database, starts the program and its peers over it, and measures them in turns.

  --orders N        orders in the database (default 100000, at least ${leastOrders}); each with ${shape.auctions} auctions
  --fresh           fill anew
  --home DIR        folder of the embedded database, kept between runs (default bench/.cache/home)
  --seconds N       length of a turn (default 5)
  --rounds N        turns of each system (default 3); the medians are told
  --connections N   requests on their way at a time (default 10)
  --only A,B        of the workloads debug, order, account, account-orders
  --against DIR     another checkout of the program, measured in the same turns
  --no-postgraphile leave PostGraphile out
  --json FILE       where the figures go (default bench/results/<suite>-<orders>.json)

DATABASE_URL names another PostgreSQL: an empty database, or one that the bench filled and may fill anew. SQL is counted
if it loads pg_stat_statements. PostGraphile and a Node of its own are installed from npm into bench/.cache once.`

/** @throws with the fault, or with the usage */
export function readOptions(argv: readonly string[], environment: NodeJS.ProcessEnv): Options | 'help' {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      help: { type: 'boolean', short: 'h' },
      orders: { type: 'string', default: '100000' },
      fresh: { type: 'boolean', default: false },
      home: { type: 'string', default: path.join(cache, 'home') },
      seconds: { type: 'string', default: '5' },
      rounds: { type: 'string', default: '3' },
      connections: { type: 'string', default: '10' },
      only: { type: 'string' },
      against: { type: 'string' },
      'no-postgraphile': { type: 'boolean', default: false },
      json: { type: 'string' },
    },
  })
  if (values.help) return 'help'
  if (positionals.length !== 1 || positionals[0] !== 'debug')
    throw new Error('usage: npm run bench -- debug|orders|quotes|tokens [flags]; --help lists them')
  const orders = whole('orders', values.orders, leastOrders, 10_000_000)
  return {
    // Whole groups only.
    orders: Math.ceil(orders / shape.groupSize) * shape.groupSize,
    fresh: values.fresh,
    home: values.home,
    seconds: whole('seconds', values.seconds, 1, 600),
    rounds: whole('rounds', values.rounds, 1, 100),
    connections: whole('connections', values.connections, 1, 1_000),
    only: values.only?.split(','),
    against: values.against,
    postgraphile: !values['no-postgraphile'],
    json: values.json ?? path.join(import.meta.dirname, 'results', `debug-${orders}.json`),
    databaseUrl: environment.DATABASE_URL || undefined,
  }
}

export function whole(name: string, text: string, least: number, most: number): number {
  const value = Number(text)
  if (Number.isInteger(value) && value >= least && value <= most) return value
  throw new Error(`--${name} must be a whole number from ${least} to ${most}`)
}
