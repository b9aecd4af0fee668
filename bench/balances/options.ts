import path from 'node:path'
import { parseArgs } from 'node:util'
import { cache, whole } from '../options.ts'

export interface BalanceOptions {
  /** The checkout under test. */
  source: string
  watchers: number
  accounts: number
  blocks: number
  changes: number
  awaySeconds: number
  home: string
  profile: string | undefined
  json: string
}

export const balanceUsage = `usage: npm run bench -- balances [flags]

Watchers of balances over a real EVM: each has an event stream of the chain's own coin and four tokens of one account. A block each
second changes some balances. Told are the requests to the node, the statements and the CPU of a block, without watchers and with them,
and how long an update takes from its block to its watcher. Then the node is away for a while in which blocks come; in the end what each
watcher knows is compared with what was sent.

  --watchers N   event streams (default 10000)
  --accounts N   that they watch (default 1000)
  --blocks N     that are measured (default 30)
  --changes N    balances that a block changes (default 50)
  --away N       seconds (default 20)
  --source DIR   another checkout of the program
  --home DIR     folder of the embedded database, kept between runs (default bench/.cache/balances)
  --profile DIR  a CPU profile of the program; the figures are worse for it
  --json FILE    where the figures go (default bench/results/balances.json)`

/** @throws with the fault */
export function readBalanceOptions(argv: readonly string[]): BalanceOptions {
  const { values } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      watchers: { type: 'string', default: '10000' },
      accounts: { type: 'string', default: '1000' },
      blocks: { type: 'string', default: '30' },
      changes: { type: 'string', default: '50' },
      away: { type: 'string', default: '20' },
      source: { type: 'string', default: path.join(import.meta.dirname, '..', '..') },
      home: { type: 'string', default: path.join(cache, 'balances') },
      profile: { type: 'string' },
      json: { type: 'string', default: path.join(import.meta.dirname, '..', 'results', 'balances.json') },
    },
  })
  return {
    source: path.resolve(values.source),
    watchers: whole('watchers', values.watchers, 1, 100_000),
    accounts: whole('accounts', values.accounts, 1, 10_000),
    blocks: whole('blocks', values.blocks, 1, 1_000),
    changes: whole('changes', values.changes, 1, 1_000),
    awaySeconds: whole('away', values.away, 1, 600),
    home: values.home,
    profile: values.profile,
    json: values.json,
  }
}
