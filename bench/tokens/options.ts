import path from 'node:path'
import { parseArgs } from 'node:util'
import { cache, whole } from '../options.ts'

export interface TokenOptions {
  home: string
  seconds: number
  rounds: number
  connections: number[]
  profile: string | undefined
  json: string
}

export const tokenUsage = `usage: npm run bench -- tokens [flags]

Asks for the price of a token and for its hundred top holders, both in the program's memory, and asks a bare node:http handler in a
process of its own for the same bodies, in turns. The price comes from pools on a local chain, the holders from a made-up provider.

  --home DIR        folder of the embedded database and the chain, kept between runs (default bench/.cache/tokens)
  --seconds N       length of a turn (default 5)
  --rounds N        turns of each system (default 3); the medians are told
  --connections A,B requests on their way at a time (default 1,10)
  --profile DIR     a CPU profile of the program's process; the figures are worse for it
  --json FILE       where the figures go (default bench/results/tokens.json)`

/** @throws with the fault */
export function readTokenOptions(argv: readonly string[]): TokenOptions {
  const { values } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      home: { type: 'string', default: path.join(cache, 'tokens') },
      seconds: { type: 'string', default: '5' },
      rounds: { type: 'string', default: '3' },
      connections: { type: 'string', default: '1,10' },
      profile: { type: 'string' },
      json: { type: 'string', default: path.join(import.meta.dirname, '..', 'results', 'tokens.json') },
    },
  })
  return {
    home: values.home,
    seconds: whole('seconds', values.seconds, 1, 600),
    rounds: whole('rounds', values.rounds, 1, 100),
    connections: values.connections.split(',').map((text) => whole('connections', text, 1, 1_000)),
    profile: values.profile,
    json: values.json,
  }
}
