import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { accessSync, closeSync, constants, openSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createRpc, type Rpc } from '../../chain/rpc/rpc.ts'
import type { Log } from '../../domain/log.ts'
import { endProcess, findProcess, freePort, type ProcessIdentity, until } from '../process/process.ts'
import { findPackage, type Machine } from '../process/programs.ts'

/** Sepolia's id, which wallets and client libraries support. Its signatures are invalid on other chains. */
export const chainId = 11155111

/** A running chain. Mining is off after the launch. */
export interface Anvil extends ProcessIdentity {
  port: number
  rpcUrl: string
  rpc: Rpc
}

const startTimeoutMs = 10_000

/**
 * States of past blocks kept in memory (about 100 MB). Without this limit anvil writes thousands of them to
 * disk.
 */
const maxStates = 64

/**
 * Finds anvil: the one that is configured, else that of npm's package for the machine, else that of the PATH.
 * @param configured the setting ANVIL
 */
export function findAnvil(configured: string | undefined, machine?: Machine, from?: string): string {
  const folder = findPackage('anvil', machine, from)
  if (configured) {
    if (isExecutable(configured)) return configured
    throw new Error(`ANVIL is set to ${configured}, which is not a program that can be run.`)
  }
  const found = [...(folder ? [join(folder, 'bin', 'anvil')] : []), 'anvil'].find(runs)
  if (found) return found
  const fault = folder
    ? `That of npm (${folder}) does not run on this machine`
    : 'npm has none for this machine'
  throw new Error(
    `The local chain needs anvil. ${fault}: get it from https://getfoundry.sh, or set ANVIL to where it is.`,
  )
}

function runs(program: string): boolean {
  return spawnSync(program, ['--version'], { stdio: 'ignore', timeout: 10_000 }).status === 0
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

interface LaunchOptions {
  home: string
  port: number
  /**
   * Unix seconds of the first block. Needed also before a state is loaded, because that does not always
   * replace the first block.
   */
  genesisTime: number
  log: Log
  onSpawn(process: ProcessIdentity & { port: number }): void
}

/** @param onSpawn called before the chain answers, so that a process is on record even if the launch fails */
export async function launchAnvil(program: string, options: LaunchOptions): Promise<Anvil> {
  const outputFile = join(options.home, 'chain.log')
  // Retried, because another process may take the port meanwhile.
  for (let attempt = 0; attempt < 3; attempt++) {
    const port = await freePort(options.port)
    const child = spawnAnvil(program, port, outputFile, options)
    const row = child.pid === undefined ? undefined : findProcess(child.pid)
    if (!row) continue
    const identity = { pid: row.pid, started: row.started, port }
    options.onSpawn(identity)
    if (await isAnswering(identity)) return connectAnvil(identity, options.log)
    await endAnvil(identity)
  }
  const lastLine = readFileSync(outputFile, 'utf8').trim().split('\n').at(-1)
  throw new Error(`The local chain does not start: ${lastLine || `${program} says nothing`}`)
}

function spawnAnvil(program: string, port: number, outputFile: string, options: LaunchOptions): ChildProcess {
  rmSync(outputFile, { force: true })
  const output = openSync(outputFile, 'wx', 0o600)
  const flags = {
    '--host': '127.0.0.1',
    '--port': port,
    '--chain-id': chainId,
    '--prune-history': maxStates,
    '--timestamp': options.genesisTime,
  }
  const child = spawn(
    program,
    [
      ...Object.entries(flags).flatMap(([flag, value]) => [flag, String(value)]),
      '--no-mining',
      '--no-request-size-limit',
      '--quiet',
    ],
    { stdio: ['ignore', output, output], detached: true },
  )
  closeSync(output)
  child.on('error', () => {})
  child.unref()
  return child
}

export function connectAnvil(identity: ProcessIdentity & { port: number }, log: Log): Anvil {
  const rpcUrl = `http://127.0.0.1:${identity.port}`
  return { ...identity, rpcUrl, rpc: createRpc({ url: rpcUrl, log, timeoutMs: 30_000 }) }
}

/** Waits up to `startTimeoutMs` for an answer with our chain id, while the process lives. */
export async function isAnswering(identity: ProcessIdentity & { port: number }): Promise<boolean> {
  const rpc = createRpc({
    url: `http://127.0.0.1:${identity.port}`,
    log: silent,
    timeoutMs: 2_000,
    retries: 0,
  })
  const outcome = await until(startTimeoutMs, async () => {
    if (findProcess(identity.pid)?.started !== identity.started) return 'ended'
    const answer = await rpc.call('eth_chainId').catch(() => undefined)
    return answer === `0x${chainId.toString(16)}` ? 'answers' : undefined
  })
  return outcome === 'answers'
}

export async function endAnvil(identity: ProcessIdentity): Promise<void> {
  await endProcess(identity, ['SIGTERM', 'SIGKILL'], 5_000)
}

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} }
