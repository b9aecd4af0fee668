import type { Log } from '../domain/log.ts'
import type { Network } from '../domain/network/network.ts'
import { type DevChain, startChain } from './chain/chain.ts'
import { startDatabase } from './database/database.ts'
import { type DevManifest, type Home, type HomeSecrets, openHome } from './home/home.ts'
import { buildMarket, isMarketCurrent } from './market/build.ts'
import { describeMarket, type Market } from './market/market.ts'
import { watchProcesses } from './process/process.ts'

/** A database in a home. */
export interface Store {
  databaseUrl: string
  secrets: HomeSecrets
  /** Writes `dev.json`: everything is up and the service listens at `url`. */
  publish(service: { url: string; cmsKey: string }): void
  /** Resolves to the name of a process that ended by itself. Call `leave` then. */
  died: Promise<string>
  /** Releases the home. Its processes keep running, and the next program adopts them. */
  leave(): void
  /** Ends database and chain, and releases the home. */
  stop(): Promise<void>
}

/** A database, and a chain with a market. */
export interface Stack extends Store {
  rpcUrl: string
  network: Network
  solverKey: string
  refundKey: string
  market: Market
}

interface StackOptions {
  /** Path of the folder. */
  home: string
  /** Empties the folder first. An outside database is not touched. */
  reset: boolean
  /** Path of anvil, if one is configured. */
  anvil?: string | undefined
  /** An outside database; without it, one is started in the home. */
  databaseUrl?: string | undefined
  log: Log
}

/** Starts the processes for the service: a database, and a chain with a market. */
export async function startStack({
  home: path,
  reset,
  anvil,
  databaseUrl,
  log,
}: StackOptions): Promise<Stack> {
  const home = await openHome({ path, reset, log })
  const services = await Promise.allSettled([
    databaseUrl ? undefined : startDatabase({ home: home.path, log }),
    startMarketChain(home, anvil, log),
  ])
  const end = async (): Promise<void> => {
    try {
      await Promise.all(services.map((service) => service.status === 'fulfilled' && service.value?.stop()))
    } finally {
      home.release()
    }
  }
  const [database, chain] = services
  if (database.status === 'rejected' || chain.status === 'rejected') {
    await end()
    throw [database, chain].find((service) => service.status === 'rejected')?.reason
  }
  const market = describeMarket()
  const addresses = { databaseUrl: database.value?.url ?? databaseUrl ?? '', rpcUrl: chain.value.rpcUrl }
  const watch = watchProcesses({
    'the local chain': chain.value,
    ...(database.value && { 'the local database': database.value }),
  })
  return {
    ...addresses,
    network: market.network,
    solverKey: market.solver.privateKey,
    refundKey: market.refunder.privateKey,
    secrets: home.secrets,
    market,
    publish: (service) => home.publish(toManifest(service, addresses, market)),
    died: watch.died,
    leave() {
      watch.stop()
      home.release()
    },
    async stop() {
      watch.stop()
      await end()
    },
  }
}

/** Starts a database for a service that follows an order book over the node at `rpcUrl`. */
export async function startStore(
  { home: path, reset, databaseUrl, log }: Omit<StackOptions, 'anvil'>,
  { network, rpcUrl }: { network: Network; rpcUrl: string },
): Promise<Store> {
  const home = await openHome({ path, reset, log })
  const database = await (databaseUrl ? undefined : startDatabase({ home: home.path, log }))?.catch(
    (fault) => {
      home.release()
      throw fault
    },
  )
  const url = database?.url ?? databaseUrl ?? ''
  const watch = watchProcesses(database ? { 'the local database': database } : {})
  return {
    databaseUrl: url,
    secrets: home.secrets,
    publish: (service) =>
      home.publish(toManifest(service, { databaseUrl: url, rpcUrl }, { network, tokens: {}, accounts: [] })),
    died: watch.died,
    leave() {
      watch.stop()
      home.release()
    },
    async stop() {
      watch.stop()
      try {
        await database?.stop()
      } finally {
        home.release()
      }
    },
  }
}

async function startMarketChain(home: Home, anvil: string | undefined, log: Log): Promise<DevChain> {
  const prepare = async (rpcUrl: string): Promise<void> => {
    await buildMarket(rpcUrl, log)
  }
  const chain = await startChain({ home: home.path, anvil, log, prepare })
  if (await isMarketCurrent(chain.rpcUrl, log)) return chain
  await chain.stop()
  throw new Error(`The chain in ${home.path} was built by another version: start again with --reset.`)
}

function toManifest(
  { url, cmsKey }: { url: string; cmsKey: string },
  addresses: { rpcUrl: string; databaseUrl: string },
  market: Pick<DevManifest, 'tokens' | 'accounts'> & { network: Network },
): DevManifest {
  const { network, tokens, accounts } = market
  return {
    url,
    graphql: `${url}/graphql`,
    stream: `${url}/graphql/stream`,
    ...addresses,
    chainId: network.chainId,
    network: network.name,
    settlement: network.settlement,
    vaultRelayer: network.vaultRelayer,
    tokens,
    cmsKey,
    accounts,
  }
}
