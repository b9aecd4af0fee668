import { loadavg } from 'node:os'
import { shape, sizeOf } from '../database/shape.ts'
import { readSubjects, type Subject } from '../database/subjects.ts'
import { openConnection } from '../load/connection.ts'
import { get } from '../load/question.ts'
import { excerptOf, isRight, median, quantile } from '../load/turn.ts'
import type { Options } from '../options.ts'
import { toTable } from '../report.ts'
import type { ServerProcess } from '../servers/process.ts'
import { prepareDatabase, startServers, type Undo } from '../setup.ts'

/** The numbers of an account's orders in one read. */
const listed = [1, 10]
/** Uncounted bursts that compile code and open connections. */
const warmups = 3

const hex = (bytes: Buffer) => `0x${bytes.toString('hex')}`

interface System {
  name: string
  server: ServerProcess
  path: (owner: string, limit: number) => string
}

/** Figures of one burst, or the medians of several; errors are summed. */
interface BurstFigures {
  p50Ms: number
  p99Ms: number
  cpuMsPerRequest: number
  errors: number
}

/**
 * Sends simultaneous reads, each on its own connection, to the program and to the bare handler in turns: an
 * account's newest orders over REST, with equal bodies. `right` is false if a read is refused.
 */
export async function runBurst(options: Options, undo: Undo, print: (line: string) => void) {
  const { url, filling } = await prepareDatabase(options, undo, print)
  const { servers } = await startServers({ ...options, postgraphile: false }, url, undo, print)
  const { orders } = await readSubjects(url, sizeOf(options.orders, options.brief))
  const ours: System = {
    name: 'tradegraph REST',
    server: servers.program,
    path: (owner, limit) => `/${shape.network.name}/api/v1/account/${owner}/orders?limit=${limit}`,
  }
  const bare: System = {
    name: 'one statement',
    server: servers.oneStatement,
    path: (owner, limit) => `/orders/${owner}/${limit}`,
  }
  const results = []
  for (const limit of listed) {
    const rounds = new Map<System, BurstFigures[]>([
      [ours, []],
      [bare, []],
    ])
    for (let round = 0; round < warmups + options.rounds; round++) {
      const systems = round % 2 === 0 ? [ours, bare] : [bare, ours]
      for (const system of systems) {
        const figures = await burst(system, limit, subjectsOf(orders, round, options.connections), print)
        if (round >= warmups) rounds.get(system)?.push(figures)
      }
    }
    const [program, handler] = [ours, bare].map((system) => rounds.get(system) ?? [])
    // Turns alternate: other load on the machine affects both figures of a round. A refused read is fast: its
    // round has no ratio.
    const ratios = (program ?? []).flatMap((of, round) => {
      const other = handler?.[round]
      return other && of.errors + other.errors === 0 ? [of.p99Ms / other.p99Ms] : []
    })
    const ratio = ratios.length > 0 ? median(ratios) : undefined
    const figures = [ours, bare].map((system) => ({
      system: system.name,
      ...summary(rounds.get(system) ?? []),
    }))
    const [load = 0] = loadavg()
    print(
      `\n${options.connections} reads at once, ${limit} orders each, ${options.rounds} bursts, load ${load.toFixed(1)}`,
    )
    print(formatFigures(figures))
    print(
      `p99 x one statement, the median of ${ratios.length} bursts without errors: ${ratio?.toFixed(2) ?? '?'}`,
    )
    results.push({ limit, load, ratio, figures })
  }
  return {
    filling,
    results,
    right: results.every(({ figures }) => figures.every(({ errors }) => errors === 0)),
  }
}

function subjectsOf(orders: readonly Subject[], round: number, count: number): Subject[] {
  return Array.from({ length: count }, (_, index) => {
    const subject = orders[(round * count + index) % orders.length]
    if (!subject) throw new Error('there is nothing to ask for')
    return subject
  })
}

async function burst(
  { name, server, path }: System,
  limit: number,
  subjects: readonly Subject[],
  print: (line: string) => void,
): Promise<BurstFigures> {
  const asked = []
  for (const { owner } of subjects)
    asked.push({ owner: hex(owner), connection: await openConnection(server.port) })
  await server.vitals()
  let errors = 0
  const latencies = await Promise.all(
    asked.map(async ({ owner, connection }) => {
      const sent = performance.now()
      const answer = await connection.send(get(path(owner, limit)))
      if (!isRight(answer, owner) && errors++ === 0) print(`${name} answers ${excerptOf(answer)}`)
      return performance.now() - sent
    }),
  )
  for (const { connection } of asked) connection.close()
  const { cpuMs } = await server.vitals()
  latencies.sort((a, b) => a - b)
  return {
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    cpuMsPerRequest: cpuMs / subjects.length,
    errors,
  }
}

function summary(bursts: readonly BurstFigures[]): BurstFigures {
  const middle = (of: (figures: BurstFigures) => number) => median(bursts.map(of))
  return {
    p50Ms: middle(({ p50Ms }) => p50Ms),
    p99Ms: middle(({ p99Ms }) => p99Ms),
    cpuMsPerRequest: middle(({ cpuMsPerRequest }) => cpuMsPerRequest),
    errors: bursts.reduce((sum, { errors }) => sum + errors, 0),
  }
}

function formatFigures(figures: readonly (BurstFigures & { system: string })[]): string {
  const lines = figures.map(({ system, p50Ms, p99Ms, cpuMsPerRequest, errors }) => [
    system,
    ...[p50Ms, p99Ms].map((ms) => ms.toFixed(1)),
    cpuMsPerRequest.toFixed(2),
    String(errors),
  ])
  return toTable(['system', 'p50 ms', 'p99 ms', 'CPU ms', 'errors'], lines)
}
