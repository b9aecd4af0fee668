import { mkdirSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { runDay } from './auctions/day.ts'
import { type AuctionOptions, auctionUsage, readAuctionOptions } from './auctions/options.ts'
import { runAuctionBench } from './auctions/run.ts'
import { type BackfillOptions, backfillUsage, readBackfillOptions } from './backfill/options.ts'
import { runBackfill } from './backfill/run.ts'
import { type BalanceOptions, balanceUsage, readBalanceOptions } from './balances/options.ts'
import { runBalances } from './balances/run.ts'
import { runBurst } from './burst/run.ts'
import { type ChannelOptions, channelUsage, readChannelOptions } from './channels/options.ts'
import { runChannels } from './channels/run.ts'
import { type ClusterOptions, clusterUsage, readClusterOptions } from './cluster/options.ts'
import { runCluster } from './cluster/run.ts'
import { type CompetitionOptions, competitionUsage, readCompetitionOptions } from './competition/options.ts'
import { runCompetition } from './competition/run.ts'
import { query } from './database/open.ts'
import { sizeOf } from './database/shape.ts'
import { readSubjects, type Subject } from './database/subjects.ts'
import { runDocuments } from './documents/run.ts'
import { type FeedOptions, feedUsage, readFeedOptions } from './feed/options.ts'
import { runFeed } from './feed/run.ts'
import { type FollowOptions, followUsage, readFollowOptions } from './follow/options.ts'
import { runFollow } from './follow/run.ts'
import { type GreedyOptions, greedyUsage, readGreedyOptions } from './greedy/options.ts'
import { runGreedy } from './greedy/run.ts'
import { askOnce } from './load/turn.ts'
import { checkAnswers, measure, type RowResult } from './measure.ts'
import { runMonth } from './month/run.ts'
import { type Options, readOptions, usage } from './options.ts'
import { type PlacingOptions, placingUsage, readPlacingOptions } from './placing/options.ts'
import { runPlacing } from './placing/run.ts'
import { type ProcessesOptions, processesUsage, readProcessesOptions } from './processes/options.ts'
import { runProcesses } from './processes/run.ts'
import {
  type ProgrammaticOptions,
  programmaticUsage,
  readProgrammaticOptions,
} from './programmatic/options.ts'
import { runProgrammatic } from './programmatic/run.ts'
import { type QuotingOptions, quotingUsage, readQuotingOptions } from './quoting/options.ts'
import { runQuoting } from './quoting/run.ts'
import { formatTable, ratios } from './report.ts'
import { prepareDatabase, startServers, type Undo } from './setup.ts'
import { readSoakOptions, type SoakOptions, soakUsage } from './soak/options.ts'
import { runSoak } from './soak/run.ts'
import { readSolverOptions, type SolverBenchOptions, solverUsage } from './solver/options.ts'
import { runSolver } from './solver/run.ts'
import { readStreamOptions, type StreamOptions, streamUsage } from './streams/options.ts'
import { runStreams } from './streams/run.ts'
import { debugWorkloads } from './suites/debug.ts'
import type { Workload } from './suites/workload.ts'
import { readTokenOptions, type TokenOptions, tokenUsage } from './tokens/options.ts'
import { runTokens } from './tokens/run.ts'

const comparedAnswers = 20

async function run(options: Options, undo: Undo): Promise<boolean> {
  const { url, filling } = await prepareDatabase(options, undo, print)
  const stand = await startServers(options, url, undo, print)
  if (stand.withoutPostgraphile) print(`PostGraphile is skipped: ${stand.withoutPostgraphile}`)
  const { orders, collector } = await readSubjects(
    url,
    sizeOf(options.orders, options.brief),
    options.subjects === 'whole',
  )
  const { only } = options
  const workloads = (await debugWorkloads(stand.servers, collector)).filter(
    ({ name }) => only === undefined || only.includes(name),
  )
  await checkAnswers(workloads, orders)
  await compareBodies(workloads, orders)
  const nodeRequests = stand.node.requests()
  const results: { workload: Workload; rows: RowResult[] }[] = []
  for (const workload of workloads) {
    const rows = await measure(workload, { ...options, databaseUrl: url, subjects: orders, print })
    results.push({ workload, rows })
    print(`\n${formatTable(`${workload.title}, ${options.orders} orders`, rows)}\n`)
  }
  print(`requests to the chain's node: ${stand.node.requests() - nodeRequests}`)
  const { json, databaseUrl: _, home: __, ...settings } = options
  const [row] = await query<{ server_version: string }>(url, 'SHOW server_version')
  writeResults(json, {
    settings,
    machine: { ...describeMachine(), postgresql: row?.server_version },
    filling,
    withoutPostgraphile: stand.withoutPostgraphile,
    workloads: results.map(({ workload: { name, title }, rows }) => ({
      name,
      title,
      rows: rows.map((row) => ({ ...row, ratios: ratios(row, rows) })),
    })),
  })
  return results.every(({ rows }) => rows.every(({ figures }) => !figures?.errors))
}

/** Checks the limit's validity: the bare handler must answer the same values for some orders. */
async function compareBodies(workloads: readonly Workload[], subjects: readonly Subject[]): Promise<void> {
  for (const { name, rows } of workloads) {
    const limit = rows.find(({ peer }) => peer === 'one statement')
    const rest = rows.filter(({ system }) => /REST/.test(system))
    if (!limit) continue
    for (const subject of subjects.slice(0, comparedAnswers)) {
      const expected = await answerOf(limit, subject)
      for (const row of rest) {
        if (!isDeepStrictEqual(await answerOf(row, subject), expected))
          throw new Error(`${name}: ${row.system} and the one statement answer differently`)
      }
    }
  }
}

async function answerOf({ server, ask }: Workload['rows'][number], subject: Subject): Promise<unknown> {
  const { body } = await askOnce(server.port, ask(subject).request)
  return JSON.parse(body.toString())
}

function describeMachine() {
  const [cpu] = os.cpus()
  return { cpu: cpu?.model, cores: os.cpus().length, node: process.version }
}

function writeResults(json: string, results: object): void {
  mkdirSync(path.dirname(json), { recursive: true })
  writeFileSync(json, `${JSON.stringify(results, null, 2)}\n`)
  print(`written to ${path.relative(process.cwd(), json)}`)
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** Returns the named suite, ready to run, or its help text. */
function readSuite(argv: readonly string[]): string | ((undo: Undo) => Promise<boolean>) {
  if (argv.includes('orders') && !argv.includes('--help')) {
    const options = readPlacingOptions(argv)
    return (undo) => place(options, undo)
  }
  if (argv.includes('quotes') && !argv.includes('--help')) {
    const options = readQuotingOptions(argv)
    return (undo) => quote(options, undo)
  }
  if (argv.includes('tokens') && !argv.includes('--help')) {
    const options = readTokenOptions(argv)
    return (undo) => reportTokens(options, undo)
  }
  if (argv.includes('solver') && !argv.includes('--help')) {
    const options = readSolverOptions(argv)
    return () => measureSolver(options)
  }
  if (argv.includes('greedy') && !argv.includes('--help')) {
    const options = readGreedyOptions(argv, process.env)
    return (undo) => measureGreedy(options, undo)
  }
  if (argv.includes('auctions') && !argv.includes('--help')) {
    const options = readAuctionOptions(argv)
    return (undo) => auction(options, undo)
  }
  if (argv.includes('competition') && !argv.includes('--help')) {
    const options = readCompetitionOptions(argv)
    return (undo) => hold(options, undo)
  }
  if (argv.includes('streams') && !argv.includes('--help')) {
    const options = readStreamOptions(argv)
    return (undo) => stream(options, undo)
  }
  if (argv.includes('feed') && !argv.includes('--help')) {
    const options = readFeedOptions(argv)
    return (undo) => readFeeds(options, undo)
  }
  if (argv.includes('programmatic') && !argv.includes('--help')) {
    const options = readProgrammaticOptions(argv)
    return (undo) => measureProgrammatic(options, undo)
  }
  if (argv.includes('balances') && !argv.includes('--help')) {
    const options = readBalanceOptions(argv)
    return (undo) => watchBalances(options, undo)
  }
  if (argv.includes('backfill') && !argv.includes('--help')) {
    const options = readBackfillOptions(argv)
    return (undo) => backfill(options, undo)
  }
  if (argv.includes('follow') && !argv.includes('--help')) {
    const options = readFollowOptions(argv)
    return (undo) => follow(options, undo)
  }
  if (argv.includes('channels') && !argv.includes('--help')) {
    const options = readChannelOptions(argv)
    return (undo) => sendToChannels(options, undo)
  }
  if (argv.includes('soak') && !argv.includes('--help')) {
    const options = readSoakOptions(argv)
    return (undo) => soak(options, undo)
  }
  if (argv.includes('processes') && !argv.includes('--help')) {
    const options = readProcessesOptions(argv, process.env)
    return (undo) => measureProcesses(options, undo)
  }
  if (argv.includes('cluster') && !argv.includes('--help')) {
    const options = readClusterOptions(argv)
    return (undo) => weather(options, undo)
  }
  const options = readOptions(argv, process.env)
  if (options === 'help')
    return [
      usage,
      placingUsage,
      quotingUsage,
      tokenUsage,
      solverUsage,
      greedyUsage,
      auctionUsage,
      competitionUsage,
      streamUsage,
      feedUsage,
      programmaticUsage,
      balanceUsage,
      channelUsage,
      backfillUsage,
      followUsage,
      soakUsage,
      clusterUsage,
      processesUsage,
    ].join('\n\n')
  if (options.suite === 'documents') return (undo) => read(runDocuments, options, undo)
  if (options.suite === 'month') return (undo) => read(runMonth, options, undo)
  if (options.suite === 'burst') return (undo) => read(runBurst, options, undo)
  return (undo) => run(options, undo)
}

async function read(
  suite: (options: Options, undo: Undo, print: (line: string) => void) => Promise<{ right: boolean }>,
  options: Options,
  undo: Undo,
): Promise<boolean> {
  const results = await suite(options, undo, print)
  const { json, databaseUrl: _, home: __, ...settings } = options
  writeResults(json, { settings, machine: describeMachine(), ...results })
  return results.right
}

async function place(options: PlacingOptions, undo: Undo): Promise<boolean> {
  const { results, withoutFastify } = await runPlacing(options, undo, print)
  const { json, home: _, ...settings } = options
  writeResults(json, { settings, machine: describeMachine(), withoutFastify, results })
  return results.every(({ rows }) => rows.every(({ figures }) => !figures?.errors))
}

async function quote(options: QuotingOptions, undo: Undo): Promise<boolean> {
  const results = await runQuoting(options, undo, print)
  const { json, home: _, ...settings } = options
  writeResults(json, { settings, machine: describeMachine(), results })
  return results.every(({ rows }) => rows.every(({ figures }) => !figures?.errors))
}

async function reportTokens(options: TokenOptions, undo: Undo): Promise<boolean> {
  const results = await runTokens(options, undo, print)
  const { json, home: _, ...settings } = options
  writeResults(json, { settings, machine: describeMachine(), results })
  return results.every(({ rows }) => rows.every(({ figures }) => !figures?.errors))
}

async function measureSolver(options: SolverBenchOptions): Promise<boolean> {
  const results = await runSolver(options, print)
  const { json, ...settings } = options
  writeResults(json, { settings, machine: describeMachine(), results })
  return results.every(({ share }) => share.worst >= 0)
}

async function measureGreedy(options: GreedyOptions, undo: Undo): Promise<boolean> {
  const results = await runGreedy(options, undo, print)
  const { json, databaseUrl: _, home: __, ...settings } = options
  writeResults(json, { settings, machine: describeMachine(), results })
  return results.every(({ errors }) => errors === 0)
}

async function auction(options: AuctionOptions, undo: Undo): Promise<boolean> {
  const results = await (options.day ? runDay : runAuctionBench)(options, undo, print)
  const { json, home: _, ...settings } = options
  writeResults(json, { settings, machine: describeMachine(), results })
  return true
}

async function hold(options: CompetitionOptions, undo: Undo): Promise<boolean> {
  const { results, faults } = await runCompetition(options, undo, print)
  const { json, home: _, ...settings } = options
  const readable = JSON.parse(
    JSON.stringify(results, (_, value) => (typeof value === 'bigint' ? `${value}` : value)),
  )
  writeResults(json, { settings, machine: describeMachine(), results: readable, faults })
  return faults.length === 0
}

async function stream(options: StreamOptions, undo: Undo): Promise<boolean> {
  const results = await runStreams(options, undo, print)
  const { json, home: _, source: __, ...settings } = options
  writeResults(json, { settings, machine: describeMachine(), results })
  return true
}

async function readFeeds(options: FeedOptions, undo: Undo): Promise<boolean> {
  const { right, ...results } = await runFeed(options, undo, print)
  const { json, home: _, source: __, ...settings } = options
  writeResults(json, { settings, machine: describeMachine(), results })
  return right
}

async function measureProgrammatic(options: ProgrammaticOptions, undo: Undo): Promise<boolean> {
  const results = await runProgrammatic(options, undo, print)
  const { json, home: _, source: __, ...settings } = options
  writeResults(json, { settings, machine: describeMachine(), results })
  return true
}

async function watchBalances(options: BalanceOptions, undo: Undo): Promise<boolean> {
  const results = await runBalances(options, undo, print)
  const { json, home: _, source: __, ...settings } = options
  writeResults(json, { settings, machine: describeMachine(), results })
  return results.wrong === 0
}

async function sendToChannels(options: ChannelOptions, undo: Undo): Promise<boolean> {
  const results = await runChannels(options, undo, print)
  const { json, home: _, ...settings } = options
  writeResults(json, { settings, machine: describeMachine(), results })
  return results.faults.length === 0
}

async function backfill(options: BackfillOptions, undo: Undo): Promise<boolean> {
  const { rounds, faults } = await runBackfill(options, undo, print)
  const { json, home: _, ...settings } = options
  writeResults(json, { settings, machine: describeMachine(), rounds, faults })
  return faults.length === 0
}

async function soak(options: SoakOptions, undo: Undo): Promise<boolean> {
  const { results, errors } = await runSoak(options, undo, print)
  const { json, home: _, ...settings } = options
  writeResults(json, { settings, machine: describeMachine(), results })
  return errors === 0
}

async function measureProcesses(options: ProcessesOptions, undo: Undo): Promise<boolean> {
  const results = await runProcesses(options, undo, print)
  const { json, databaseUrl: _, home: __, ...settings } = options
  writeResults(json, { settings, machine: describeMachine(), results })
  return results.every(({ errors }) => errors === 0)
}

async function follow(options: FollowOptions, undo: Undo): Promise<boolean> {
  const { results, isRight } = await runFollow(options, undo, print)
  const { json, home: _, ...settings } = options
  writeResults(json, { settings, machine: describeMachine(), results })
  return isRight
}

async function weather(options: ClusterOptions, undo: Undo): Promise<boolean> {
  const { results, isRight } = await runCluster(options, undo, print)
  const { json, home: _, ...settings } = options
  writeResults(json, { settings, machine: describeMachine(), results })
  return isRight
}

async function main(): Promise<void> {
  const suite = readSuite(process.argv.slice(2))
  if (typeof suite === 'string') return print(suite)
  const undo: Undo = []
  let ending: Promise<void> | undefined
  const end = () => {
    ending ??= takeBack(undo)
    return ending
  }
  for (const [signal, code] of Object.entries({ SIGINT: 130, SIGTERM: 143 }))
    process.once(signal, () => end().finally(() => process.exit(code)))
  try {
    if (!(await suite(undo))) process.exitCode = 1
  } finally {
    await end()
  }
}

/**
 * Runs all steps, even after one fails (a signal may have ended its server): the last one stops the database.
 */
async function takeBack(undo: Undo): Promise<void> {
  for (const step of undo.toReversed()) {
    try {
      await step()
    } catch (error) {
      print(`at the end: ${error instanceof Error ? error.message : error}`)
    }
  }
}

main().catch((error) => {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exit(1)
})
