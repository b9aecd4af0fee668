import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { applyMigrations } from '../../src/storage/database/migrations.ts'
import { openEmptyDatabase } from '../database/empty.ts'
import { query } from '../database/open.ts'
import { median, quantile } from '../load/turn.ts'
import { cache, number, numbers, type Print, profile, root, suite, type Undo } from '../options.ts'
import { createTraders } from '../placing/submissions.ts'
import { buildPools } from '../quoting/pools.ts'
import { choosePairs } from '../quoting/questions.ts'
import { type BenchChain, startBenchChain } from '../servers/chain.ts'
import type { ServerProcess } from '../servers/process.ts'
import { startProgram } from '../servers/program.ts'
import { fundOwners } from './chain.ts'
import { type Cost, costBetween, readCost } from './cost.ts'
import { type Phase, type PhaseFigures, phases, summarisePhases, watchPhases } from './phases.ts'
import { formatResults } from './report.ts'
import { describeOwners, insertResting, type Owner } from './resting.ts'
import { timeSwaps } from './swaps.ts'

export interface AuctionResults {
  orders: number
  /** Seconds from the program's start until every resting order has a standing. */
  standingSeconds: number
  standings: Record<string, number>
  phases: Record<Phase, PhaseFigures>
  swap: { p50Ms: number; p95Ms: number }
  /** Auctions stored while the swaps were placed. */
  auctions: number
  cost: Cost
  rssMb: number
}

const owners = 1_000
const [pools, pairs] = [200, 300]
const metricsKey = 'bench-bench-bench'
const maxStandingMs = 180_000
const feePolicies = '[{"kind":"surplus","factor":0.5,"maxVolumeFactor":0.01}]'

export const auctions = suite({
  name: 'auctions',
  about: `
Runs the whole program among resting orders: far limit orders of up to 1,000 owners on 300 pairs, every tenth owner a contract
wallet and every tenth with pre-hooks. A local chain with 200 pools and a block every second stands behind it. Prints the time
of each phase of an auction, the time from placing a swap over REST until it is reported as filled, and what an auction costs
in rows and bytes.`,
  flags: {
    orders: numbers('resting orders, one measurement each', [100, 1_000, 10_000], 10, 100_000),
    swaps: number('swaps placed one after the other in each', 20, 1, 1_000),
    profile,
  },
  async run(options, undo, print) {
    let accounts: Owner[] = []
    const chain = await startBenchChain(options.home, async (rpc, market) => {
      const tokens = await buildPools(rpc, market, pools)
      accounts = describeOwners(createTraders(owners), choosePairs(tokens, pairs))
      await fundOwners(rpc, market, accounts)
    })
    undo.push(chain.stop)
    print(`${pools} pools; ${owners} owners, all funded`)
    const results: AuctionResults[] = []
    for (const [index, count] of options.orders.entries())
      results.push(await measureAmong({ ...options, count, chain, accounts, built: index > 0, print }, undo))
    print(`\n${formatResults(results)}`)
    return { results, isRight: true }
  },
})

interface Measuring {
  home: string
  swaps: number
  profile: string | undefined
  count: number
  chain: BenchChain
  accounts: readonly Owner[]
  built: boolean
  print: Print
}

async function measureAmong(measuring: Measuring, undo: Undo): Promise<AuctionResults> {
  const { count, chain, accounts, home, swaps, print } = measuring
  const database = await openEmptyDatabase(home, `auctions_${count}`)
  undo.push(database.stop)
  await applyMigrations(database.url)
  // Limits far from the market: 1.5 to 5 times its price.
  const asks = (number: number) => 1_500 + (number % 3_500)
  await insertResting(database.url, { owners: accounts, count, market: chain.market, asks })
  const program = await start(measuring, database.url)
  try {
    const started = performance.now()
    const watch = watchPhases(program.port, metricsKey)
    await untilStanding(database.url, count)
    const standingSeconds = (performance.now() - started) / 1_000
    print(`${count} orders: each stands somewhere after ${standingSeconds.toFixed(0)} s`)
    const from = Object.fromEntries(phases.map((phase) => [phase, watch.times.of[phase].length]))
    const before = await readCost(database.url)
    const times = (await timeSwaps(program.port, chain.market, swaps)).toSorted((a, b) => a - b)
    await watch.stop()
    const cost = costBetween(before, await readCost(database.url))
    const [stored] = await query<{ count: number }>(database.url, 'SELECT count(*)::int FROM auctions')
    return {
      orders: count,
      standingSeconds,
      standings: watch.times.standings,
      phases: summarisePhases(watch.times, from as Record<Phase, number>),
      swap: { p50Ms: median(times), p95Ms: quantile(times, 0.95) },
      auctions: stored?.count ?? 0,
      cost,
      rssMb: (await program.vitals()).rssMb,
    }
  } finally {
    await program.stop()
  }
}

function start(
  { chain: { rpcUrl, market }, profile, built, print }: Measuring,
  databaseUrl: string,
): Promise<ServerProcess> {
  return startProgram({
    source: root,
    target: path.join(cache, 'auctions_program'),
    command: 'all',
    databaseUrl,
    rpcUrl,
    network: market.network,
    built,
    env: {
      SOLVER_PRIVATE_KEY: market.solver.privateKey,
      METRICS_KEY: metricsKey,
      FEE_POLICIES: feePolicies,
    },
    profile,
    print,
  })
}

async function untilStanding(url: string, orders: number): Promise<void> {
  for (const started = performance.now(); performance.now() - started < maxStandingMs; await pause(500)) {
    const [row] = await query<{ count: number }>(url, 'SELECT count(*)::int FROM order_standings')
    if (row?.count === orders) return
  }
  throw new Error(`not all ${orders} orders stand somewhere after ${maxStandingMs / 1_000} s`)
}
