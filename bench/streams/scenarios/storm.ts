import { setTimeout as pause } from 'node:timers/promises'
import { runPaced } from '../../load/paced.ts'
import { quantile, type Turn } from '../../load/turn.ts'
import type { Print } from '../../options.ts'
import { readQuestion, type Stand, type System } from '../stand.ts'
import { type Counted, countSince, linesOf, resetCount, total } from '../statements.ts'

interface StormResult {
  system: string
  title: string
  /** The time until the last reader had the last missed event. */
  caughtUpMs: number
  missing: number
  lost: number
  repeated: number
  statements: number
  commonest: Counted[]
  cpuMs: number
  maxBlockMs: number
  /** Another client's reads, alone and during the storm. */
  read: { alone: Latency; beside: Latency; errors: number; firstError: string | undefined }
  said: Record<string, number>
}

interface Latency {
  p50Ms: number
  p99Ms: number
}

const [readers, behind, bytes] = [1_000, 50, 120]
const [readRate, readSeconds, waitMs, restMs] = [100, 4, 30_000, 2_000]
/** The cursor for peers, which have none: any value marks a resuming reader. */
const fromMemory = '0'
/** The other client's connections, opened before: new ones wait behind a thousand in the kernel's queue. */
const readConnections = 20

/**
 * Reconnects all cut readers at once; compares with the peer that has the latest events in memory: with
 * minimal work, other clients there wait only for the machine, whose CPU the readers also use.
 */
export async function measureStorm(
  stand: Stand,
  options: { rounds: number },
  print: Print,
): Promise<StormResult[]> {
  const results: StormResult[] = []
  // Real readers are other machines: here they must not delay others. Later scenarios take no times of them.
  await stand.crowds.giveWay()
  for (const accounts of [1, readers]) {
    const title = `${readers} readers come back, each ${behind} events behind, ${accounts === 1 ? 'of one account' : 'an account each'}`
    const systems = [stand.peer, stand.program]
    const turns = new Map(systems.map((system) => [system, [] as StormResult[]]))
    for (let round = 1; round <= options.rounds; round++)
      for (const [system, done] of turns) done.push(await storm(stand, system, accounts, title))
    for (const rounds of turns.values()) {
      // The median round by the main figure, unchanged.
      const middle = rounds.toSorted((a, b) => a.caughtUpMs - b.caughtUpMs)[Math.floor(rounds.length / 2)]
      for (const round of rounds) print(lineOf(round))
      if (!middle) continue
      for (const line of linesOf(middle.commonest)) print(line)
      results.push(middle)
    }
  }
  return results
}

async function storm(stand: Stand, system: System, accounts: number, title: string): Promise<StormResult> {
  const { crowds, databaseUrl } = stand
  const { server, to } = system
  const crowd = await stand.readers(system, readers, accounts)
  const count = accounts * behind
  const { first } = await stand.emit({ to, count, accounts, bytes })
  await pause(restMs)
  const read = () =>
    runPaced({
      port: server.port,
      from: '127.0.0.9',
      rate: readRate,
      seconds: readSeconds,
      next: () => readQuestion,
      connections: readConnections,
    })
  const alone = await read()
  await crowds.gather({
    ports: [server.port],
    path: system.path,
    readers: crowd.map((reader) => ({ ...reader, after: reader.after ?? fromMemory })),
    atOnce: readers,
    resume: 'none',
  })
  await resetCount(databaseUrl)
  await server.vitals()
  const reading = read()
  const started = performance.now()
  const opening = crowds.open()
  const missing = await crowds.settle(first + count - 1, waitMs)
  const caughtUpMs = performance.now() - started
  const [beside] = await Promise.all([reading, opening])
  const { cpuMs, maxBlockMs } = await server.vitals()
  const counted = await countSince(databaseUrl)
  const { lost, repeated, said } = await crowds.standing()
  await crowds.close()
  await pause(restMs)
  return {
    system: system.name,
    title,
    caughtUpMs,
    missing,
    lost,
    repeated,
    // Each read is one statement.
    statements: to === 'database' ? total(counted) - beside.requests : 0,
    commonest: to === 'database' ? counted.slice(0, 5) : [],
    cpuMs,
    maxBlockMs,
    read: {
      alone: latencyOf(alone),
      beside: latencyOf(beside),
      errors: alone.errors + beside.errors,
      firstError: alone.firstError ?? beside.firstError,
    },
    said,
  }
}

function latencyOf({ latencies }: Turn): Latency {
  return { p50Ms: quantile(latencies, 0.5), p99Ms: quantile(latencies, 0.99) }
}

function lineOf(result: StormResult): string {
  const { system, title, caughtUpMs, missing, lost, repeated, statements, cpuMs, maxBlockMs, read, said } =
    result
  const { alone, beside, errors, firstError } = read
  const ratio = beside.p99Ms / alone.p99Ms
  return [
    `${title}, ${system}: ${caughtUpMs.toFixed(0)} ms, ${missing} missing, ${lost} lost, ${repeated} repeated; ${statements} statements; CPU ${cpuMs.toFixed(0)} ms, block ${maxBlockMs.toFixed(0)} ms`,
    `  reads p50 ${alone.p50Ms.toFixed(1)} ms alone, ${beside.p50Ms.toFixed(1)} beside; p99 ${alone.p99Ms.toFixed(1)} alone, ${beside.p99Ms.toFixed(1)} beside: x ${ratio.toFixed(1)}; ${errors} errors ${firstError ?? ''}`,
    ...(Object.keys(said).length > 0 ? [`  said: ${JSON.stringify(said)}`] : []),
  ].join('\n')
}
