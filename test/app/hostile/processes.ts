import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { freePort } from '../../../src/dev/process/process.ts'
import type { TestChain } from '../../setup/chain.ts'
import type { TestDatabase } from '../../setup/database.ts'
import { eventually } from '../../setup/eventually.ts'
import { program } from '../../setup/program.ts'
import { unlimited } from '../../setup/world.ts'

const allRoles = ['serve', 'index', 'auction'] as const
type Role = (typeof allRoles)[number]

interface ProcessOptions {
  roles?: readonly Role[]
  /** Members of the network's row beside those of the market. */
  row?: object
}

/** The program as a process for each role, of which any may be killed at any moment and starts again. */
export async function startProcesses(
  chain: TestChain,
  database: TestDatabase,
  settings: NodeJS.ProcessEnv,
  { roles = allRoles, row: more = {} }: ProcessOptions = {},
) {
  const folder = mkdtempSync(path.join(tmpdir(), 'tradegraph-hostile-'))
  const { network, solver } = chain.market
  const row = { ...network, priceAmount: `${network.priceAmount}`, rpcUrl: chain.rpcUrl, ...more }
  const file = path.join(folder, 'networks.json')
  writeFileSync(file, JSON.stringify([row]))
  const port = await freePort()
  const running = new Map<Role, ChildProcess>()
  const ready = new Set<Role>()
  const crashed: string[] = []

  async function start(role: Role): Promise<void> {
    const child = spawn(process.execPath, [program(), role, '--port', `${port}`], {
      env: {
        PATH: process.env.PATH,
        DATABASE_URL: database.url,
        NETWORKS_FILE: file,
        SOLVER_PRIVATE_KEY: solver.privateKey,
        LOG_LEVEL: process.env.LOG_LEVEL ?? 'error',
        ...unlimited,
        ...settings,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    running.set(role, child)
    child.on('exit', (code) => code !== null && crashed.push(`${role} with ${code}`))
    let output = ''
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    await eventually(`${role} is ready`, () => hasEnded(child) || output.startsWith('ready '), 150_000)
    if (!hasEnded(child)) ready.add(role)
  }

  async function kill(role: Role): Promise<void> {
    const child = running.get(role)
    if (!child || hasEnded(child)) return
    ready.delete(role)
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }

  await Promise.all(roles.map(start))
  return {
    url: `http://127.0.0.1:${port}`,
    /** What is worth killing: all, while none is ready. */
    targets: (): readonly Role[] => (ready.size > 0 ? [...ready] : roles),
    /** What ended by itself. */
    crashed,
    start,
    kill,
    async [Symbol.asyncDispose]() {
      await Promise.all(roles.map(kill))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null
}

export type Processes = Awaited<ReturnType<typeof startProcesses>>
