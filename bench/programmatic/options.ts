import path from 'node:path'
import { parseArgs } from 'node:util'
import { cache, whole } from '../options.ts'

export interface ProgrammaticOptions {
  /** The checkout under test. */
  source: string
  small: number
  large: number
  requests: number
  rounds: number
  only: string | undefined
  fresh: boolean
  home: string
  json: string
}

export const programmaticUsage = `usage: npm run bench -- programmatic [flags]

Lists and details of programmatic orders, those of the schema for the SDK, and the statements of their looks and polls, over few of
them and over many in turns. Each TWAP has ten parts. Of twenty programmatic orders ten have ended with ten orders in the book, six
are in their fifth part, two are scheduled, one is removed after five orders, and one has a handler that is not known, and is due.
One owner has a tenth of all, and others twenty each.

  --small N     programmatic orders of the small database (default 1000)
  --large N     programmatic orders of the large database (default 100000)
  --requests N  requests of each kind in a turn (default 100)
  --rounds N    turns of each database (default 3)
  --only TEXT   only measures with this in their names
  --fresh       fill anew
  --source DIR  another checkout of the program
  --home DIR    folder of the embedded database, kept between runs (default bench/.cache/programmatic)
  --json FILE   where the figures go (default bench/results/programmatic.json)`

/** @throws with the fault */
export function readProgrammaticOptions(argv: readonly string[]): ProgrammaticOptions {
  const { values } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      small: { type: 'string', default: '1000' },
      large: { type: 'string', default: '100000' },
      requests: { type: 'string', default: '100' },
      rounds: { type: 'string', default: '3' },
      only: { type: 'string' },
      fresh: { type: 'boolean', default: false },
      source: { type: 'string', default: path.join(import.meta.dirname, '..', '..') },
      home: { type: 'string', default: path.join(cache, 'programmatic') },
      json: { type: 'string', default: path.join(import.meta.dirname, '..', 'results', 'programmatic.json') },
    },
  })
  return {
    source: path.resolve(values.source),
    small: whole('small', values.small, 1_000, 1_000_000),
    large: whole('large', values.large, 1_000, 1_000_000),
    requests: whole('requests', values.requests, 10, 100_000),
    rounds: whole('rounds', values.rounds, 1, 100),
    only: values.only,
    fresh: values.fresh,
    home: values.home,
    json: values.json,
  }
}
