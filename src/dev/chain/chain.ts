import { join } from 'node:path'
import { z } from 'zod'
import { type Log, unixSeconds } from '../../domain/log.ts'
import { readJson, writeDurably } from '../home/durable-file.ts'
import { isRunning, type ProcessIdentity } from '../process/process.ts'
import { type Anvil, connectAnvil, endAnvil, findAnvil, isAnswering, launchAnvil } from './anvil.ts'
import { hasChainState, keepChainState, readChainStates, saveChainState } from './state.ts'

export interface DevChain extends ProcessIdentity {
  rpcUrl: string
  /** Built now, not adopted or restored from its saved state. */
  fresh: boolean
  /** Saves the chain a last time and ends its process, also an adopted one. */
  stop(): Promise<void>
}

export interface DevChainOptions {
  home: string
  /** Path of the program, if one is configured. */
  anvil?: string | undefined
  log: Log
  /** Fills a new chain. It mines on request only, and is not saved before this ends. */
  prepare?: (rpcUrl: string) => Promise<void>
}

/** `ready` is false while the chain is being restored or built: such a process is not adopted. */
const chainRecord = z.object({
  pid: z.int(),
  started: z.string(),
  port: z.int(),
  ready: z.boolean(),
  genesisTime: z.int(),
})
type ChainRecord = z.infer<typeof chainRecord>

const blockSeconds = 1

/**
 * Starts a chain in a process that outlives this program, or adopts the running one. After the end of that
 * process, the chain continues from its saved state: same genesis, blocks, logs and receipts. A chain that
 * was never completed is built again.
 */
export async function startChain(options: DevChainOptions): Promise<DevChain> {
  const { home, log } = options
  const record = readRecord(home)
  const adopted = await adopt(record, options)
  const existing = adopted ?? (await restore(record, options))
  const anvil = existing ?? (await build(record, options))
  try {
    if (!adopted) await anvil.rpc.call('evm_setTime', [unixSeconds(Date.now())])
    await anvil.rpc.call('evm_setIntervalMining', [blockSeconds])
    if (!hasChainState(home)) await saveChainState(home, anvil)
    markReady(home)
  } catch (cause) {
    await endAnvil(anvil)
    throw cause
  }
  const keeper = keepChainState(home, anvil, log)
  return {
    rpcUrl: anvil.rpcUrl,
    pid: anvil.pid,
    started: anvil.started,
    fresh: existing === undefined,
    async stop() {
      await keeper.stop()
      await endAnvil(anvil)
    },
  }
}

/** The folder is a home: only this program writes such a record. */
export function hasChainRecord(home: string): boolean {
  return readRecord(home) !== undefined
}

/** Ends the chain that an earlier program left running, if there is one. */
export async function endOrphanedChain(home: string): Promise<void> {
  const record = readRecord(home)
  if (record) await endAnvil(record)
}

async function adopt(
  record: ChainRecord | undefined,
  { home, log }: DevChainOptions,
): Promise<Anvil | undefined> {
  if (!record || !isRunning(record)) return undefined
  if (record.ready && hasChainState(home) && (await isAnswering(record))) {
    log.debug('chain adopted', { pid: record.pid, port: record.port })
    return connectAnvil(record, log)
  }
  await endAnvil(record)
  return undefined
}

async function restore(
  record: ChainRecord | undefined,
  options: DevChainOptions,
): Promise<Anvil | undefined> {
  for (const state of readChainStates(options.home)) {
    const anvil = await launch(record, options)
    try {
      await anvil.rpc.call('anvil_loadState', [state])
      options.log.debug('chain restored', { pid: anvil.pid, port: anvil.port })
      return anvil
    } catch (cause) {
      options.log.warn('a saved state of the local chain is of no use', { cause: String(cause) })
      await endAnvil(anvil)
    }
  }
  return undefined
}

async function build(record: ChainRecord | undefined, options: DevChainOptions): Promise<Anvil> {
  if (hasChainState(options.home))
    throw new Error('No saved state of the local chain can be read: start again with --reset.')
  const anvil = await launch(record, options)
  try {
    await options.prepare?.(anvil.rpcUrl)
    options.log.debug('chain built', { pid: anvil.pid, port: anvil.port })
    return anvil
  } catch (cause) {
    await endAnvil(anvil)
    throw cause
  }
}

/** Launches anvil on the last port, if it is free: wallets have stored the address. */
function launch(record: ChainRecord | undefined, { home, anvil, log }: DevChainOptions): Promise<Anvil> {
  const genesisTime = record?.genesisTime ?? unixSeconds(Date.now())
  const onSpawn = (identity: ProcessIdentity & { port: number }) =>
    writeRecord(home, { ...identity, genesisTime, ready: false })
  return launchAnvil(findAnvil(anvil), { home, port: record?.port ?? 0, genesisTime, log, onSpawn })
}

function recordFile(home: string): string {
  return join(home, 'chain.json')
}

function markReady(home: string): void {
  const record = readRecord(home)
  if (record) writeRecord(home, { ...record, ready: true })
}

function readRecord(home: string): ChainRecord | undefined {
  return chainRecord.safeParse(readJson(recordFile(home))).data
}

function writeRecord(home: string, { pid, started, port, genesisTime, ready }: ChainRecord): void {
  writeDurably(recordFile(home), JSON.stringify({ pid, started, port, genesisTime, ready }))
}
