import { join } from 'node:path'
import { type App, startApp } from '../app/app.ts'
import { roles } from '../app/chain/loops.ts'
import { type NetworkConfig, readSettings } from '../app/config.ts'
import { createTextLog, secretsIn } from '../app/observing/log.ts'
import type { Settings } from '../app/settings.ts'
import { createRpc } from '../chain/rpc/rpc.ts'
import type { Clock, Log } from '../domain/log.ts'
import { withoutSecrets } from '../domain/text/secrets.ts'
import { type FollowFlags, findOrderBook } from './follow.ts'
import { isInUse } from './home/home.ts'
import { type Account, allowSolvers, type Market } from './market/market.ts'
import { startTraders, tradingAccounts } from './market/traders.ts'
import { placeWaitingOrders } from './market/waiting-orders.ts'
import { watchParent } from './process/parent-watch.ts'
import { freePort, probePort } from './process/process.ts'
import { type Stack, type Store, startStack, startStore } from './stack.ts'

interface DevOptions {
  home: string
  reset: boolean
  traders: boolean
  /** URLs of outside solvers, each of which gets an account of its own. */
  solvers: readonly string[]
  /** The order book to follow; if absent, the stack has a chain and an order book of its own. */
  follow?: FollowFlags | undefined
  /** The operator named the port: no other is taken. */
  isPortNamed: boolean
  /** Settings that the operator named. */
  named: ReadonlySet<string>
  /** npm started this process: the stack ends when npm does. */
  byNpm: boolean
  settings: Settings
  version: string
  /** Logs JSON. */
  log: Log
  now: Clock
  random: () => number
  print(line: string): void
}

/** Half of the surplus, limited to 1 % of the volume, so that fees are visible. FEE_POLICIES replaces it. */
const standardPolicies = '[{"kind":"surplus","factor":0.5,"maxVolumeFactor":0.01}]'

/** Settings that have no effect here: the local system replaces them, or has no use for them. */
const ignored = [
  'NETWORKS_FILE',
  'PROFILE',
  'SOLVER_PRIVATE_KEY',
  'REFUND_PRIVATE_KEY',
  'STATS_SOURCE',
] as const
const ignoredByFollower = ['NETWORKS_FILE', 'SOLVER_PRIVATE_KEY', 'REFUND_PRIVATE_KEY', 'ANVIL'] as const

/**
 * Runs the local stack until it is stopped. Ctrl-C and SIGTERM end the database and the chain too. After a
 * crash of this program or of one of them, the next start adopts the running ones.
 */
export async function runDev(given: DevOptions): Promise<void> {
  const { LOG_FORMAT, LOG_LEVEL } = given.settings
  const log =
    LOG_FORMAT === 'json' ? given.log : createTextLog(LOG_LEVEL, secretsIn([given.settings, given.follow]))
  await runStack({ ...given, log })
}

async function runStack(options: DevOptions): Promise<void> {
  const { home, settings: given, follow, log, print } = options
  log.info(`starting the local ${follow ? 'follower' : 'system'} in ${home}`)
  for (const name of follow ? ignoredByFollower : ignored)
    if (options.named.has(name))
      log.warn(`${name} is ignored: the local ${follow ? 'follower' : 'system'} has its own`)
  const parent = options.byNpm ? watchParent() : undefined
  const followed = follow && (await findOrderBook(follow, given.PROFILE, log))
  const port = isInUse(home) ? given.PORT : await choosePort(options)
  const { stack, rpcUrl, accounts, start } = await (followed
    ? startFollowing(followed, options)
    : startOwn(options))
  let cleanUp: () => void | Promise<void> = stack.stop
  const unlessDied = async <T>(task: Promise<T>): Promise<T> => {
    const died = await Promise.race([stack.died, task.then(() => undefined)])
    if (died === undefined) return task
    cleanUp = stack.leave
    throw new Error(`${died}; start again to pick up where it was`)
  }
  try {
    const { app, settings, stopTraders } = await unlessDied(start(port))
    const url = app.url ?? ''
    stack.publish({ url, cmsKey: settings.CMS_API_KEY ?? stack.secrets.cmsKey })
    const seconds = (performance.now() / 1_000).toFixed(1)
    print(`ready ${url} after ${seconds} s`)
    for (const [what, at] of placesOf(url, accounts, options)) print(`  ${what.padEnd(14)}${at}`)
    if (rpcUrl !== undefined) print(`  ${'chain'.padEnd(14)}${rpcUrl}`)
    if (followed) {
      const [book, node] = [followed.orderBook?.url ?? '', follow.rpcUrl].map(withoutSecrets)
      print(`It follows ${book} over the node ${node}.`)
    } else print(`Keys of the test accounts, tokens and URLs are in ${join(home, 'dev.json')}.`)
    print('Ctrl-C stops it; the same command continues, and with --reset it starts empty.')
    await unlessDied(Promise.race([untilStopped(), ...(parent ? [parent.ended] : [])]))
    log.info('stopping')
    await stopTraders?.()
    await app.close()
  } finally {
    parent?.stop()
    await cleanUp()
  }
}

/** Names and addresses of pages for people. */
function placesOf(
  url: string,
  accounts: readonly Account[],
  { traders }: Pick<DevOptions, 'traders'>,
): [what: string, at: string][] {
  const note = (index: number) => (traders && tradingAccounts.includes(index) ? '  trades by itself' : '')
  return [
    ['home page', `${url}/`],
    ['GraphiQL', `${url}/graphql`],
    ['REST viewer', `${url}/docs`],
    ...accounts.map(({ address }, index): [string, string] => [
      `account ${index}`,
      `${url}/accounts/${address}${note(index)}`,
    ]),
  ]
}

/** The programs over a started stack. */
interface System {
  stack: Store
  /** URL of the local chain. */
  rpcUrl?: string
  /** Accounts for tests. */
  accounts: readonly Account[]
  start(port: number): Promise<{ app: App; settings: Settings; stopTraders?: () => Promise<void> }>
}

/** Starts a chain with an order book of its own. */
async function startOwn(options: DevOptions): Promise<System> {
  const { home, reset, log, now, random, print } = options
  const { DATABASE_URL: databaseUrl, ANVIL: anvil } = options.settings
  const stack = await startStack({ home, reset, anvil, databaseUrl, log })
  const { market, rpcUrl, network } = stack
  return {
    stack,
    rpcUrl,
    accounts: market.accounts,
    async start(port) {
      const outside = toSources(options.solvers, market)
      const rpc = createRpc({ url: rpcUrl, log })
      await allowSolvers(rpc, market.outsideSolvers.slice(0, outside.length))
      const settings = tradingSettings({ ...options.settings, PORT: port }, stack, outside)
      const app = await startApp({
        ...options,
        databaseUrl: stack.databaseUrl,
        networks: [{ network, rpcUrl }],
        roles,
        settings,
        suggests: true,
        publicMetrics: true,
      })
      if (!options.traders) return { app, settings }
      const baseUrl = app.url ?? ''
      const traders = startTraders({
        baseUrl,
        market,
        log,
        now,
        random,
        onFirstTrade: ({ uid, text }) => print(`First trade: ${text}\n  ${baseUrl}/orders/${uid}`),
      })
      const stopping = new AbortController()
      const waiting = placeWaitingOrders({ baseUrl, market, rpc, now }, stopping.signal).then(
        (orders) => {
          const lines = orders.map(({ what, path }) => `  ${`for ${what}`.padEnd(24)}${baseUrl}${path}`)
          print(['Orders that wait:', ...lines].join('\n'))
        },
        (cause) => {
          if (!stopping.signal.aborted)
            log.warn('the orders that wait were not placed', { cause: String(cause) })
        },
      )
      const stopTraders = async () => {
        stopping.abort()
        await Promise.all([traders.stop(), waiting])
      }
      return { app, settings, stopTraders }
    },
  }
}

/** Starts a database for an order book that runs elsewhere. */
async function startFollowing(followed: NetworkConfig, options: DevOptions): Promise<System> {
  const { home, reset, log } = options
  const { network, rpcUrl } = followed
  const databaseUrl = options.settings.DATABASE_URL
  const stack = await startStore({ home, reset, databaseUrl, log }, { network, rpcUrl: String(rpcUrl) })
  return {
    stack,
    accounts: [],
    async start(port) {
      const settings = localSettings({ ...options.settings, PORT: port }, stack)
      const app = await startApp({
        ...options,
        databaseUrl: stack.databaseUrl,
        networks: [followed],
        settings,
        roles: ['serve', 'index', 'deliver'],
        suggests: true,
        publicMetrics: true,
      })
      return { app, settings }
    },
  }
}

/**
 * Returns a free port: the address of links and of sign-in contains it. One that follows an order book often
 * runs next to it, and takes the next one if nobody named it.
 */
async function choosePort({ settings, follow, isPortNamed }: DevOptions): Promise<number> {
  const { HOST, PORT } = settings
  if (PORT === 0) return probePort(0, HOST)
  if (follow && !isPortNamed) return probePort(PORT, HOST).catch(() => freePort(PORT + 1))
  await checkPort(settings)
  return PORT
}

/**
 * Checks the port first, because a used one is the most likely fault. Skipped while the home has a running
 * owner, which holds the port until it ends.
 */
async function checkPort({ HOST, PORT }: Settings): Promise<void> {
  await probePort(PORT, HOST).catch(({ code }: NodeJS.ErrnoException) => {
    if (code === 'EADDRINUSE') throw new Error(`port ${PORT} is in use: choose another with --port`)
    throw new Error(`the service cannot listen on ${HOST}, port ${PORT} (${code})`)
  })
}

function toSources(urls: readonly string[], { outsideSolvers }: Market): object[] {
  if (urls.length > outsideSolvers.length)
    throw new Error(`the local chain has accounts for ${outsideSolvers.length} solvers`)
  return urls.map((url, index) => ({
    kind: 'engine',
    name: `solver-${index + 1}`,
    url,
    privateKey: outsideSolvers[index]?.privateKey,
  }))
}

function tradingSettings(
  settings: Settings,
  { solverKey, refundKey, ...store }: Pick<Stack, 'solverKey' | 'refundKey' | 'secrets'>,
  outside: readonly object[],
): Settings {
  const { FEE_POLICIES } = readSettings({ FEE_POLICIES: standardPolicies })
  const { SOLVER_PRIVATE_KEY, REFUND_PRIVATE_KEY } = readSettings({
    SOLVER_PRIVATE_KEY: solverKey,
    REFUND_PRIVATE_KEY: refundKey,
  })
  const { SOLVERS } = readSettings({ SOLVERS: JSON.stringify(outside) })
  return {
    FEE_POLICIES,
    ...localSettings(settings, store),
    SOLVERS: [...settings.SOLVERS, ...SOLVERS],
    STATS_SOURCE: 'own',
    SOLVER_PRIVATE_KEY,
    REFUND_PRIVATE_KEY,
  }
}

/** Hosts by which only this machine reaches the service. */
const loopbackHosts = ['localhost', '127.0.0.1', '[::1]']

function localSettings(settings: Settings, { secrets }: Pick<Store, 'secrets'>): Settings {
  return {
    ...settings,
    CMS_ENABLED: settings.CMS_ENABLED ?? true,
    CMS_API_KEY: settings.CMS_API_KEY ?? secrets.cmsKey,
    CURRENT_AUCTION_ACCESS: settings.CURRENT_AUCTION_ACCESS ?? 'public',
    BOOK_FEED_ACCESS: settings.BOOK_FEED_ACCESS ?? 'public',
    PUBLIC_URL: settings.PUBLIC_URL ?? `http://localhost:${settings.PORT}`,
    MCP_HOSTS: settings.MCP_HOSTS.length > 0 ? settings.MCP_HOSTS : loopbackHosts,
    CHANNEL_ALLOWED_HOSTS: [...settings.CHANNEL_ALLOWED_HOSTS, 'localhost', '127.0.0.1'],
    ...(settings.VAPID_PUBLIC_KEY === undefined && {
      VAPID_PUBLIC_KEY: secrets.vapid.publicKey,
      VAPID_PRIVATE_KEY: secrets.vapid.privateKey,
      VAPID_SUBJECT: 'mailto:local@tradegraph.example',
    }),
  }
}

function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    process
      .once('SIGINT', () => resolve())
      .once('SIGTERM', () => resolve())
      .once('SIGHUP', () => resolve())
  })
}
