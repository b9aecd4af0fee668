import path from 'node:path'
import { parseArgs } from 'node:util'
import { cache, whole } from '../options.ts'

export interface FeedOptions {
  /** The checkout under test. */
  source: string
  small: number
  large: number
  requests: number
  rounds: number
  seconds: number
  home: string
  json: string
}

export const feedUsage = `usage: npm run bench -- feed [flags]

Pages of a hundred of the feed of the book, and of orders and trades by their changes, from random places of a small feed and of a large
one in turns. Then the commits a second of transactions that write a trade and its event: without entries in feeds, with the entry of the
event, and with that of the trade too.

  --small N     events of the small feed (default 100000); a twentieth as many orders, and a tenth as many trades
  --large N     events of the large feed (default 10000000)
  --requests N  pages of each kind in a turn (default 500)
  --rounds N    turns of each feed (default 4)
  --seconds N   of each turn of commits (default 5)
  --source DIR  another checkout of the program
  --home DIR    folder of the embedded database, kept between runs (default bench/.cache/feed)
  --json FILE   where the figures go (default bench/results/feed.json)`

/** @throws with the fault */
export function readFeedOptions(argv: readonly string[]): FeedOptions {
  const { values } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      small: { type: 'string', default: '100000' },
      large: { type: 'string', default: '10000000' },
      requests: { type: 'string', default: '500' },
      rounds: { type: 'string', default: '4' },
      seconds: { type: 'string', default: '5' },
      source: { type: 'string', default: path.join(import.meta.dirname, '..', '..') },
      home: { type: 'string', default: path.join(cache, 'feed') },
      json: { type: 'string', default: path.join(import.meta.dirname, '..', 'results', 'feed.json') },
    },
  })
  return {
    source: path.resolve(values.source),
    small: whole('small', values.small, 10_000, 100_000_000),
    large: whole('large', values.large, 10_000, 100_000_000),
    requests: whole('requests', values.requests, 10, 100_000),
    rounds: whole('rounds', values.rounds, 1, 100),
    seconds: whole('seconds', values.seconds, 1, 600),
    home: values.home,
    json: values.json,
  }
}
