import path from 'node:path'
import { parseArgs } from 'node:util'
import { priceQualities } from '../../src/domain/quote/quote.ts'
import { cache, whole } from '../options.ts'

export interface QuotingOptions {
  pools: number
  pairs: number
  rate: number
  home: string
  seconds: number
  rounds: number
  connections: number[]
  qualities: string[]
  against: string | undefined
  profile: string | undefined
  json: string
}

export const quotingUsage = `usage: npm run bench -- quotes [flags]

Asks the program for quotes over REST: random pairs, sizes and sides, the same in every run. A local chain with many pools
and a block every second stands behind it. First paced, each quote timed from when it was due; then as fast as the
connections go; then counted, with a proxy before the node that tells how much of a quote's time is the node's.

  --pools N         pools on the chain (default 200)
  --pairs N         pairs of tokens that are asked about, 0 for all there are (default 300); each is asked about once before
                    the clock starts
  --rate N          quotes a second when they are paced (default 50)
  --home DIR        folder of the embedded database and the chain, kept between runs (default bench/.cache/quotes)
  --seconds N       length of a turn (default 10)
  --rounds N        turns of each system (default 3); the medians are told
  --connections A,B requests on their way at a time when they are not paced (default 1,10)
  --quality A,B     price qualities (default optimal,verified)
  --against DIR     another checkout of the program, measured in the same turns
  --profile DIR     a CPU profile of each process of the program; the figures are worse for it
  --json FILE       where the figures go (default bench/results/quotes.json)`

/** @throws with the fault */
export function readQuotingOptions(argv: readonly string[]): QuotingOptions {
  const { values } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      pools: { type: 'string', default: '200' },
      pairs: { type: 'string', default: '300' },
      rate: { type: 'string', default: '50' },
      home: { type: 'string', default: path.join(cache, 'quotes') },
      seconds: { type: 'string', default: '10' },
      rounds: { type: 'string', default: '3' },
      connections: { type: 'string', default: '1,10' },
      quality: { type: 'string', default: 'optimal,verified' },
      against: { type: 'string' },
      profile: { type: 'string' },
      json: { type: 'string', default: path.join(import.meta.dirname, '..', 'results', 'quotes.json') },
    },
  })
  const qualities = values.quality.split(',')
  const unknown = qualities.find((quality) => !priceQualities.some((known) => known === quality))
  if (unknown !== undefined) throw new Error(`--quality is of ${priceQualities.join(', ')}, not ${unknown}`)
  return {
    pools: whole('pools', values.pools, 10, 5_000),
    pairs: whole('pairs', values.pairs, 0, 1_000_000),
    rate: whole('rate', values.rate, 1, 10_000),
    home: values.home,
    seconds: whole('seconds', values.seconds, 1, 600),
    rounds: whole('rounds', values.rounds, 1, 100),
    connections: values.connections.split(',').map((text) => whole('connections', text, 1, 1_000)),
    qualities,
    against: values.against,
    profile: values.profile,
    json: values.json,
  }
}
