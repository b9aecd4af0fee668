import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { readSettings } from '../../src/app/config.ts'
import type { Rpc } from '../../src/chain/rpc/rpc.ts'
import type { Market } from '../../src/dev/market/market.ts'
import type { Address } from '../../src/domain/evm/address.ts'
import type { Hex } from '../../src/domain/evm/hex.ts'
import { query } from '../database/open.ts'
import { shape, sizeOf } from '../database/shape.ts'
import { readSubjects } from '../database/subjects.ts'
import { runPaced } from '../load/paced.ts'
import { median, quantile, type Turn } from '../load/turn.ts'
import { cache } from '../options.ts'
import { startBenchChain } from '../servers/chain.ts'
import { startNode } from '../servers/node.ts'
import type { ServerProcess } from '../servers/process.ts'
import { startProgram } from '../servers/program.ts'
import { prepareDatabase, type Undo } from '../setup.ts'
import { startGreedyApart } from './apart.ts'
import type { Greed } from './client.ts'
import {
  burnerAccount,
  burnerCounts,
  burnerToken,
  greedyKinds,
  isOfNode,
  type Kind,
  type KindSubjects,
  maxUids,
  modestQuote,
  modestRequest,
  type NodeSubjects,
} from './kinds.ts'
import type { GreedyOptions } from './options.ts'

type Print = (line: string) => void

const [greedyAddress, modestAddress] = ['127.0.0.2', '127.0.0.3']

const hex = (bytes: Buffer) => `0x${bytes.toString('hex')}`

/** The time in which the greedy client uses up its bucket. */
const settlingMs = 3_000
/** The time in which its bucket refills: the next kind begins with a full one. */
const restMs = 2_500

export interface GreedyResult {
  kind: string
  title: string
  /** Milliseconds of the modest client's requests. */
  alone: Latency
  beside: Latency
  ratio: number
  /** Rates of the greedy client, per second. */
  answered: number
  refused: number
  megabytes: number
  /** The program's share of one core, and the longest block of its event loop. */
  cpu: { alone: number; beside: number }
  longestBlockMs: number
  errors: number
  firstError: string | undefined
}

interface Latency {
  p50Ms: number
  p99Ms: number
}

export async function runGreedy(options: GreedyOptions, undo: Undo, print: Print): Promise<GreedyResult[]> {
  const { url } = await prepareDatabase(options, undo, print)
  const { orders, collector } = await readSubjects(url, sizeOf(options.orders))
  const subjects = { owner: hex(collector), uids: orders.map(({ uid }) => hex(uid)) }
  await storeNotifications(url, collector)
  const node = await startNode()
  undo.push(node.close)
  const program = await startProgram({
    source: options.source,
    target: path.join(cache, 'greedy'),
    databaseUrl: url,
    rpcUrl: node.url,
    env: {
      ...usualLimits(),
      CMS_ENABLED: 'true',
      CMS_API_KEY: 'a-key-of-the-bench',
    },
    print,
  })
  undo.push(program.stop)
  const results = await measureAll(program, subjects, options, print)
  if (options.only?.every((name) => !isOfNode(name))) return results
  const chained = await startChained(url, options, undo, print)
  return [...results, ...(await measureAll(chained.program, { ...subjects, ...chained }, options, print))]
}

const usualLimits = () => {
  const usual = readSettings({})
  return {
    RATE_LIMIT_READS: String(usual.RATE_LIMIT_READS),
    RATE_LIMIT_QUOTES: String(usual.RATE_LIMIT_QUOTES),
    RATE_LIMIT_ORDERS: String(usual.RATE_LIMIT_ORDERS),
    RATE_LIMIT_INTROSPECTIONS: String(usual.RATE_LIMIT_INTROSPECTIONS),
  }
}

/** Starts the program over a chain with the local market. */
async function startChained(databaseUrl: string, options: GreedyOptions, undo: Undo, print: Print) {
  const chain = await startBenchChain(path.join(cache, 'greedy-chain'), putBurners)
  undo.push(chain.stop)
  const { network, tokens, accounts } = chain.market
  // Each run has another chain.
  await query(databaseUrl, 'DELETE FROM networks WHERE chain_id = $1', [network.chainId])
  const program = await startProgram({
    source: options.source,
    target: path.join(cache, 'greedy-chained'),
    databaseUrl,
    rpcUrl: chain.rpcUrl,
    network,
    env: { ...usualLimits(), PUBLIC_URL: 'https://trade.example' },
    print,
  })
  undo.push(program.stop)
  const market: NodeSubjects = {
    ...{ network: network.name, chainId: network.chainId, account: accounts[0]?.address ?? '' },
    ...{ sellToken: tokens.WETH.address, buyToken: tokens.USDC.address },
  }
  return { program, market }
}

async function putBurners(rpc: Rpc, { tokens }: Market): Promise<void> {
  const burning = burningToken(tokens.COW.address)
  const setCode = (at: Address, code: string) => ({ method: 'anvil_setCode', params: [at, code] })
  await rpc.batch([
    ...Array.from({ length: burnerCounts.accounts }, (_, index) =>
      setCode(burnerAccount(index), '0x5b600056'),
    ),
    ...Array.from({ length: burnerCounts.tokens }, (_, index) => setCode(burnerToken(index), burning)),
  ])
}

/** Returns code of a token that uses all gas but 100,000, and then runs another token's code. */
function burningToken(token: Address): Hex {
  const burn = '5b620186a05a11600057'
  const forward = `36600060003760006000366000${`73${token.slice(2)}`}5af4`
  const answer = '3d6000803e603a573d6000fd5b3d6000f3'
  return `0x${burn}${forward}${answer}`
}

/** Measures the kinds that the options name, of the node or not. */
async function measureAll(
  program: ServerProcess,
  subjects: KindSubjects,
  options: GreedyOptions,
  print: Print,
): Promise<GreedyResult[]> {
  const kinds = greedyKinds({ ...subjects, uids: subjects.uids.slice(0, maxUids) }).filter(
    ({ name }) =>
      isOfNode(name) === (subjects.market !== undefined) && (options.only?.includes(name) ?? true),
  )
  if (kinds.length > 0) await modest(program, subjects, options)
  const results: GreedyResult[] = []
  for (const kind of kinds) {
    const rounds: GreedyResult[] = []
    for (let round = 1; round <= options.rounds; round++) {
      rounds.push(await measure(kind, program, subjects, options))
      await pause(restMs)
    }
    const result = medianOf(rounds)
    results.push(result)
    print(lineOf(result))
  }
  return results
}

async function measure(
  kind: Kind,
  program: ServerProcess,
  subjects: KindSubjects,
  options: GreedyOptions,
): Promise<GreedyResult> {
  const { seconds, connections } = options
  await program.vitals()
  const alone = await modest(program, subjects, options)
  const quiet = await program.vitals()
  const { port } = program
  const { owner, market } = subjects
  const uids = subjects.uids.slice(0, maxUids)
  const from = greedyAddress
  const greedy = await startGreedyApart({ port, from, connections, kind: kind.name, owner, uids, market })
  try {
    await pause(settlingMs)
    await program.vitals()
    await greedy.take()
    const beside = await modest(program, subjects, options)
    return resultOf(kind, seconds, {
      alone,
      beside,
      quiet,
      busy: await program.vitals(),
      greed: await greedy.take(),
    })
  } finally {
    await greedy.stop()
  }
}

interface Measured {
  alone: Turn
  beside: Turn
  quiet: Awaited<ReturnType<ServerProcess['vitals']>>
  busy: Awaited<ReturnType<ServerProcess['vitals']>>
  greed: Greed
}

function resultOf(kind: Kind, seconds: number, measured: Measured): GreedyResult {
  const { alone, beside, quiet, busy, greed } = measured
  return {
    kind: kind.name,
    title: kind.title,
    alone: latencyOf(alone),
    beside: latencyOf(beside),
    ratio: latencyOf(beside).p99Ms / latencyOf(alone).p99Ms,
    answered: greed.answered / seconds,
    refused: greed.refused / seconds,
    megabytes: greed.bytes / seconds / 1e6,
    cpu: { alone: quiet.cpuMs / 1_000 / alone.seconds, beside: busy.cpuMs / 1_000 / beside.seconds },
    longestBlockMs: busy.longestBlockMs,
    errors: alone.errors + beside.errors + greed.failed,
    firstError: alone.firstError ?? beside.firstError ?? greed.firstFault,
  }
}

/** Returns medians of every figure; for blocks and errors the maximum. */
function medianOf(rounds: readonly GreedyResult[]): GreedyResult {
  const [first] = rounds
  if (!first) throw new Error('nothing was measured')
  const middle = (read: (round: GreedyResult) => number) => median(rounds.map(read))
  const [alone, beside] = (['alone', 'beside'] as const).map((when) => ({
    p50Ms: middle((round) => round[when].p50Ms),
    p99Ms: middle((round) => round[when].p99Ms),
  })) as [Latency, Latency]
  return {
    ...first,
    alone,
    beside,
    ratio: beside.p99Ms / alone.p99Ms,
    answered: middle(({ answered }) => answered),
    refused: middle(({ refused }) => refused),
    megabytes: middle(({ megabytes }) => megabytes),
    cpu: { alone: middle(({ cpu }) => cpu.alone), beside: middle(({ cpu }) => cpu.beside) },
    longestBlockMs: Math.max(...rounds.map(({ longestBlockMs }) => longestBlockMs)),
    errors: rounds.reduce((sum, { errors }) => sum + errors, 0),
    firstError: rounds.find(({ firstError }) => firstError)?.firstError,
  }
}

/** A rate within the limit of quotes. */
const quotesPerSecond = 5

function modest(program: ServerProcess, { uids, market }: KindSubjects, { rate, seconds }: GreedyOptions) {
  if (market) {
    const next = () => modestQuote(market)
    return runPaced({ port: program.port, from: modestAddress, rate: quotesPerSecond, seconds, next })
  }
  let index = 0
  const next = () => {
    const uid = uids[index++ % uids.length] ?? ''
    return { request: modestRequest(uid), expect: uid }
  }
  return runPaced({ port: program.port, from: modestAddress, rate, seconds, next })
}

function latencyOf({ latencies }: Turn): Latency {
  return { p50Ms: quantile(latencies, 0.5), p99Ms: quantile(latencies, 0.99) }
}

/** Stores notifications, which the fill lacks: a full page on the account with most orders. */
async function storeNotifications(url: string, account: Buffer): Promise<void> {
  await query(
    url,
    `INSERT INTO notifications (cause, chain_id, account, type, message, timestamp, metadata)
     SELECT 'greedy-' || i, $1, $2, 'order_filled', 'Order filled', now(), jsonb_build_object('orderUid', repeat('ab', 56))
     FROM generate_series(1, 1000) i ON CONFLICT (cause) DO NOTHING`,
    [shape.network.chainId, account],
  )
}

function lineOf(result: GreedyResult): string {
  const { title, alone, beside, ratio, answered, refused, megabytes, cpu, longestBlockMs } = result
  const ms = (value: number) => value.toFixed(2)
  const fault = result.errors > 0 ? `; ${result.errors} errors: ${result.firstError}` : ''
  return [
    title,
    `  p50 ${ms(alone.p50Ms)} ms alone, ${ms(beside.p50Ms)} beside; p99 ${ms(alone.p99Ms)} alone, ${ms(beside.p99Ms)} beside: x ${ratio.toFixed(2)}`,
    `  greedy: ${answered.toFixed(1)} answers and ${refused.toFixed(1)} refusals a second, ${megabytes.toFixed(1)} MB/s; ` +
      `core ${(cpu.alone * 100).toFixed(1)} % alone, ${(cpu.beside * 100).toFixed(1)} % beside; longest block ${longestBlockMs.toFixed(1)} ms${fault}`,
  ].join('\n')
}
