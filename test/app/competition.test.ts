import { afterAll, beforeAll, expect, test } from 'vitest'
import { askNode } from '../../bench/accounting/chain.ts'
import { accountingFromChain } from '../../bench/accounting/from-chain.ts'
import { createRecords } from '../../bench/accounting/records.ts'
import { putThief } from '../../bench/competition/bad/contracts.ts'
import { badBehaviours, badNames } from '../../bench/competition/bad/engines.ts'
import { collectFailures } from '../../bench/competition/checks/failures.ts'
import type { Ground } from '../../bench/competition/ground.ts'
import { type Crowd, prepareCrowd } from '../../bench/competition/orders/crowd.ts'
import { planOrders } from '../../bench/competition/orders/plan.ts'
import { runRound } from '../../bench/competition/round.ts'
import {
  competitionSettings,
  maxWinners,
  startExample,
  toAccounts,
  toSources,
} from '../../bench/competition/stand.ts'
import { accountingCsv } from '../../src/app/accounting.ts'
import type { App } from '../../src/app/app.ts'
import { allowSolvers } from '../../src/dev/market/outside-solvers.ts'
import { type SolverDriverFake, startSolverDriver } from '../fakes/solver-driver.ts'
import { type SolverEngineFake, startSolverEngine } from '../fakes/solver-engine.ts'
import { startTestChain, type TestChain } from '../setup/chain.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { eventually } from '../setup/eventually.ts'
import { startProgram, unlimited } from '../setup/world.ts'

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
  const behaviours = badBehaviours({ rpcUrl, settlement, vaultRelayer })
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

test('mixed orders end as they should among solvers that mean harm, and winners are those of the reference selection', async () => {
  const ground: Ground = { url: app.url ?? '', rpc: chain.rpc, market: chain.market }
  const { list } = failures
  const options = { plans, seconds: 4, restMs: 60_000, accounts, maxWinners, failures: list }
  const results = await runRound(ground, crowd, { ...options, everyTrick: false, signal: stopping.signal })
  const { placed, endings, selection, balances, bad } = results
  expect(placed).toBe(plans.length)
  expect(results.faults).toEqual([])
  expect(endings.statuses).toMatchObject({ expired: 2 })
  expect(selection.auctions).toBeGreaterThan(2)
  expect(balances.trades).toBeGreaterThanOrEqual(15)
  expect(bad?.reasons).toMatchObject({
    hangs: ['timeout: did not answer in time'],
    floods: ['deserializationError: answers with more than 1000000 bytes'],
  })
}, 120_000)

test('the accounts of its solvers are those that a script computes from the chain', async () => {
  const { network } = chain.market
  const url = `${app.url}/${network.name}`
  const { auctionDeadlineBlock: to } = await (await fetch(`${url}/api/v2/solver_competition/latest`)).json()
  await eventually('the last auction is over', async () => {
    const head = Number(await chain.rpc.call<string>('eth_blockNumber'))
    return head > to + 1
  })
  const computed = () =>
    accountingFromChain({
      ask: askNode(chain.rpcUrl),
      contracts: network,
      records: createRecords(url, () => undefined),
      network: network.name,
      ...{ from: 0, to, blockTimeMs: network.blockTimeMs },
    })
  const told = await accountingCsv(database.db, { from: '0', to: `${to}` })
  expect(told).toEqual({ csv: await computed() })
}, 60_000)
