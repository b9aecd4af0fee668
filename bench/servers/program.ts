import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { shape } from '../database/shape.ts'
import { networkText } from './network-text.ts'
import { type ServerProcess, startServer } from './process.ts'

const address = (digit: string) => `0x${digit.repeat(40)}`

export const benchNetwork = {
  ...shape.network,
  settlement: address('1'),
  vaultRelayer: address('2'),
  wrappedNative: address('3'),
  poolFactory: address('4'),
  baseTokens: [],
  firstBlock: 0,
  finalityBlocks: 64,
  blockTimeMs: 12_000,
}

export interface ProgramOptions {
  /** The checkout. */
  source: string
  /** The build folder, completed by this process's number: it needs node_modules above it. */
  target: string
  databaseUrl: string
  /** The node of the network. */
  rpcUrl?: string
  /** Defaults to the filled database. */
  network?: object
  /** Several networks in place of one, each with the URL of its node. */
  networks?: readonly object[]
  /** The command; `serve` by default. */
  command?: 'serve' | 'all'
  /** This run has already built it. */
  built?: boolean
  /** Settings in addition to the usual ones. */
  env?: Record<string, string>
  /** The target of a CPU profile of the process. */
  profile?: string | undefined
  /** The limit of its heap in MB; that of Node for this machine by default. */
  heapMb?: number | undefined
  /** Receives the output in pieces. */
  hear?: (text: string) => void
  print: (line: string) => void
}

/** Starts the program as shipped: built, by its command. */
export async function startProgram(given: ProgramOptions): Promise<ServerProcess> {
  // A folder for this run alone: another run would build over it while these processes start.
  const options = { ...given, target: `${given.target}_${process.pid}` }
  const { target, databaseUrl, rpcUrl, network = benchNetwork, profile } = options
  const { networks: rows = [{ ...network, rpcUrl }] } = options
  const flags = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${path.resolve(profile)}`]
  if (options.heapMb !== undefined) flags.push(`--max-old-space-size=${options.heapMb}`)
  if (!options.built) build(options)
  const networks = path.join(target, 'networks.json')
  writeFileSync(networks, networkText(rows))
  return startServer({
    name: 'tradegraph',
    hear: options.hear,
    args: [...flags, path.join(target, pathOfCommand(options.source)), options.command ?? 'serve'],
    env: {
      DATABASE_URL: databaseUrl,
      DATABASE_CONNECTIONS: '10',
      NETWORKS_FILE: networks,
      PORT: '0',
      LOG_LEVEL: 'warn',
      RATE_LIMIT_READS: '0',
      RATE_LIMIT_QUOTES: '0',
      RATE_LIMIT_ORDERS: '0',
      RATE_LIMIT_INTROSPECTIONS: '0',
      ORDER_MAX_OUT_OF_MARKET: '0',
      ...options.env,
    },
  })
}

/** Returns the command's path in a build of the checkout, which differs between versions. */
function pathOfCommand(source: string): string {
  const { bin } = JSON.parse(readFileSync(path.join(source, 'package.json'), 'utf8'))
  return path.relative('dist', bin.tradegraph)
}

/**
 * Builds the program: direct loading of sources would also measure the loader, which wraps every function in
 * a call.
 * @returns the file of its command
 */
export function build({
  source,
  target,
  print,
}: Pick<ProgramOptions, 'source' | 'target' | 'print'>): string {
  rmSync(target, { recursive: true, force: true })
  mkdirSync(target, { recursive: true })
  process.once('exit', () => rmSync(target, { recursive: true, force: true }))
  const compiler = path.join(import.meta.dirname, '..', '..', 'node_modules', '.bin', 'tsc')
  const flags = ['-p', path.join(source, 'tsconfig.build.json'), '--outDir', target, '--sourceMap', 'false']
  const { status, stdout, error } = spawnSync(compiler, flags, { encoding: 'utf8', timeout: 120_000 })
  if (error) throw error
  // The compiler emits despite errors.
  if (status !== 0) print(`warning: the sources have type errors: ${stdout.split('\n')[0]}`)
  cpSync(path.join(source, 'prisma', 'migrations'), path.join(target, 'prisma', 'migrations'), {
    recursive: true,
  })
  return path.join(target, pathOfCommand(source))
}
