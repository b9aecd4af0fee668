import { setTimeout as pause } from 'node:timers/promises'
import { canCount, countStatements, type Statement } from '../database/statements.ts'
import { runPaced } from '../load/paced.ts'
import { type Hear, runTurn, type Turn } from '../load/turn.ts'
import { type Figures, summary, toFigures } from '../measure.ts'
import { type Span, startCountingNode } from '../servers/counting-node.ts'
import type { ServerProcess } from '../servers/process.ts'
import type { System } from '../servers/systems.ts'
import { everyPair, type QuestionOptions, randomQuestions } from './questions.ts'
import { type Observed, perQuote, rpcShare } from './traffic.ts'

/** The pace of a turn's quotes: a clock, or a number of connections. */
export type Way = { rate: number } | { connections: number }

const warmSeconds = 2
const warmConnections = 4
const idleSeconds = 5

/** Fills all caches before the clock starts. */
export async function warm({ port }: ServerProcess, questions: QuestionOptions): Promise<void> {
  const queue = everyPair(questions).values()
  const random = randomQuestions(questions, 0)
  const next = () => queue.next().value ?? random()
  await runTurn({ port, connections: warmConnections, next, requests: questions.pairs.length })
  await runTurn({ port, connections: warmConnections, next, seconds: warmSeconds })
}

/** @param seed of the requests: all systems get the same in one round */
export async function timedTurn(
  { port, vitals }: ServerProcess,
  questions: QuestionOptions,
  way: Way,
  { seconds, seed }: { seconds: number; seed: number },
): Promise<Figures> {
  const next = randomQuestions(questions, seed)
  let verified = 0
  const hear: Hear = ({ body }) => {
    if (isVerified(body)) verified++
  }
  await vitals()
  const turn: Turn =
    'rate' in way
      ? await runPaced({ port, rate: way.rate, seconds, next, hear })
      : await runTurn({ port, connections: way.connections, seconds, next, hear })
  return {
    ...toFigures(turn, await vitals()),
    maxMs: turn.latencies.at(-1) ?? Number.NaN,
    verified: verified / turn.requests,
  }
}

function isVerified(body: Buffer): boolean {
  return body.includes('"verified":true')
}

export function summarise(rounds: readonly Figures[]): Figures {
  const verified = rounds.map((figures) => figures.verified ?? 0)
  return {
    ...summary(rounds),
    maxMs: Math.max(...rounds.map(({ maxMs = 0 }) => maxMs)),
    verified: verified.reduce((sum, part) => sum + part, 0) / rounds.length,
  }
}

export interface Counted {
  figures: Figures
  /** Requests to the node by method, for each quote. */
  rpc: Record<string, number>
  /** Requests for each second without quotes. */
  rpcIdle: Record<string, number>
  statements: Statement[] | undefined
}

/** Sends sequential quotes through a proxy of the node, and counts statements and node requests. */
export async function countedTurn(
  { start, databaseUrl }: System,
  rpcUrl: string,
  questions: QuestionOptions,
  { requests, restMs }: { requests: number; restMs: number },
): Promise<Counted> {
  const node = await startCountingNode(rpcUrl)
  const server = await start(node.url)
  try {
    await warm(server, questions)
    node.take()
    await pause(idleSeconds * 1000)
    const idle: Observed = { traffic: node.take(), seconds: idleSeconds }
    const answers: Span[] = []
    const hear: Hear = (_answer, span) => void answers.push(span)
    const next = randomQuestions(questions, 1)
    let turn: Turn | undefined
    const run = async () => {
      turn = await runTurn({ port: server.port, connections: 1, requests, restMs, next, hear })
    }
    await server.vitals()
    const statements = (await canCount(databaseUrl))
      ? await countStatements(databaseUrl, requests, run)
      : undefined
    if (!turn) await run()
    if (!turn) throw new Error('nothing was asked')
    const busy: Observed = { traffic: node.take(), seconds: turn.seconds }
    const rpc = perQuote(turn.requests, busy, idle)
    return {
      figures: {
        ...toFigures(turn, await server.vitals()),
        statementsPerRequest: statements?.reduce((sum, { callsPerRequest }) => sum + callsPerRequest, 0),
        rpcPerRequest: Object.values(rpc).reduce((sum, count) => sum + count, 0),
        rpcShare: rpcShare(answers, busy, idle),
      },
      rpc,
      rpcIdle: Object.fromEntries(
        [...idle.traffic.byLabel].map(([label, count]) => [label, count / idleSeconds]),
      ),
      statements,
    }
  } finally {
    await server.stop()
    node.close()
  }
}
