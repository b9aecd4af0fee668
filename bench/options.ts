import path from 'node:path'
import { parseArgs } from 'node:util'
import { leastOrders, shape } from './database/shape.ts'

/** Suites that share a database and their flags. */
export const readSuites = ['debug', 'documents', 'month', 'burst'] as const

export interface Options {
  suite: (typeof readSuites)[number]
  orders: number
  brief: number
  subjects: 'whole' | 'all'
  fresh: boolean
  home: string
  seconds: number
  rounds: number
  connections: number
  only: string[] | undefined
  against: string | undefined
  mirrored: boolean
  postgraphile: boolean
  auctions: number
  page: number
  json: string
  databaseUrl: string | undefined
}

export const cache = path.join(import.meta.dirname, '.cache')

export const usage = `usage: npm run bench -- debug|documents|month|burst [flags]

Fills a database, starts the program and its peers over it, and measures them in turns: the nested reads (debug), or
documents of many shapes (documents). month reads one order that was in very many auctions, first page by first page and
all pages in a row. burst sends 500 reads at once, to the program and to a bare handler over one statement in turns.

  --orders N        orders in the database (default 100000, at least ${leastOrders}); each with ${shape.auctions} auctions
  --brief N         further orders, with an event or two each (default 0)
  --subjects whole|all  orders that are asked for: with the full story, or of all (default whole)
  --fresh           fill anew
  --home DIR        folder of the embedded database, kept between runs (default bench/.cache/home)
  --seconds N       length of a turn (default 5)
  --rounds N        turns of each system (default 3; bursts 20); the medians are told
  --connections N   requests on their way at a time (default 10; of burst 500)
  --only A,B        of the workloads debug, order, diagnosis, account, account-orders; or of the documents by name
  --against DIR     another checkout of the program, measured in the same turns
  --mirrored        of documents: the program over the same rows, as a network that follows an order book holds them
  --no-postgraphile leave PostGraphile out
  --auctions N      of month: those of its order (default 216000, an auction every 12 s for 30 days)
  --page N          of month: items of a page in the walk (default 1000)
  --json FILE       where the figures go (default bench/results/<suite>-<size>.json)

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
      brief: { type: 'string', default: '0' },
      subjects: { type: 'string', default: 'whole' },
      fresh: { type: 'boolean', default: false },
      home: { type: 'string', default: path.join(cache, 'home') },
      seconds: { type: 'string', default: '5' },
      rounds: { type: 'string' },
      connections: { type: 'string' },
      only: { type: 'string' },
      against: { type: 'string' },
      mirrored: { type: 'boolean', default: false },
      'no-postgraphile': { type: 'boolean', default: false },
      auctions: { type: 'string', default: '216000' },
      page: { type: 'string', default: '1000' },
      json: { type: 'string' },
    },
  })
  if (values.help) return 'help'
  const suite = readSuites.find((name) => name === positionals[0])
  if (positionals.length !== 1 || !suite)
    throw new Error(
      'usage: npm run bench -- debug|documents|month|burst|orders|quotes|tokens|greedy|auctions|competition|streams|feed|programmatic|balances|channels|backfill|follow|soak|cluster|processes [flags]; --help lists them',
    )
  const orders = whole('orders', values.orders, leastOrders, 10_000_000)
  const auctions = whole('auctions', values.auctions, 1_000, 1_000_000)
  if (values.mirrored && (suite !== 'documents' || values.against !== undefined))
    throw new Error('--mirrored goes with documents, and without --against')
  const subjects = (['whole', 'all'] as const).find((name) => name === values.subjects)
  if (!subjects) throw new Error('--subjects must be whole or all')
  return {
    suite,
    // The number is rounded up to whole groups.
    orders: Math.ceil(orders / shape.groupSize) * shape.groupSize,
    brief: whole('brief', values.brief, 0, 100_000_000),
    subjects,
    fresh: values.fresh,
    home: values.home,
    seconds: whole('seconds', values.seconds, 1, 600),
    rounds: whole('rounds', values.rounds ?? (suite === 'burst' ? '20' : '3'), 1, 100),
    connections: whole('connections', values.connections ?? (suite === 'burst' ? '500' : '10'), 1, 1_000),
    only: values.only?.split(','),
    against: values.against,
    mirrored: values.mirrored,
    postgraphile: !values['no-postgraphile'],
    auctions,
    page: whole('page', values.page, 1, 1_000),
    json:
      values.json ??
      path.join(import.meta.dirname, 'results', `${suite}-${suite === 'month' ? auctions : orders}.json`),
    databaseUrl: environment.DATABASE_URL || undefined,
  }
}

export function whole(name: string, text: string, least: number, most: number): number {
  const value = Number(text)
  if (Number.isInteger(value) && value >= least && value <= most) return value
  throw new Error(`--${name} must be a whole number from ${least} to ${most}`)
}
