import { startApp } from '../app/app.ts'
import { roles } from '../app/chain/loops.ts'
import { readSettings } from '../app/config.ts'
import type { Settings } from '../app/settings.ts'
import { createRpc } from '../chain/rpc/rpc.ts'
import type { Clock, Log } from '../domain/log.ts'
import { isInUse } from './home/home.ts'
import { allowSolvers, type Market } from './market/market.ts'
import { startTraders } from './market/traders.ts'
import { watchParent } from './process/parent-watch.ts'
import { probePort } from './process/process.ts'
import { type Stack, startStack } from './stack.ts'

export interface DevOptions {
  home: string
  reset: boolean
  traders: boolean
  /** URLs of outside solvers, each of which gets an account of its own. */
  solvers: readonly string[]
  /** npm started this process: the stack ends when npm does. */
  byNpm: boolean
  settings: Settings
  version: string
  log: Log
  now: Clock
  random: () => number
  print(line: string): void
}

/** Half of the surplus, limited to 1 % of the volume, so that fees are visible. FEE_POLICIES replaces it. */
const standardPolicies = '[{"kind":"surplus","factor":0.5,"maxVolumeFactor":0.01}]'

/**
 * Runs the local stack until it is stopped. Ctrl-C and SIGTERM end the database and the chain too. After a
 * crash of this program or of one of them, the next start adopts the running ones.
 */
export async function runDev(options: DevOptions): Promise<void> {
  const { home, reset, log, now, random, print } = options
  const parent = options.byNpm ? watchParent() : undefined
  const { DATABASE_URL: databaseUrl, ANVIL: anvil } = options.settings
  if (!isInUse(home)) await checkPort(options.settings)
  const stack = await startStack({ home, reset, anvil, databaseUrl, log })
  let cleanUp: () => void | Promise<void> = stack.stop
  const unlessDied = async <T>(task: Promise<T>): Promise<T> => {
    const died = await Promise.race([stack.died, task.then(() => undefined)])
    if (died === undefined) return task
    cleanUp = stack.leave
    throw new Error(`${died}; start again to pick up where it was`)
  }
  try {
    const outside = toSources(options.solvers, stack.market)
    await allowSolvers(
      createRpc({ url: stack.rpcUrl, log }),
      stack.market.outsideSolvers.slice(0, outside.length),
    )
    // A free one is chosen here: the address of links and of sign-in contains it.
    const port = options.settings.PORT || (await probePort(0, options.settings.HOST))
    const settings = localSettings({ ...options.settings, PORT: port }, stack, outside)
    const starting = startApp({
      ...options,
      databaseUrl: stack.databaseUrl,
      networks: [{ network: stack.network, rpcUrl: stack.rpcUrl }],
      roles,
      settings,
      suggests: true,
      publicMetrics: true,
    })
    const app = await unlessDied(starting)
    const url = app.url ?? ''
    const traders = options.traders
      ? startTraders({ baseUrl: url, market: stack.market, log, now, random })
      : undefined
    stack.publish({ url, cmsKey: settings.CMS_API_KEY ?? stack.secrets.cmsKey })
    print(`ready ${url}/graphql (home ${home})`)
    await unlessDied(Promise.race([untilStopped(), ...(parent ? [parent.ended] : [])]))
    log.info('stopping')
    await traders?.stop()
    await app.close()
  } finally {
    parent?.stop()
    await cleanUp()
  }
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

function localSettings(
  settings: Settings,
  { solverKey, refundKey, secrets }: Pick<Stack, 'solverKey' | 'refundKey' | 'secrets'>,
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
    ...settings,
    SOLVERS: [...settings.SOLVERS, ...SOLVERS],
    CMS_ENABLED: settings.CMS_ENABLED ?? true,
    CMS_API_KEY: settings.CMS_API_KEY ?? secrets.cmsKey,
    CURRENT_AUCTION_ACCESS: settings.CURRENT_AUCTION_ACCESS ?? 'public',
    PUBLIC_URL: settings.PUBLIC_URL ?? `http://localhost:${settings.PORT}`,
    CHANNEL_ALLOWED_HOSTS: [...settings.CHANNEL_ALLOWED_HOSTS, 'localhost', '127.0.0.1'],
    ...(settings.VAPID_PUBLIC_KEY === undefined && {
      VAPID_PUBLIC_KEY: secrets.vapid.publicKey,
      VAPID_PRIVATE_KEY: secrets.vapid.privateKey,
      VAPID_SUBJECT: 'mailto:local@tradegraph.example',
    }),
    STATS_SOURCE: 'own',
    SOLVER_PRIVATE_KEY,
    REFUND_PRIVATE_KEY,
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
