import type { Settings } from '../settings.ts'

/** A flag: a switch, unless it takes a value. */
interface Flag {
  says: string
  /** Placeholder of the value. */
  takes?: string
  standard?: string
  /** May be repeated. */
  many?: true
  completes?: 'file' | 'folder'
}

export interface CommandEntry {
  group: Group
  /** Operands, as in `<uid>`; `[x]` may be left out, `...` takes several. */
  arguments?: string
  summary: string
  flags: Readonly<Record<string, Flag>>
  /** Settings that it reads from the environment. */
  settings: 'all' | readonly (keyof Settings)[]
  /** Settings that have to be set. */
  needs?: readonly (keyof Settings)[]
  /** Meaning of exit codes that differ from those of all commands. */
  exits?: Readonly<Partial<Record<number, string>>>
  completes?: 'file' | readonly string[]
}

export const groups = ['Run', 'Trade', 'Operate', 'This program'] as const
type Group = (typeof groups)[number]

/** Meaning of exit codes, unless a command has another. */
export const exitMeanings: Readonly<Record<number, string>> = {
  0: 'done',
  1: 'failed',
  2: 'a fault of the command, its flags or the settings',
  130: 'interrupted by Ctrl-C before it was done',
}

const untilStopped = { 0: 'stopped by Ctrl-C or SIGTERM', 130: undefined }
const ofService = {
  1: 'the service refuses, or another fault',
  3: 'there is no such order',
  4: 'the service is away, slow, answers something else or limits requests',
}
const ofTrade = { 1: ofService[1], 4: ofService[4] }

const port = { takes: 'n', says: 'port of the service, 0 for any free one (default 4000)' } as const
const home = {
  takes: 'folder',
  standard: '.tradegraph',
  says: 'folder of the local system',
  completes: 'folder',
} as const
const service = {
  url: {
    takes: 'url',
    says: 'base URL of the service (default: TRADEGRAPH_URL, the local system of --home, or http://127.0.0.1:4000)',
  },
  timeout: { takes: 'seconds', standard: '10', says: 'time for an answer, 1 to 600' },
  home,
} as const
const jsonLines = { says: 'one JSON object a line' } as const
const onlyNetwork = { takes: 'name', says: 'may be left out where there is only one' } as const
const ofRights = {
  network: { takes: 'name', says: 'may be left out where there is only one, and to list all' },
  token: { takes: 'address', says: 'only those of this contract, or on this token' },
  spender: { takes: 'address', says: 'only those of this account' },
  home,
} as const
const signing = {
  'key-file': {
    takes: 'file',
    says: 'file with the private key, which only you may read (default: a hidden prompt)',
    completes: 'file',
  },
  yes: { says: 'sign without asking' },
} as const
const database = ['DATABASE_URL', 'DATABASE_DIRECT_URL'] as const
const ofClient = ['TRADEGRAPH_URL'] as const
const ofSigner = ['NETWORKS_FILE', 'PROFILE'] as const
const ofTrader = [...ofClient, ...ofSigner] as const

/** Every command: the parser, help, completion and docs/reference/commands.md derive from it. */
export const catalogue = {
  dev: {
    group: 'Run',
    summary: 'everything on this machine: database, chain, market, service, traders',
    flags: {
      port,
      home: { ...home, says: 'folder of everything it keeps' },
      reset: { says: 'empty the home first' },
      'no-traders': { says: 'no account trades by itself' },
      solver: {
        takes: 'url',
        many: true,
        says: 'an outside solver that takes part in auctions; up to six times',
      },
      follow: {
        takes: 'url',
        says: 'follow this order book instead, of another Tradegraph or with its network in the path; no chain and no traders (default home .tradegraph-follower, and another port if 4000 is taken)',
      },
      rpc: {
        takes: 'url',
        says: 'the node of the followed network (default: that of the followed system of --home, or http://127.0.0.1:8545)',
      },
      'wrapped-native': {
        takes: 'address',
        says: 'the wrapped coin of the followed network, where its chain is not known',
      },
    },
    settings: 'all',
    exits: untilStopped,
  },
  serve: {
    group: 'Run',
    summary: 'GraphQL, REST and event streams',
    flags: { port },
    settings: 'all',
    needs: ['DATABASE_URL', 'NETWORKS_FILE'],
    exits: untilStopped,
  },
  index: {
    group: 'Run',
    summary: 'follow the chains',
    flags: { port },
    settings: 'all',
    needs: ['DATABASE_URL', 'NETWORKS_FILE'],
    exits: untilStopped,
  },
  auction: {
    group: 'Run',
    summary: 'run the auctions',
    flags: { port },
    settings: 'all',
    needs: ['DATABASE_URL', 'NETWORKS_FILE', 'SOLVER_PRIVATE_KEY'],
    exits: untilStopped,
  },
  tower: {
    group: 'Run',
    summary: 'place the parts of programmatic orders',
    flags: { port },
    settings: 'all',
    needs: ['DATABASE_URL', 'NETWORKS_FILE'],
    exits: untilStopped,
  },
  deliver: {
    group: 'Run',
    summary: 'send notifications to channels',
    flags: { port },
    settings: 'all',
    needs: ['DATABASE_URL', 'NETWORKS_FILE'],
    exits: untilStopped,
  },
  all: {
    group: 'Run',
    summary: 'serve, index, auction, tower and deliver in one process',
    flags: { port },
    settings: 'all',
    needs: ['DATABASE_URL', 'NETWORKS_FILE', 'SOLVER_PRIVATE_KEY'],
    exits: untilStopped,
  },
  quote: {
    group: 'Trade',
    summary: 'quote an order, and print it as a file to sign',
    flags: {
      sell: {
        takes: 'token',
        says: 'the token to sell: its address, or its symbol in the pools of the network, without pools of the tokens that the service has read',
      },
      buy: { takes: 'token', says: 'the token to buy' },
      amount: { takes: 'n', says: 'sell exactly this, in whole tokens such as 1.5' },
      'buy-amount': { takes: 'n', says: 'buy exactly this instead' },
      limit: {
        takes: 'n',
        says: 'accept at least this, or at most, instead of the quote with its slippage',
      },
      from: { takes: 'address', says: 'the owner of the order, who signs it' },
      receiver: { takes: 'address', says: 'who gets the buy tokens (default: the owner)' },
      slippage: {
        takes: 'percent',
        says: 'accepted move of the price, such as 0.5, or auto by the volatility of the market (default: 0.5)',
      },
      'valid-for': { takes: 'seconds', standard: '1800', says: 'time until the order expires' },
      network: onlyNetwork,
      ...service,
    },
    settings: ofTrader,
    exits: ofTrade,
  },
  sign: {
    group: 'Trade',
    arguments: '[file]',
    summary: 'show an order of `quote`, sign it, and print it as a file to submit',
    flags: {
      ...signing,
      'accept-impact': { says: 'sign although the quote gives much less than the market price' },
      rpc: {
        takes: 'url',
        says: 'the node that chain id, contracts and decimals are compared with (default: that of the network in NETWORKS_FILE)',
      },
    },
    settings: ofSigner,
    exits: { 1: 'not signed: refused, expired, or not the key of the owner', 4: 'the node is away' },
    completes: 'file',
  },
  submit: {
    group: 'Trade',
    arguments: '[file]',
    summary: 'place a signed order, and print its UID',
    flags: service,
    settings: ofTrader,
    exits: ofTrade,
    completes: 'file',
  },
  cancel: {
    group: 'Trade',
    arguments: '<uid...>',
    summary: 'cancel orders of one owner, all or none, with a signature',
    flags: { ...signing, ...service },
    settings: ofTrader,
    exits: ofService,
  },
  verify: {
    group: 'Trade',
    arguments: '<uid>',
    summary: 'check digest, signature and status of an order against the chain',
    flags: {
      rpc: {
        takes: 'url',
        says: 'the node to ask (default: that of the network in NETWORKS_FILE, or of the local system if that is the service)',
      },
      json: { says: 'one JSON object' },
      ...service,
    },
    settings: ofTrader,
    exits: {
      ...ofService,
      1: 'a check failed, or the service refuses',
      4: 'the service or the node is away',
    },
  },
  explain: {
    group: 'Trade',
    arguments: '<uid|text...>',
    summary: 'print why an order is not filled, or what an error, a code or a word means',
    flags: { json: jsonLines, ...service },
    settings: ofClient,
    exits: ofService,
  },
  watch: {
    group: 'Trade',
    arguments: '<uid|account>',
    summary: 'print what happens to an order until it ends, or to those of an account',
    flags: {
      json: jsonLines,
      after: { takes: 'cursor', says: 'go on behind it: each JSON line has one' },
      ...service,
    },
    settings: ofClient,
    exits: { ...ofService, 0: 'the order has ended, or Ctrl-C', 4: undefined, 130: undefined },
  },
  export: {
    group: 'Trade',
    summary: 'write the feed of the book to files; the same command again goes on',
    flags: {
      out: { takes: 'folder', says: 'folder of the files, of one export only', completes: 'folder' },
      format: { takes: 'format', standard: 'jsonl', says: 'jsonl or parquet' },
      after: {
        takes: 'cursor',
        says: 'begin behind it, or at the earliest event that is kept (default: behind the newest file, else earliest)',
      },
      network: onlyNetwork,
      label: { takes: 'label', many: true, says: 'only events of this type; may be repeated' },
      owner: { takes: 'address', many: true, says: 'only orders of this account; may be repeated' },
      token: { takes: 'address', many: true, says: 'only orders that sell or buy it; may be repeated' },
      'app-code': { takes: 'text', many: true, says: 'only orders of this app; may be repeated' },
      referrer: { takes: 'code', many: true, says: 'only orders with this referrer; may be repeated' },
      class: { takes: 'class', many: true, says: 'only orders of this class; may be repeated' },
      kind: { takes: 'kind', many: true, says: 'only orders of this kind; may be repeated' },
      rows: { takes: 'n', standard: '100000', says: 'events of a file, up to 1000000' },
      follow: { says: 'go on at the newest event' },
      every: { takes: 'seconds', standard: '60', says: 'time between two looks with --follow' },
      'skip-gap': { says: 'go on behind events that are no longer kept' },
      key: {
        takes: 'key',
        says: 'key of the service (default: TRADEGRAPH_KEY, which other users of the machine cannot see)',
      },
      ...service,
    },
    settings: ['TRADEGRAPH_URL', 'TRADEGRAPH_KEY'],
    exits: {
      0: 'the newest event is written, or Ctrl-C with --follow',
      1: 'the service refuses, or another fault',
      4: ofService[4],
      5: 'events behind the cursor are no longer kept; the message names the place to go on from',
    },
  },
  mcp: {
    group: 'Trade',
    summary: 'serve tools to an agent over stdio, by the Model Context Protocol',
    flags: service,
    settings: ofClient,
    exits: { 0: 'the agent closed the input', 3: undefined, 4: undefined },
  },
  doctor: {
    group: 'Operate',
    summary: 'check everything that a process needs; changes nothing',
    flags: { json: { says: 'one JSON object' } },
    settings: 'all',
    exits: { 1: 'it found a fault' },
  },
  migrate: {
    group: 'Operate',
    summary: 'change the database to what this version needs, and end',
    flags: { 'dry-run': { says: 'change nothing, and print what would run' }, home },
    settings: database,
  },
  import: {
    group: 'Operate',
    summary: 'store orders of a followed order book; the same command again goes on',
    flags: {
      network: { takes: 'name', says: 'may be left out where only one follows an order book' },
      account: { takes: 'address', many: true, says: 'the orders of this account; may be repeated' },
      uid: { takes: 'uid', many: true, says: 'this order; may be repeated' },
      'from-block': { takes: 'block', says: 'the orders of trades from this block to --to-block' },
      'to-block': { takes: 'block', says: 'the last block' },
      all: { says: 'the whole list of an account again, not only what is new' },
      'calls-per-minute': {
        takes: 'n',
        says: 'calls to the order book, 0 without a limit (default: as the network)',
      },
    },
    settings: 'all',
    needs: ['DATABASE_URL', 'NETWORKS_FILE'],
    exits: { 4: 'the node, the order book or the database is away' },
  },
  accounting: {
    group: 'Operate',
    summary: 'print the accounts of solvers in a range of blocks as CSV',
    flags: {
      from: { takes: 'block', says: 'the first block' },
      to: { takes: 'block', says: 'the last block (default: the last that the indexer has passed)' },
      network: onlyNetwork,
      home,
    },
    settings: database,
  },
  'allowances list': {
    group: 'Operate',
    summary: 'print rights over tokens that the settlement contract gave to others',
    flags: { json: jsonLines, ...ofRights },
    settings: ['NETWORKS_FILE', 'PROFILE', ...database],
    needs: ['NETWORKS_FILE'],
  },
  'allowances revoke': {
    group: 'Operate',
    summary: 'say how such rights would be ended, and with --yes end them',
    flags: { yes: { says: 'send the settlements' }, ...ofRights },
    settings: [
      ...(['NETWORKS_FILE', 'PROFILE', 'SOLVER_PRIVATE_KEY', 'SETTLEMENT_MAX_GAS'] as const),
      ...(['SETTLEMENT_MAX_GAS_PRICE', ...database] as const),
    ],
    needs: ['NETWORKS_FILE', 'SOLVER_PRIVATE_KEY'],
    exits: { 1: 'a right could not be ended' },
  },
  'auction export': {
    group: 'Operate',
    arguments: '<id>',
    summary: 'print what outside solvers were sent about an auction',
    flags: { home },
    settings: database,
  },
  'vapid-keys': {
    group: 'Operate',
    summary: 'print a new pair of keys for web push, as settings',
    flags: {},
    settings: [],
  },
  completion: {
    group: 'This program',
    arguments: '<shell>',
    summary: 'print the completion for bash, zsh or fish',
    flags: {},
    settings: [],
    completes: ['bash', 'zsh', 'fish'],
  },
  help: {
    group: 'This program',
    arguments: '[command...]',
    summary: 'list the commands, describe one, or list all `settings`',
    flags: {},
    settings: [],
  },
} as const satisfies Record<string, CommandEntry>

export type CommandName = keyof typeof catalogue

export const entries: readonly (readonly [string, CommandEntry])[] = Object.entries(catalogue)

type ValueOf<F extends Flag> = F extends { takes: string }
  ? F extends { many: true }
    ? readonly string[]
    : F extends { standard: string }
      ? string
      : string | undefined
  : boolean

type FlagsOf<Entry extends CommandEntry> = {
  -readonly [Name in keyof Entry['flags']]: ValueOf<Entry['flags'][Name] & Flag>
}

/** Functions of the program, by command. */
export type Handlers = {
  [Name in CommandName]: (
    flags: FlagsOf<(typeof catalogue)[Name]>,
    given: readonly string[],
  ) => Promise<void> | void
}
