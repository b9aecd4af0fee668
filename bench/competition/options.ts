import path from 'node:path'
import { parseArgs } from 'node:util'
import { cache, whole } from '../options.ts'
import { type Field, fields } from './stand.ts'

export interface CompetitionOptions {
  orders: number
  seconds: number
  fields: Field[]
  races: boolean
  home: string
  json: string
}

export const competitionUsage = `usage: npm run bench -- competition [flags]

Places mixed orders on a local stack: sales and purchases, of every signing scheme, in parts or whole, of native coins, on chain, with partner
fees, too dear, cancelled. First the built-in solver is alone, then the example of an engine and a driver compete, then engines that mean harm do too:
one lies, one takes what the settlement contract has, one hangs, one sends 50 MB. Checks who wins (computed again from what is stored), that
nothing of the bad ones settles and each can read why, that the contract has what it had and the fees told, and that every order
ends as it should; and tells how long auctions take. Fails where something does not hold.

  --orders N        orders in each run (default 200)
  --seconds N       in which they are placed (default 30)
  --fields A,B      of alone, good, all (default all three, in this order)
  --races           the one that takes also tries what was left since its answer
  --home DIR        folder of the embedded database and the chain, kept between runs (default bench/.cache/competition)
  --json FILE       where the figures go (default bench/results/competition.json)`

/** @throws with the fault */
export function readCompetitionOptions(argv: readonly string[]): CompetitionOptions {
  const { values } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      orders: { type: 'string', default: '200' },
      seconds: { type: 'string', default: '30' },
      fields: { type: 'string', default: Object.keys(fields).join() },
      races: { type: 'boolean', default: false },
      home: { type: 'string', default: path.join(cache, 'competition') },
      json: { type: 'string' },
    },
  })
  return {
    orders: whole('orders', values.orders, 20, 2_000),
    seconds: whole('seconds', values.seconds, 5, 600),
    fields: values.fields.split(',').map(readField),
    races: values.races,
    home: values.home,
    json: values.json ?? path.join(import.meta.dirname, '..', 'results', 'competition.json'),
  }
}

function readField(name: string): Field {
  const names = Object.keys(fields) as Field[]
  const field = names.find((known) => known === name)
  if (!field) throw new Error(`--fields must be some of ${names.join(', ')}`)
  return field
}
