import { spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

/** A process as it is stored in a file: `started` distinguishes it from a later process with the same id. */
export interface ProcessIdentity {
  pid: number
  started: string
}

interface ProcessRow extends ProcessIdentity {
  parent: number
  command: string
}

/**
 * `undefined` for no process, or for a zombie. A zombie whose other threads still run counts: they hold its
 * ports and files.
 */
export function findProcess(pid: number): ProcessRow | undefined {
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined
  return process.platform === 'linux' ? readProc(pid) : askPs(pid)
}

export function isRunning(identity: ProcessIdentity): boolean {
  return findProcess(identity.pid)?.started === identity.started
}

function readProc(pid: number): ProcessRow | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name in parentheses may hold anything; the fields after it are state (3rd), parent (4th), …,
    // threads (20th), start time (22nd).
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (fields[0] === 'X' || (fields[0] === 'Z' && Number(fields[17]) <= 1)) return undefined
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

/**
 * Sends the signals one after the other, and waits up to `graceMs` after each.
 * @throws when the process does not end
 */
export async function endProcess(
  identity: ProcessIdentity,
  signals: NodeJS.Signals[],
  graceMs = 10_000,
): Promise<void> {
  for (const signal of signals) {
    if (!isRunning(identity)) return
    try {
      process.kill(identity.pid, signal)
    } catch {
      return
    }
    if (await until(graceMs, async () => !isRunning(identity))) return
  }
  if (isRunning(identity)) throw new Error(`process ${identity.pid} does not end`)
}

/** Polls for the first truthy answer; `undefined` after `timeoutMs`. */
export async function until<T>(
  timeoutMs: number,
  probe: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const deadline = performance.now() + timeoutMs
  for (let pause = 5; ; pause = Math.min(pause * 2, 100)) {
    const answer = await probe()
    if (answer) return answer
    if (performance.now() > deadline) return undefined
    await delay(pause)
  }
}

/**
 * Range below the ephemeral ports (from 32768 on Linux, from 49152 elsewhere), and above those of well-known
 * services. Any process may get an ephemeral port before its first owner restarts.
 */
const portRange = { from: 16_384, count: 16_384 }

/** A free port of 127.0.0.1: the preferred one if possible, so that the address survives a restart. */
export async function freePort(preferredPort = 0): Promise<number> {
  const candidates = [preferredPort, randomPort(), randomPort(), randomPort()]
  for (const port of candidates) if (port && (await probePort(port).catch(() => undefined))) return port
  return probePort(0)
}

function randomPort(): number {
  return portRange.from + randomInt(portRange.count)
}

/**
 * Binds the port for a moment.
 * @param port 0 for any free one.
 * @returns the port.
 * @throws the error of the system
 */
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

const pollMs = 1_000

interface ProcessWatch {
  /** Resolves to the name of the process that ended; never if the watch is stopped first. */
  died: Promise<string>
  stop(): void
}

/** Polls, because processes that were adopted are no children of this program and send it no exit event. */
export function watchProcesses(processes: Record<string, ProcessIdentity>): ProcessWatch {
  const named = Object.entries(processes)
  let timer: NodeJS.Timeout | undefined
  const died = new Promise<string>((resolve) => {
    timer = setInterval(() => {
      const ended = named.find(([, identity]) => !isRunning(identity))
      if (!ended) return
      clearInterval(timer)
      resolve(`${ended[0]} (pid ${ended[1].pid}) ended`)
    }, pollMs).unref()
  })
  return { died, stop: () => clearInterval(timer) }
}
