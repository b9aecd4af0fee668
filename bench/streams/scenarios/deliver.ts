import { setTimeout as pause } from 'node:timers/promises'
import { median, quantile } from '../../load/turn.ts'
import type { Stand, System } from '../stand.ts'
import { type Counted, countSince, resetCount, total } from '../statements.ts'

export interface Load {
  streams: number
  accounts: number
  /** Events per second, of all accounts together. */
  rate: number
  seconds: number
  bytes: number
}

export interface Delivery {
  /** The deliveries due to the readers of the events' accounts. */
  expected: number
  delivered: number
  /** Events that are skipped or, at the end of the wait, still missing. */
  lost: number
  repeated: number
  /** CPU time of the server's process, for each delivery. */
  cpuUs: number
  /** The delay from the end of the commit, or of the write to the peer's socket. */
  p50Ms: number
  p99Ms: number
  /** The delay from the beginning of the transaction. */
  p99WithCommitMs: number
  /** The share of a core. */
  core: number
  maxBlockMs: number
  rssMb: number
  openMs: number
  statementsPerSecond: number | undefined
  statements: Counted[] | undefined
  said: Record<string, number>
}

const [settleMs, waitMs] = [1_000, 10_000]

/** Runs one turn of one system; the others are idle meanwhile. */
export async function deliver(stand: Stand, system: System, load: Load): Promise<Delivery> {
  const { crowds, databaseUrl } = stand
  const { streams, accounts, rate, seconds, bytes } = load
  const readers = await stand.readers(system, streams, accounts)
  const isProgram = system.server === stand.program.server
  await crowds.gather({
    ports: [system.server.port],
    path: system.path,
    document: system.document,
    readers,
    atOnce: 50,
    resume: 'none',
  })
  const openMs = await crowds.open()
  await pause(settleMs)
  if (isProgram) await resetCount(databaseUrl)
  await system.server.vitals()
  const started = performance.now()
  const { first, begun, done } = await stand.emit({
    to: system.to,
    count: rate * seconds,
    rate,
    accounts,
    bytes,
  })
  const missing = await crowds.settle(first + done.length - 1, waitMs)
  const { delivered, lost, repeated, said } = await crowds.standing()
  const vitals = await system.server.vitals()
  const elapsed = performance.now() - started
  const statements = isProgram ? await countSince(databaseUrl) : undefined
  const delays = Array.from(await crowds.since(first, done))
  const withCommit = Array.from(await crowds.since(first, begun))
  await crowds.close()
  return {
    expected: delivered + lost + missing,
    delivered,
    lost: lost + missing,
    repeated,
    cpuUs: (vitals.cpuMs * 1_000) / delivered,
    p50Ms: quantile(delays, 0.5),
    p99Ms: quantile(delays, 0.99),
    p99WithCommitMs: quantile(withCommit, 0.99),
    core: vitals.cpuMs / elapsed,
    maxBlockMs: vitals.maxBlockMs,
    rssMb: vitals.rssMb,
    openMs,
    statementsPerSecond: statements && (total(statements) * 1_000) / elapsed,
    statements: statements?.slice(0, 10),
    said,
  }
}

/** Returns medians; of losses the sum, of pauses and memory the maximum. */
export function middleOf(turns: readonly Delivery[]): Delivery {
  const [first] = turns
  if (!first) throw new Error('nothing was measured')
  const middle = (read: (turn: Delivery) => number) => median(turns.map(read))
  const sum = (read: (turn: Delivery) => number) => turns.reduce((all, turn) => all + read(turn), 0)
  return {
    ...first,
    expected: sum(({ expected }) => expected),
    delivered: sum(({ delivered }) => delivered),
    lost: sum(({ lost }) => lost),
    repeated: sum(({ repeated }) => repeated),
    cpuUs: middle(({ cpuUs }) => cpuUs),
    p50Ms: middle(({ p50Ms }) => p50Ms),
    p99Ms: middle(({ p99Ms }) => p99Ms),
    p99WithCommitMs: middle(({ p99WithCommitMs }) => p99WithCommitMs),
    core: middle(({ core }) => core),
    maxBlockMs: Math.max(...turns.map(({ maxBlockMs }) => maxBlockMs)),
    rssMb: Math.max(...turns.map(({ rssMb }) => rssMb)),
    openMs: middle(({ openMs }) => openMs),
    statementsPerSecond: first.statementsPerSecond && middle((turn) => turn.statementsPerSecond ?? 0),
  }
}
