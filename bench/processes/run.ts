import path from 'node:path'
import { startRedis } from '../../test/setup/redis.ts'
import { sizeOf } from '../database/shape.ts'
import { createRandom, readSubjects, type Subject } from '../database/subjects.ts'
import { post } from '../load/question.ts'
import { runTurn, type Turn } from '../load/turn.ts'
import { type Figures, summary, toFigures } from '../measure.ts'
import { cache } from '../options.ts'
import { startNode } from '../servers/node.ts'
import type { ServerProcess, Vitals } from '../servers/process.ts'
import { startProgram } from '../servers/program.ts'
import { prepareDatabase, type Undo } from '../setup.ts'
import { documents } from '../suites/documents.ts'
import type { ProcessesOptions } from './options.ts'

export interface ProcessesResult extends Figures {
  processes: number
  limits: Limits
}

type Limits = 'own' | 'shared'

const warmupSeconds = 1
/** Returns a client's address; clients request every process, as behind a balancer. */
const client = (connection: number) => `127.0.1.${connection + 1}`
/** Connections of all processes together: the same number in each row. */
const databaseConnections = 24

/** Limits that no client meets; each request is still counted. */
const limits = { RATE_LIMIT_READS: '1000000', RATE_LIMIT_QUOTES: '1000000', RATE_LIMIT_ORDERS: '1000000' }

export async function runProcesses(
  options: ProcessesOptions,
  undo: Undo,
  print: (line: string) => void,
): Promise<ProcessesResult[]> {
  const { url } = await prepareDatabase(options, undo, print)
  const { orders } = await readSubjects(url, sizeOf(options.orders))
  const node = await startNode()
  undo.push(node.close)
  const redis = await startRedis()
  undo.push(redis.stop)
  let built = false
  const start = async (processes: number, kind: Limits) => {
    const server = await startProgram({
      source: path.join(import.meta.dirname, '..', '..'),
      target: path.join(cache, 'processes'),
      built,
      databaseUrl: url,
      rpcUrl: node.url,
      env: {
        ...limits,
        DATABASE_CONNECTIONS: `${Math.floor(databaseConnections / processes)}`,
        ...(kind === 'shared' && { REDIS_URL: redis.url }),
      },
      print,
    })
    built = true
    return server
  }
  const results: ProcessesResult[] = []
  for (const processes of options.processes) {
    const rows: { limits: Limits; servers: ServerProcess[]; rounds: Figures[] }[] = []
    for (const kind of ['own', 'shared'] as const) {
      const servers: ServerProcess[] = []
      for (let index = 0; index < processes; index++) servers.push(await start(processes, kind))
      undo.push(async () => void (await Promise.all(servers.map(({ stop }) => stop()))))
      rows.push({ limits: kind, servers, rounds: [] })
    }
    for (let round = 0; round < options.rounds; round++)
      for (const { servers, rounds } of round % 2 === 0 ? rows : rows.toReversed())
        rounds.push(await measureAll(servers, orders, round, options))
    for (const { limits: kind, servers, rounds } of rows) {
      await Promise.all(servers.map(({ stop }) => stop()))
      const result = { processes, limits: kind, ...summary(rounds) }
      results.push(result)
      print(lineOf(result))
    }
  }
  return results
}

async function measureAll(
  servers: readonly ServerProcess[],
  subjects: readonly Subject[],
  round: number,
  { connections, seconds }: ProcessesOptions,
): Promise<Figures> {
  const query = JSON.stringify(documents.order)
  const random = createRandom(round)
  const next = () => {
    const subject = subjects[Math.floor(random() * subjects.length)]
    if (!subject) throw new Error('there is nothing to ask for')
    const uid = `0x${subject.uid.toString('hex')}`
    return { request: post('/graphql', `{"query":${query},"variables":{"uid":"${uid}"}}`), expect: uid }
  }
  const each = Math.max(1, Math.round(connections / servers.length))
  const turns = (duration: number) =>
    Promise.all(
      servers.map(({ port }) => runTurn({ port, connections: each, from: client, next, seconds: duration })),
    )
  await turns(warmupSeconds)
  await Promise.all(servers.map(({ vitals }) => vitals()))
  const done = await turns(seconds)
  return toFigures(joinTurns(done), joinVitals(await Promise.all(servers.map(({ vitals }) => vitals()))))
}

/** Joins turns that ran at the same time. */
function joinTurns(turns: readonly Turn[]): Turn {
  const sum = (of: (turn: Turn) => number) => turns.reduce((total, turn) => total + of(turn), 0)
  return {
    requests: sum(({ requests }) => requests),
    seconds: Math.max(...turns.map(({ seconds }) => seconds)),
    latencies: turns.flatMap(({ latencies }) => latencies).sort((a, b) => a - b),
    bytes: sum(({ bytes }) => bytes),
    errors: sum(({ errors }) => errors),
    firstError: turns.find(({ firstError }) => firstError)?.firstError,
  }
}

/** Joins CPU and memory of all processes, and the longest block of one. */
function joinVitals(vitals: readonly Vitals[]): Vitals {
  const sum = (of: (each: Vitals) => number) => vitals.reduce((total, each) => total + of(each), 0)
  return {
    longestBlockMs: Math.max(...vitals.map(({ longestBlockMs }) => longestBlockMs)),
    p99BlockMs: Math.max(...vitals.map(({ p99BlockMs }) => p99BlockMs)),
    cpuMs: sum(({ cpuMs }) => cpuMs),
    rssMb: sum(({ rssMb }) => rssMb),
  }
}

function lineOf(result: ProcessesResult): string {
  const { processes, requestsPerSecond, p50Ms, p99Ms, cpuMsPerRequest, errors, firstError } = result
  return `${processes} processes, limits ${result.limits}: ${requestsPerSecond.toFixed(0)}/s, p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms, CPU ${cpuMsPerRequest.toFixed(3)} ms a request; ${errors} errors ${firstError ?? ''}`
}
