import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'

/** A server under test, in a separate process. */
export interface ServerProcess {
  port: number
  pid: number
  /** Takes the events since the last call. */
  vitals: () => Promise<Vitals>
  /** Collects garbage first, which stops the process for a moment. */
  heldMemory: () => Promise<HeldMemory>
  /** Stops it by SIGTERM, with 10 s, or by the named signal. */
  stop(signal?: NodeJS.Signals): Promise<void>
}

export interface Vitals {
  maxBlockMs: number
  p99BlockMs: number
  cpuMs: number
  rssMb: number
}

export interface HeldMemory {
  heapMb: number
  /** Memory of buffers. */
  externalMb: number
}

interface Command {
  name: string
  /** The Node executable, if not this one. */
  node?: string
  args: readonly string[]
  cwd?: string
  env?: Record<string, string>
  /** Receives the output in pieces. */
  hear?: ((text: string) => void) | undefined
}

const startMs = 120_000
/** A time longer than an overloaded server stalls. */
const answerMs = 60_000
const endMs = 10_000
const watch = path.join(import.meta.dirname, 'watch-loop.mjs')

/** Starts a script that prints `ready http://…:port`. @throws when it does not, with its last output */
export async function startServer(command: Command): Promise<ServerProcess> {
  const { name, node = process.execPath, args, cwd = process.cwd(), env } = command
  const child = spawn(node, ['--import', watch, ...args], {
    cwd,
    env: { PATH: process.env.PATH, NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const { hear } = command
  if (hear)
    for (const output of [child.stdout, child.stderr]) output?.on('data', (data) => hear(String(data)))
  const port = await readPort(child, name)
  const answer = <Answer>() =>
    once<Answer>(name, answerMs, (resolve) => child.once('message', resolve as () => void))
  return {
    port,
    pid: child.pid ?? 0,
    vitals: async () => {
      const vitals = answer<Vitals>()
      child.kill('SIGUSR2')
      return vitals
    },
    heldMemory: async () => {
      const held = answer<HeldMemory>()
      child.send('collect')
      return held
    },
    async stop(signal = 'SIGTERM') {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
      child.kill(signal)
      const timer = setTimeout(() => child.kill('SIGKILL'), endMs)
      await ended
      clearTimeout(timer)
    },
  }
}

async function readPort(child: ChildProcess, name: string): Promise<number> {
  let said = ''
  return once(name, startMs, (resolve, reject) => {
    child.once('error', reject)
    child.once('exit', () => reject(new Error(`${name} ended: ${said.trim().slice(-600)}`)))
    const hear = (data: Buffer) => {
      said = (said + data).slice(-4_000)
      const port = /^ready http:\/\/[^\s]*:(\d+)/m.exec(said)?.[1]
      if (port) resolve(Number(port))
    }
    child.stdout?.on('data', hear)
    child.stderr?.on('data', hear)
  })
}

function once<T>(
  name: string,
  timeoutMs: number,
  start: (resolve: (value: T) => void, reject: (error: Error) => void) => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${name} did not answer in time`)), timeoutMs)
    const settle =
      <Value>(then: (value: Value) => void) =>
      (value: Value) => {
        clearTimeout(timer)
        then(value)
      }
    start(settle(resolve), settle(reject))
  })
}

const ticksPerSecond = 100

/** Returns the resident memory and the CPU of a process; undefined after its end. */
export function usageOf({ pid }: ServerProcess): { rssMb: number; cpuSeconds: number } | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return {
      rssMb: Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1_024,
      cpuSeconds: (Number(stat[11]) + Number(stat[12])) / ticksPerSecond,
    }
  } catch {
    return undefined
  }
}
