import { type App, type AppOptions, startApp } from '../../src/app/app.ts'
import type { Role } from '../../src/app/chain/loops.ts'
import { readSettings } from '../../src/app/config.ts'
import type { Market } from '../../src/dev/market/market.ts'
import { silentLog } from '../fakes/silent-log.ts'
import { startTestChain, type TestChain } from './chain.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { request } from './trader.ts'

/** Settings without limits, for tests that send more requests than a client may. */
export const unlimited = {
  RATE_LIMIT_READS: '0',
  RATE_LIMIT_QUOTES: '0',
  RATE_LIMIT_ORDERS: '0',
  RATE_LIMIT_INTROSPECTIONS: '0',
  ORDER_MAX_OUT_OF_MARKET: '0',
}

export interface World extends AsyncDisposable {
  url: string
  app: App
  chain: TestChain
  database: TestDatabase
  market: Market
}

/** The program over an existing database and chain, in the role `serve` unless `more` sets others. */
export function startProgram(
  { database, chain }: { database: Pick<TestDatabase, 'url'>; chain: TestChain },
  environment: Record<string, string>,
  more: Partial<AppOptions> = {},
): Promise<App> {
  return startApp({
    databaseUrl: database.url,
    networks: [{ network: chain.market.network, rpcUrl: chain.rpcUrl }],
    roles: ['serve'],
    settings: readSettings({ PORT: '0', ...environment }),
    version: 'test',
    log: silentLog,
    now: Date.now,
    random: Math.random,
    ...more,
  })
}

/** The whole program over its own chain and database. */
export async function startWorld(
  options: { roles?: readonly Role[]; environment?: Record<string, string> } = {},
): Promise<World> {
  const [database, chain] = await Promise.all([createTestDatabase(), startTestChain()])
  const { market } = chain
  const environment = {
    ...unlimited,
    SOLVER_PRIVATE_KEY: market.solver.privateKey,
    REFUND_PRIVATE_KEY: market.refunder.privateKey,
    CMS_ENABLED: 'true',
    CMS_API_KEY: 'cms-key-of-the-tests',
    STATS_SOURCE: 'own',
    FEE_POLICIES: '[{"kind":"surplus","factor":0.5,"maxVolumeFactor":0.01}]',
    ...options.environment,
  }
  const roles = options.roles ?? ['serve', 'index', 'auction']
  const app = await startProgram({ database, chain }, environment, { roles })
  return {
    url: app.url ?? '',
    app,
    chain,
    database,
    market,
    async [Symbol.asyncDispose]() {
      await app.close()
      await chain[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
    },
  }
}

/** The competitions of a followed order book with this outcome, by the metrics. */
export async function countCompetitions(program: App, outcome: string): Promise<number> {
  const { body } = await request(`${program.metricsUrl}/metrics`)
  const series = `tradegraph_mirrored_competitions_total\\{network="sepolia",outcome="${outcome}"\\} (\\d+)`
  return Number(new RegExp(series).exec(body)?.[1] ?? 0)
}
