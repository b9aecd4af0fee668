import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { applyMigrations } from '../../src/storage/database/migrations.ts'
import { openEmptyDatabase } from '../database/empty.ts'
import { cache } from '../options.ts'
import { toTable } from '../report.ts'
import { type CountingNode, startCountingNode } from '../servers/counting-node.ts'
import type { ServerProcess } from '../servers/process.ts'
import { startProgram } from '../servers/program.ts'
import type { Undo } from '../setup.ts'
import { type Apart, startApart } from '../streams/apart.ts'
import { now } from '../streams/clock.ts'
import { countSince, resetCount, sourceUrl, total } from '../streams/statements.ts'
import { type ChangingChain, startChangingChain } from './chain.ts'
import type { BalanceOptions } from './options.ts'
import type { WatchHandlers } from './worker.ts'

type Print = (line: string) => void
type Workers = Apart<WatchHandlers>[]

/** Figures of one block. */
interface BlockFigures {
  watchers: number
  cpuMs: number
  statements: number
  requests: Record<string, number>
}

export interface BalanceResults {
  openedMs: number
  quiet: BlockFigures
  watched: BlockFigures
  /** Milliseconds from a block to its watchers. */
  delays: { updates: number; p50: number; p99: number; worst: number }
  /** Figures after the outage. */
  outages: number
  backMs: number
  rssMb: number
  /** Watchers whose final balances differ from the chain's. */
  wrong: number
}

const processes = 2
const blockMs = 1_000
const settleMs = 20_000

export async function runBalances(
  options: BalanceOptions,
  undo: Undo,
  print: Print,
): Promise<BalanceResults> {
  const accounts = Array.from(
    { length: options.accounts },
    (_, index) => `0xacc0${index.toString(16).padStart(36, '0')}`,
  )
  const database = await openEmptyDatabase(options.home, 'balances')
  undo.push(database.stop)
  await applyMigrations(database.url)
  await sourceUrl(database.url)
  const chain = await startChangingChain(options.home, accounts)
  undo.push(chain.stop)
  const node = await startCountingNode(chain.rpcUrl)
  undo.push(async () => node.close())
  const server = await startProgram({
    source: options.source,
    target: path.join(cache, 'balances_program'),
    databaseUrl: database.url,
    rpcUrl: node.url,
    network: chain.market.network,
    profile: options.profile,
    env: {
      STREAMS_PER_CLIENT: '0',
      STREAMS_TOTAL: '0',
      WATCHED_BALANCES: '1000000',
      WATCH_RESOLUTION_MS: '20',
    },
    print,
  })
  undo.push(server.stop)
  const workers = Array.from({ length: processes }, () =>
    startApart<WatchHandlers>(path.join(import.meta.dirname, 'worker.ts')),
  )
  undo.push(async () => void (await Promise.all(workers.map((worker) => worker.stop()))))

  const stand = { options, chain, node, server, workers, databaseUrl: database.url }
  const quiet = await measureBlocks(stand, 0, new Map())
  const openedMs = await openAll(stand, accounts)
  print(`${options.watchers} watchers opened in ${(openedMs / 1_000).toFixed(1)} s`)
  const times = new Map<number, number>()
  const watched = await measureBlocks(stand, options.watchers, times)
  const { rssMb } = await server.vitals()
  const delays = delaysOf(await arrivalsOf(workers), times)
  const back = await goAway(stand)
  const results = { openedMs, quiet, watched, delays, rssMb, ...back }
  print(report(results))
  return results
}

interface Stand {
  options: BalanceOptions
  chain: ChangingChain
  node: CountingNode
  server: ServerProcess
  workers: Workers
  databaseUrl: string
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)

async function openAll(
  { options, chain, server, workers }: Stand,
  accounts: readonly string[],
): Promise<number> {
  const { WETH, USDC, DAI, COW } = chain.market.tokens
  const search = `tokens=-,${[WETH, USDC, DAI, COW].map(({ address }) => address).join()}`
  const started = now()
  const watched = Array.from(
    { length: options.watchers },
    (_, index) => accounts[index % accounts.length] ?? '',
  )
  await Promise.all(
    workers.map((worker, index) =>
      worker.watch({
        port: server.port,
        from: `127.0.0.${index + 2}`,
        search,
        accounts: watched.filter((_, at) => Math.floor(at / accounts.length) % processes === index),
        atOnce: 50,
      }),
    ),
  )
  await complete(workers, options.watchers)
  return now() - started
}

/** @throws when watchers lack balances for too long */
async function complete(workers: Workers, watchers: number): Promise<void> {
  for (const deadline = now() + 3 * settleMs; ; await pause(20)) {
    const standings = await Promise.all(workers.map((worker) => worker.standing()))
    if (sum(standings.map(({ complete }) => complete)) === watchers) return
    if (now() > deadline) throw new Error(`not all have their balances: ${JSON.stringify(standings)}`)
  }
}

/** Mines a block each second. @param times receives the time of each */
async function measureBlocks(
  stand: Stand,
  watchers: number,
  times: Map<number, number>,
): Promise<BlockFigures> {
  const { options, chain, node, server, workers, databaseUrl } = stand
  const { blocks, changes } = options
  await chain.mine(changes)
  await pause(blockMs)
  await arrivalsOf(workers)
  await resetCount(databaseUrl)
  await server.vitals()
  node.take()
  for (let count = 0; count < blocks; count++) {
    const next = now() + blockMs
    const { block, at } = await chain.mine(changes)
    times.set(block, at)
    await pause(Math.max(0, next - now()))
  }
  const { cpuMs } = await server.vitals()
  const { byLabel } = node.take()
  return {
    watchers,
    cpuMs: cpuMs / blocks,
    statements: total(await countSince(databaseUrl)) / blocks,
    requests: Object.fromEntries([...byLabel].map(([label, count]) => [label, count / blocks])),
  }
}

const arrivalsOf = async (workers: Workers) =>
  (await Promise.all(workers.map((worker) => worker.take()))).flat()

function delaysOf(arrivals: readonly [block: number, at: number][], times: ReadonlyMap<number, number>) {
  const delays = arrivals
    .flatMap(([block, at]) => at - (times.get(block) ?? Number.NaN))
    .filter((delay) => !Number.isNaN(delay))
    .sort((one, other) => one - other)
  const at = (share: number) =>
    delays[Math.min(delays.length - 1, Math.floor(delays.length * share))] ?? Number.NaN
  return { updates: delays.length, p50: at(0.5), p99: at(0.99), worst: at(1) }
}

/** Mines blocks while the node is away; when it is back, every watcher must get the chain's balances. */
async function goAway({ options, chain, node, workers }: Stand) {
  node.setAway(true)
  const end = now() + options.awaySeconds * 1_000
  while (now() < end) {
    await chain.mine(options.changes)
    await pause(Math.min(4 * blockMs, Math.max(0, end - now())))
  }
  const told = sum(
    (await Promise.all(workers.map((worker) => worker.standing()))).map(({ outages }) => outages),
  )
  node.setAway(false)
  const back = now()
  await complete(workers, options.watchers)
  const backMs = now() - back
  await chain.mine(options.changes)
  let wrong = options.watchers
  for (const deadline = now() + settleMs; wrong > 0 && now() < deadline; await pause(100))
    wrong = sum(await Promise.all(workers.map((worker) => worker.wrong(chain.expected))))
  return { outages: told, backMs, wrong }
}

function report({ quiet, watched, delays, outages, backMs, rssMb, wrong }: BalanceResults): string {
  const rows = [quiet, watched].map(({ watchers, cpuMs, statements, requests }) => [
    String(watchers),
    cpuMs.toFixed(0),
    statements.toFixed(1),
    Object.entries(requests)
      .map(([label, count]) => `${label} ${count.toFixed(1)}`)
      .join('; '),
  ])
  return [
    `\nOf a block\n${toTable(['watchers', 'CPU ms', 'SQL', 'requests to the node'], rows)}\n`,
    `${delays.updates} updates, from block to watcher: p50 ${delays.p50.toFixed(0)} ms, p99 ${delays.p99.toFixed(0)} ms, worst ${delays.worst.toFixed(0)} ms`,
    `the node was away: ${outages} were told, all have everything ${backMs.toFixed(0)} ms after it is back`,
    `watchers that know something wrong in the end: ${wrong}; memory ${rssMb.toFixed(0)} MiB`,
  ].join('\n')
}
