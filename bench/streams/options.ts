import path from 'node:path'
import { parseArgs } from 'node:util'
import { cache, whole } from '../options.ts'

export const scenarioNames = ['one', 'many', 'book', 'idle', 'storm', 'stalled', 'exact'] as const
export type ScenarioName = (typeof scenarioNames)[number]

export interface StreamOptions {
  scenarios: ScenarioName[]
  /** The checkout under test. */
  source: string
  seconds: number
  rounds: number
  loads: { streams: number; rate: number }[]
  peers: string[]
  bookStreams: number
  idle: number[]
  stalledSeconds: number
  events: number
  home: string
  profile: string | undefined
  json: string
}

export const peerNames = ['shared-buffer', 'graphql-sse', 'yoga'] as const

export const streamUsage = `usage: npm run bench -- streams [flags]

Event streams of the program beside a hand-written node:http server that shares one buffer an event, graphql-sse and GraphQL Yoga. A
process of its own makes the events: it gives the peers their bytes over a socket, and commits the program's into a database. Two more
processes read all streams, and check that no event is lost or repeated. Everybody reads one clock.

  one      streams of one account, at each of --loads, in turns
  many     1,000 accounts that share 200 events a second
  book     events of all orders: streams of 100 filters with 100 events a second, and a tenth as many without a filter
  idle     streams that get nothing: CPU, statements and memory
  storm    1,000 readers come back at once, each 50 events behind; first to one account, then to an account each
  stalled  ten readers stop reading at 100 events/s of 32 KiB
  exact    1,000 readers of ten accounts that are cut by chance and resume, over two processes that are killed in turns

  --only A,B          of these (default all)
  --source DIR        another checkout of the program
  --loads AxB,…       of one: streams x events a second (default 1000x20,5000x5)
  --peers A,B         of ${peerNames.join(', ')} (default all)
  --seconds N         length of a turn (default 5)
  --rounds N          turns of each system (default 3); the medians are told
  --book-streams N    of book (default 10000)
  --idle A,B          of idle: numbers of streams, ascending (default 1000,5000,10000,19500)
  --stalled-seconds N of stalled: how long events are made (default 40)
  --events N          of exact: events in all (default 10000)
  --home DIR          folder of the embedded database, kept between runs (default bench/.cache/streams)
  --profile DIR       a CPU profile of the program; the figures are worse for it
  --json FILE         where the figures go (default bench/results/streams.json)`

/** @throws with the fault */
export function readStreamOptions(argv: readonly string[]): StreamOptions {
  const { values } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      only: { type: 'string', default: scenarioNames.join(',') },
      source: { type: 'string', default: path.join(import.meta.dirname, '..', '..') },
      loads: { type: 'string', default: '1000x20,5000x5' },
      peers: { type: 'string', default: peerNames.join(',') },
      seconds: { type: 'string', default: '5' },
      rounds: { type: 'string', default: '3' },
      'book-streams': { type: 'string', default: '10000' },
      idle: { type: 'string', default: '1000,5000,10000,19500' },
      'stalled-seconds': { type: 'string', default: '40' },
      events: { type: 'string', default: '10000' },
      home: { type: 'string', default: path.join(cache, 'streams') },
      profile: { type: 'string' },
      json: { type: 'string', default: path.join(import.meta.dirname, '..', 'results', 'streams.json') },
    },
  })
  const named = values.only.split(',')
  const unknown = named.find((name) => !scenarioNames.some((known) => known === name))
  if (unknown) throw new Error(`--only takes ${scenarioNames.join(', ')}, not ${unknown}`)
  return {
    scenarios: scenarioNames.filter((name) => named.includes(name)),
    source: path.resolve(values.source),
    seconds: whole('seconds', values.seconds, 1, 600),
    rounds: whole('rounds', values.rounds, 1, 100),
    loads: values.loads.split(',').map((load) => {
      const [streams = '', rate = ''] = load.split('x')
      return { streams: whole('loads', streams, 1, 100_000), rate: whole('loads', rate, 1, 10_000) }
    }),
    peers: values.peers.split(',').filter(Boolean),
    bookStreams: whole('book-streams', values['book-streams'], 100, 19_500),
    idle: values.idle.split(',').map((text) => whole('idle', text, 1, 100_000)),
    stalledSeconds: whole('stalled-seconds', values['stalled-seconds'], 1, 600),
    events: whole('events', values.events, 100, 1_000_000),
    home: values.home,
    profile: values.profile,
    json: values.json,
  }
}
