import { type Role, roles } from '../chain/loops.ts'
import { describeSettings, nearestName } from '../config.ts'

export const usage = `usage: tradegraph <command> [flags]

  dev       everything on this machine: database, chain with a market, service, traders
  serve     GraphQL, REST and event streams
  index     follow the chains
  auction   run the auctions
  deliver   send notifications to channels
  all       serve, index, auction and deliver in one process
  doctor              look at everything that a process needs, and say what to do; changes nothing
  migrate             change the database to what this version needs, and end
  auction export ID   print what outside solvers were sent about an auction
  vapid-keys          print a new pair of keys for web push, as settings
  explain UID         print why an order is not filled, and what happened to it
  explain ERROR       print what an error means, such as InsufficientAllowance, and what to do; asks no service
  watch UID|ACCOUNT   print what happens to an order until it has ended, or to the orders of an account
  import              store orders of an order book that a network follows; the same command again goes on
  accounting          print the accounts of solvers as CSV, for auctions whose deadline is in a range of blocks
  allowances list     print the rights over the settlement contract's tokens that it gave to others and that exist
  allowances revoke   say how they would be ended, and with --yes end them in settlements of the built-in solver

flags of dev
  --port N        port of the service, 0 for any free one (default 4000)
  --home DIR      folder of everything it keeps (default .tradegraph)
  --reset         empty the home first
  --no-traders    no account trades by itself
  --solver URL    an outside solver that takes part in auctions; up to six times
  --follow URL    follow this order book instead, of another Tradegraph or with its network in the path; no
                  chain and no traders (default home .tradegraph-follower, and another port if 4000 is taken)
  --rpc URL       the node of the followed network (default: that of the followed system of --home, else
                  http://127.0.0.1:8545)
  --wrapped-native A   the wrapped coin of the followed network, where its chain is not known

flags of migrate
  --dry-run       change nothing, and print what would run

flags of accounting
  --from BLOCK    the first block
  --to BLOCK      the last block (default: the last that the indexer has passed)
  --network NAME  may be left out where there is only one

flags of import
  --network NAME          may be left out where only one follows an order book
  --account A             the orders of this account; may be repeated
  --uid U                 this order; may be repeated
  --from-block X          the orders of trades in blocks X to Y, with --to-block
  --to-block Y
  --all                   the whole list of an account again, not only what is new
  --calls-per-minute N    calls to the order book, 0 without a limit (default: as the network)

flags of allowances
  --network NAME  may be left out where there is only one, and to list all
  --token T       only those of this contract, or on this token
  --spender S     only those of this account
  --json          one JSON object a line, to list
  --yes           send the settlements, to revoke

flags of explain and watch
  --url URL       base URL of the service (default: the local system of --home, else http://127.0.0.1:4000)
  --json          one JSON object a line
  --timeout N     seconds for an answer, 1 to 600 (default 10)
  --after CURSOR  watch goes on behind it: each JSON line has one

flags of doctor
  --json          one JSON object

exit codes
  0  done, or stopped by a signal
  1  failed; the service refuses; doctor found a fault; a right could not be ended
  2  a fault of the command, its flags or the settings
  3  of explain and watch: there is no such order
  4  of explain and watch: the service is away; of import: the node, the order book or the database

settings, from the environment [default]
${describeSettings()}`

/** Commands that run roles. */
export const commands: Record<string, readonly Role[]> = {
  serve: ['serve'],
  index: ['index'],
  auction: ['auction'],
  deliver: ['deliver'],
  all: roles,
}

const otherCommands = [
  'dev',
  'doctor',
  'migrate',
  'auction export',
  'vapid-keys',
  'import',
  'accounting',
  'allowances list',
  'allowances revoke',
  'explain',
  'watch',
]

export function unknownCommand(positionals: readonly string[]): string {
  const given = positionals.join(' ')
  if (given === '') return usage
  const meant = nearestName(given, [...Object.keys(commands), ...otherCommands])
  const hint = meant === undefined ? '`tradegraph --help` lists the commands' : `did you mean \`${meant}\`?`
  return `tradegraph: there is no command \`${given}\`: ${hint}`
}

/** Flags of all commands. */
export const flags = {
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
  port: { type: 'string' },
  home: { type: 'string', default: '.tradegraph' },
  reset: { type: 'boolean', default: false },
  'no-traders': { type: 'boolean', default: false },
  follow: { type: 'string' },
  rpc: { type: 'string' },
  'wrapped-native': { type: 'string' },
  solver: { type: 'string', multiple: true, default: [] as string[] },
  'dry-run': { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  from: { type: 'string' },
  to: { type: 'string' },
  network: { type: 'string' },
  url: { type: 'string' },
  timeout: { type: 'string', default: '10' },
  after: { type: 'string' },
  token: { type: 'string' },
  spender: { type: 'string' },
  yes: { type: 'boolean', default: false },
  account: { type: 'string', multiple: true, default: [] as string[] },
  uid: { type: 'string', multiple: true, default: [] as string[] },
  'from-block': { type: 'string' },
  'to-block': { type: 'string' },
  all: { type: 'boolean', default: false },
  'calls-per-minute': { type: 'string' },
} as const

/** A fault with the nearest flag. */
export function flagFault({ message }: Error): string {
  const given = /'--([\w-]+)'/.exec(message)?.[1]
  const meant = given === undefined ? undefined : nearestName(given, Object.keys(flags))
  const fault = message.split('. ')[0]
  return `tradegraph: ${fault}${meant === undefined ? '' : `: did you mean --${meant}?`}`
}
