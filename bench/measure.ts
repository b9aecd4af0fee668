import { canCount, countStatements, type Statement } from './database/statements.ts'
import { createRandom, type Subject } from './database/subjects.ts'
import type { Question } from './load/question.ts'
import { askOnce, excerptOf, isRight, median, quantile, runTurn, type Turn } from './load/turn.ts'
import type { ServerProcess, Vitals } from './servers/process.ts'

export interface MeasureOptions {
  databaseUrl: string
  connections: number
  seconds: number
  rounds: number
  subjects: readonly Subject[]
  print: (line: string) => void
}

/** One request, sent to each system in turns. */
export interface Workload {
  name: string
  rows: Row[]
}

export interface Row {
  system: string
  server: ServerProcess
  /** The reason why the row cannot be measured. */
  skipped?: string | undefined
  ask(subject: Subject): Question
}

export interface WorkloadResult {
  name: string
  rows: RowResult[]
}

export interface RowResult {
  system: string
  /** The reason why there are no figures. */
  skipped?: string | undefined
  figures?: Figures
  rounds: Figures[]
  statements?: Statement[] | undefined
}

/** Figures of one turn, or the medians of several; for blocks and errors the maximum. */
export interface Figures {
  requestsPerSecond: number
  p50Ms: number
  p99Ms: number
  bytes: number
  errors: number
  firstError?: string | undefined
  cpuMsPerRequest: number
  maxBlockMs: number
  rssMb: number
  /** The longest block with one request at a time: the maximum of all, and the median over the passes. */
  maxBlockAloneMs?: number
  defaultBlockAloneMs?: number
  statementsPerRequest?: number | undefined
  /** Requests to the chain's node. */
  rpcPerRequest?: number
  maxMs?: number
  /** The share of quotes that a simulation confirmed. */
  verified?: number
  /** The share of the response time during which the server had a request at the chain's node. */
  rpcShare?: number
}

const warmupSeconds = 1
const quietPasses = 5
const quietRequests = 20

const checkedSubjects = 3

/**
 * Checks each system with each workload before any is measured: a system that refuses a request is fast, and
 * its figures and the ratios to it mean nothing.
 * @throws with the first wrong answer
 */
export async function checkAnswers(
  workloads: readonly Workload[],
  subjects: readonly Subject[],
): Promise<void> {
  for (const { name, rows } of workloads) {
    for (const row of rows) {
      if (row.skipped !== undefined) continue
      for (const subject of subjects.slice(0, checkedSubjects)) {
        const { request, expect } = row.ask(subject)
        const answer = await askOnce(row.server.port, request)
        if (!isRight(answer, expect)) throw new Error(`${name}: ${row.system} answers ${excerptOf(answer)}`)
      }
    }
  }
}

/** Measures all rows of a workload, in turns. */
export async function measure(workload: Workload, options: MeasureOptions): Promise<RowResult[]> {
  const results = new Map(
    workload.rows.map((row): [Row, RowResult] => [
      row,
      { system: row.system, skipped: row.skipped, rounds: [] },
    ]),
  )
  for (let round = 1; round <= options.rounds; round++) {
    for (const [row, result] of inTurns([...results], round)) {
      if (result.skipped) continue
      const figures = await timedTurn(row, round, options)
      result.rounds.push(figures)
      options.print(
        `${workload.name} ${round}/${options.rounds} ${row.system}: ${Math.round(figures.requestsPerSecond)}/s`,
      )
    }
  }
  const counting = await canCount(options.databaseUrl)
  if (!counting) options.print('SQL is not counted: this PostgreSQL does not load pg_stat_statements')
  for (const [row, result] of results) {
    if (result.skipped) continue
    result.figures = { ...summary(result.rounds), ...(await quietPass(row, result, counting, options)) }
  }
  return [...results.values()]
}

/** Starts each round with another row: the first one loads the database's cache for the others. */
function inTurns<T>(rows: readonly T[], round: number): T[] {
  const first = (round - 1) % rows.length
  return [...rows.slice(first), ...rows.slice(0, first)]
}

async function timedTurn(row: Row, round: number, options: MeasureOptions): Promise<Figures> {
  const { connections, seconds } = options
  const next = questions(row, round, options)
  const { port, vitals } = row.server
  await runTurn({ port, connections, next, seconds: warmupSeconds })
  await vitals()
  const turn = await runTurn({ port, connections, next, seconds })
  return toFigures(turn, await vitals())
}

/**
 * Sends one request at a time, and counts its SQL. Other programs on the machine cause blocks too, but not in
 * every pass.
 */
async function quietPass(row: Row, result: RowResult, counting: boolean, options: MeasureOptions) {
  const next = questions(row, 0, options)
  const { port, vitals } = row.server
  const blocks: number[] = []
  const run = async () => {
    for (let pass = 0; pass < quietPasses; pass++) {
      await vitals()
      await runTurn({ port, connections: 1, next, requests: quietRequests })
      blocks.push((await vitals()).maxBlockMs)
    }
  }
  if (counting) {
    result.statements = await countStatements(options.databaseUrl, quietPasses * quietRequests, run)
  } else await run()
  return {
    maxBlockAloneMs: Math.max(...blocks),
    defaultBlockAloneMs: median(blocks),
    statementsPerRequest: result.statements?.reduce((sum, { callsPerRequest }) => sum + callsPerRequest, 0),
  }
}

function questions(row: Row, seed: number, { subjects }: MeasureOptions): () => ReturnType<Row['ask']> {
  const random = createRandom(seed)
  return () => {
    const subject = subjects[Math.floor(random() * subjects.length)]
    if (!subject) throw new Error('there is nothing to ask for')
    return row.ask(subject)
  }
}

export function toFigures(turn: Turn, { maxBlockMs, cpuMs, rssMb }: Vitals): Figures {
  const { requests, seconds, latencies, bytes, errors, firstError } = turn
  return {
    requestsPerSecond: requests / seconds,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    bytes: Math.round(bytes / requests),
    errors,
    firstError,
    cpuMsPerRequest: cpuMs / requests,
    maxBlockMs,
    rssMb,
  }
}

export function summary(rounds: readonly Figures[]): Figures {
  const middle = (of: (figures: Figures) => number) => median(rounds.map(of))
  const max = (of: (figures: Figures) => number) => Math.max(...rounds.map(of))
  return {
    requestsPerSecond: middle((figures) => figures.requestsPerSecond),
    p50Ms: middle((figures) => figures.p50Ms),
    p99Ms: middle((figures) => figures.p99Ms),
    bytes: middle((figures) => figures.bytes),
    cpuMsPerRequest: middle((figures) => figures.cpuMsPerRequest),
    errors: rounds.reduce((sum, figures) => sum + figures.errors, 0),
    firstError: rounds.find(({ firstError }) => firstError)?.firstError,
    maxBlockMs: max((figures) => figures.maxBlockMs),
    rssMb: max((figures) => figures.rssMb),
  }
}
