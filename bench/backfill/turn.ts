import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type { Undo } from '../setup.ts'

export interface Command {
  args: readonly [string, ...string[]]
  cwd?: string
  env: Record<string, string>
}

export interface TurnFigures {
  seconds: number
  /** CPU of its processes, without the database's. */
  cpuSeconds: number
  /** The highest resident memory of one process. */
  peakMb: number
  kills: number
}

export interface Turn {
  name: string
  command: Command
  /** Orders that are done. */
  progress(): Promise<number>
  orders: number
  kills: number
  /** Returns whether all is done; by default once `progress` counts all. */
  isDone?: (() => Promise<boolean>) | undefined
  /** True for a process that ends by itself when it is done. */
  ends?: boolean
}

const lookEveryMs = 250
const ticksPerSecond = 100
/** The time without progress after which a turn has failed. */
const stuckMs = 120_000

/** Runs a system until it is done, and kills and restarts it at even parts of its progress. */
export async function runTurn(turn: Turn, undo: Undo): Promise<TurnFigures> {
  const { name, orders, kills } = turn
  const isDone = turn.isDone ?? (async () => (await turn.progress()) >= orders)
  const figures = { cpuSeconds: 0, peakMb: 0, kills: 0 }
  const started = performance.now()
  let said = ''
  const start = () => {
    const [program, ...args] = turn.command.args
    const { cwd, env } = turn.command
    const child = spawn(program, args, { cwd, env: { PATH: process.env.PATH, ...env } })
    for (const output of [child.stdout, child.stderr])
      output.on('data', (data) => {
        said = (said + data).slice(-4_000)
      })
    return child
  }
  let child = start()
  undo.push(() => end(child))
  let [best, bestAt] = [0, performance.now()]
  for (;;) {
    await pause(lookEveryMs)
    const usage = usageOf(child)
    figures.peakMb = Math.max(figures.peakMb, usage?.peakMb ?? 0)
    if (child.exitCode !== null && !(turn.ends && child.exitCode === 0))
      throw new Error(`${name} ended with ${child.exitCode}: ${said.trim().slice(-1_500)}`)
    if (turn.ends ? child.exitCode === 0 : await isDone()) {
      const seconds = (performance.now() - started) / 1_000
      figures.cpuSeconds += (usageOf(child) ?? last).cpuSeconds
      await end(child)
      return { ...figures, seconds }
    }
    last = usage ?? last
    const done = await turn.progress()
    if (done > best) [best, bestAt] = [done, performance.now()]
    if (performance.now() - bestAt > stuckMs)
      throw new Error(`${name} is stuck at ${best}: ${said.trim().slice(-1_500)}`)
    if (figures.kills < kills && done >= (orders * (figures.kills + 1)) / (kills + 1)) {
      figures.cpuSeconds += usageOf(child)?.cpuSeconds ?? 0
      figures.kills++
      await end(child, 'SIGKILL')
      child = start()
    }
  }
}

let last = { peakMb: 0, cpuSeconds: 0 }

/** The resident memory, its peak and the CPU of a process; undefined after its end. */
export function usageOf({
  pid,
}: {
  pid?: number | undefined
}): { rssMb: number; peakMb: number; cpuSeconds: number } | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const megabytes = (name: string) =>
      Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0) / 1_024
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return {
      rssMb: megabytes('VmRSS'),
      peakMb: megabytes('VmHWM'),
      cpuSeconds: (Number(stat[11]) + Number(stat[12])) / ticksPerSecond,
    }
  } catch {
    return undefined
  }
}

async function end(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const closed = once(child, 'close')
  child.kill(signal)
  const timer = setTimeout(() => child.kill('SIGKILL'), 15_000)
  await closed
  clearTimeout(timer)
}
