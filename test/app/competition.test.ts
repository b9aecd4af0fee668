import { afterAll, beforeAll, expect, test } from 'vitest'
import type { App } from '../../src/app/app.ts'
import { allowSolvers } from '../../src/dev/market/market.ts'
import { type SolverDriverFake, startSolverDriver } from '../fakes/solver-driver.ts'
import { type SolverEngineFake, startSolverEngine } from '../fakes/solver-engine.ts'
import { startTestChain, type TestChain } from '../setup/chain.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { startProgram, unlimited } from '../setup/world.ts'
import { putThief } from './competition/bad/contracts.ts'
import { badBehaviours, badNames } from './competition/bad/engines.ts'
import { collectFailures } from './competition/checks/failures.ts'
import type { Ground } from './competition/ground.ts'
import { type Crowd, prepareCrowd } from './competition/orders/crowd.ts'
import { planOrders } from './competition/orders/plan.ts'
import { runRound } from './competition/round.ts'
import {
  booksOf,
  competitionSettings,
  maxWinners,
  startExample,
  toAccounts,
  toSources,
} from './competition/stand.ts'

const plans = planOrders(20, 8)
const failures = collectFailures()
const stopping = new AbortController()

let chain: TestChain
let database: TestDatabase
let app: App
let crowd: Crowd
let example: Awaited<ReturnType<typeof startExample>>
let driver: SolverDriverFake
let bad: SolverEngineFake[]
let accounts: Record<string, string>

beforeAll(async () => {
  ;[database, chain, example] = await Promise.all([createTestDatabase(), startTestChain(), startExample()])
  const { market, rpc, rpcUrl } = chain
  const { settlement, vaultRelayer } = market.network
  await allowSolvers(rpc, market.outsideSolvers)
  crowd = await prepareCrowd(chain, plans)
  await putThief(chain)
  const behaviours = badBehaviours({ settlement, vaultRelayer })
  bad = await Promise.all(badNames.map((name) => startSolverEngine(behaviours[name])))
  const account = market.outsideSolvers[1] ?? expect.fail()
  driver = await startSolverDriver({ rpcUrl, network: market.network, account })
  const good = { engine: example.url, driver: driver.url }
  const urls = { ...good, ...Object.fromEntries(badNames.map((name, at) => [name, bad[at]?.url])) }
  accounts = toAccounts(Object.keys(urls), market)
  const environment = {
    ...unlimited,
    ...competitionSettings,
    SOLVER_PRIVATE_KEY: market.solver.privateKey,
    REFUND_PRIVATE_KEY: market.refunder.privateKey,
    SOLVERS: JSON.stringify(toSources(urls, market)),
  }
  const roles = ['serve', 'index', 'auction'] as const
  app = await startProgram({ database, chain }, environment, { roles, log: failures.log })
})
afterAll(async () => {
  stopping.abort()
  await app?.close()
  await Promise.all([example?.stop(), driver?.close(), ...(bad ?? []).map((engine) => engine.close())])
  await chain?.[Symbol.asyncDispose]()
  await database?.[Symbol.asyncDispose]()
})

test('mixed orders end as they should among solvers that mean harm; winners and accounts are those computed apart', async () => {
  const ground: Ground = { url: app.url ?? '', rpc: chain.rpc, market: chain.market }
  const { list } = failures
  const books = { rpcUrl: chain.rpcUrl, ...booksOf(database.db) }
  const options = { plans, seconds: 4, restMs: 60_000, accounts, maxWinners, failures: list, books }
  const results = await runRound(ground, crowd, { ...options, signal: stopping.signal })
  const { placed, endings, selection, balances, accounting, bad } = results
  expect(placed).toBe(plans.length)
  expect(results.faults).toEqual([])
  expect(endings.statuses).toMatchObject({ expired: 2 })
  expect(selection.auctions).toBeGreaterThan(2)
  expect(balances.trades).toBeGreaterThanOrEqual(15)
  // A slow machine settles more orders at once: fewer settlements, with fewer lines.
  expect(accounting.lines).toBeGreaterThan(5)
  expect(accounting.sums.settlements).toBeGreaterThan(3n)
  expect(bad?.reasons).toMatchObject({
    hangs: ['timeout: did not answer in time'],
    floods: ['deserializationError: answers with more than 1000000 bytes'],
  })
}, 120_000)
