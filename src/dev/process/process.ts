import { spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

/** A process as written down in a file: `started` tells it from a later one that was given the same number. */
export interface ProcessMark {
  pid: number
  started: string
}

interface ProcessRow extends ProcessMark {
  parent: number
  command: string
}

/** `undefined` when there is none, or only a corpse that nobody has collected yet. */
export function findProcess(pid: number): ProcessRow | undefined {
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined
  return process.platform === 'linux' ? readProc(pid) : askPs(pid)
}

export function isRunning(mark: ProcessMark): boolean {
  return findProcess(mark.pid)?.started === mark.started
}

function readProc(pid: number): ProcessRow | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name in parentheses may hold anything; the fields after it are state (3rd), parent (4th), …, start time (22nd).
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
    return { pid, parent: Number(fields[1]), started: fields[19] ?? '', command }
  } catch {
    return undefined
  }
}

function askPs(pid: number): ProcessRow | undefined {
  const options = { encoding: 'utf8', timeout: 5_000, env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' } } as const
  const { stdout } = spawnSync('ps', ['-o', 'stat=,ppid=,lstart=,command=', '-p', String(pid)], options)
  const row = /^(\S+)\s+(\d+)\s+(\S+\s+\S+\s+\S+\s+\S+\s+\S+)\s+(\S.*)$/.exec((stdout ?? '').trim())
  if (!row || row[1]?.startsWith('Z')) return undefined
  return { pid, parent: Number(row[2]), started: row[3] ?? '', command: row[4] ?? '' }
}

/** Asks with each signal in turn, from the polite to the final, and gives every one `graceMs` to be obeyed. */
export async function endProcess(
  mark: ProcessMark,
  signals: NodeJS.Signals[],
  graceMs = 10_000,
): Promise<void> {
  for (const signal of signals) {
    if (!isRunning(mark)) return
    try {
      process.kill(mark.pid, signal)
    } catch {
      return
    }
    if (await until(graceMs, async () => !isRunning(mark))) return
  }
  if (isRunning(mark)) throw new Error(`process ${mark.pid} does not end`)
}

/** The first truthy answer, or `undefined` after `deadlineMs`. */
export async function until<T>(
  deadlineMs: number,
  probe: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const end = performance.now() + deadlineMs
  for (let pause = 5; ; pause = Math.min(pause * 2, 100)) {
    const answer = await probe()
    if (answer) return answer
    if (performance.now() > end) return undefined
    await delay(pause)
  }
}

/**
 * Ports below those that systems lend to connections (from 32768 on Linux, from 49152 elsewhere), and above the ones that
 * services are known by. A lent port may be anybody's by the time its first owner restarts.
 */
const ownPorts = { from: 16_384, count: 16_384 }

/** A port of 127.0.0.1 that is free now: the preferred one if possible, so that addresses outlive a restart. */
export async function freePort(preferred = 0): Promise<number> {
  const candidates = [preferred, drawnPort(), drawnPort(), drawnPort()]
  for (const port of candidates) if (port && (await probePort(port).catch(() => undefined))) return port
  return probePort(0)
}

function drawnPort(): number {
  return ownPorts.from + randomInt(ownPorts.count)
}

/** The port that was bound for a moment; with 0 any free one. @throws what the system says against it */
export function probePort(port: number, host = '127.0.0.1'): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen({ port, host, exclusive: true }, () => {
      const bound = server.address()
      server.close(() => resolve(typeof bound === 'object' && bound ? bound.port : port))
    })
  })
}
