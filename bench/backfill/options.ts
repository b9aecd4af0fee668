import path from 'node:path'
import { parseArgs } from 'node:util'
import { cache, type Options, whole } from '../options.ts'

export const systemNames = ['indexer', 'follower', 'import', 'ponder'] as const
export type SystemName = (typeof systemNames)[number]

export interface BackfillOptions extends Pick<Options, 'home' | 'json'> {
  orders: number
  rounds: number
  kills: number
  only: readonly SystemName[]
  /** The target of CPU profiles of our processes. */
  profile: string | undefined
}

export const backfillUsage = `usage: npm run bench -- backfill [flags]

Indexes a chain of old trades, one for each order, in turns, each in an empty database: with the indexer alone; with a
follower, which also mirrors the orders of an order book that has no limit; with tradegraph import, which reads them by their
trades; and with Ponder. The follower and the import are killed (-9) and started again; at the end their rows are compared
with the orders. Rates are orders (so also trades) in a second, from the first start on.

  --orders N        orders (default 100000); they are signed once and kept in bench/.cache
  --rounds N        turns of each system (default 1); the medians are told
  --kills N         kills of the follower and of the import (default 5)
  --only A,B        of ${systemNames.join(', ')}
  --profile DIR     where CPU profiles of our processes go; without kills
  --home DIR        folder of the embedded database (default bench/.cache/home)
  --json FILE       where the figures go (default bench/results/backfill.json)

Ponder and a Node of its own are installed from npm into bench/.cache once.`

/** @throws with the fault */
export function readBackfillOptions(argv: readonly string[]): BackfillOptions {
  const { values } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      orders: { type: 'string', default: '100000' },
      rounds: { type: 'string', default: '1' },
      kills: { type: 'string', default: '5' },
      only: { type: 'string', default: systemNames.join(',') },
      profile: { type: 'string' },
      home: { type: 'string', default: path.join(cache, 'home') },
      json: { type: 'string', default: path.join(import.meta.dirname, '..', 'results', 'backfill.json') },
    },
  })
  return {
    orders: whole('orders', values.orders, 100, 10_000_000),
    rounds: whole('rounds', values.rounds, 1, 100),
    kills: values.profile === undefined ? whole('kills', values.kills, 0, 100) : 0,
    only: values.only.split(',').map((text) => {
      const name = systemNames.find((name) => name === text)
      if (!name) throw new Error(`--only takes ${systemNames.join(', ')}`)
      return name
    }),
    profile: values.profile,
    home: values.home,
    json: values.json,
  }
}
