import { join } from 'node:path'
import { z } from 'zod'
import { type Log, unixSeconds } from '../../domain/log.ts'
import { readJson, writeDurably } from '../home/durable-file.ts'
import { isRunning, type ProcessMark } from '../process/process.ts'
import { type Anvil, connectAnvil, endAnvil, findAnvil, isAnswering, launchAnvil } from './anvil.ts'
import { hasChainState, keepChainState, readChainStates, saveChainState } from './state.ts'

export interface Chain extends ProcessMark {
  rpcUrl: string
  /** Built now, as opposed to found running or loaded from its saved state. */
  fresh: boolean
  /** Saves the chain a last time and ends its process, whoever started it. */
  stop(): Promise<void>
}

export interface ChainOptions {
  home: string
  /** Path of the program, if one is configured. */
  anvil?: string | undefined
  log: Log
  /** Fills a new chain. Mining is by request meanwhile; nothing is saved before it is through. */
  prepare?: (rpcUrl: string) => Promise<void>
}

/** `ready` is false while the chain is being loaded or built: such a process is of no use to the next program. */
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
 * A chain in a process of its own that outlives this program and is found again by the next one. When that process is gone too,
 * the chain continues from its saved state: same genesis, blocks, logs and receipts. A chain that was never finished is
 * built again from nothing.
 */
export async function startChain(options: ChainOptions): Promise<Chain> {
  const { home, log } = options
  const left = readRecord(home)
  const adopted = await adopt(left, options)
  const found = adopted ?? (await restore(left, options))
  const anvil = found ?? (await build(left, options))
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
    fresh: found === undefined,
    async stop() {
      await keeper.stop()
      await endAnvil(anvil)
    },
  }
}

/** A program of ours has been here: nobody else writes such a record. */
export function hasChainRecord(home: string): boolean {
  return readRecord(home) !== undefined
}

/** Ends the chain that an earlier program left behind, if there is one. */
export async function endLeftChain(home: string): Promise<void> {
  const left = readRecord(home)
  if (left) await endAnvil(left)
}

async function adopt(left: ChainRecord | undefined, { home, log }: ChainOptions): Promise<Anvil | undefined> {
  if (!left || !isRunning(left)) return undefined
  if (left.ready && hasChainState(home) && (await isAnswering(left))) {
    log.debug('chain adopted', { pid: left.pid, port: left.port })
    return connectAnvil(left, log)
  }
  await endAnvil(left)
  return undefined
}

async function restore(left: ChainRecord | undefined, options: ChainOptions): Promise<Anvil | undefined> {
  for (const state of readChainStates(options.home)) {
    const anvil = await launch(left, options)
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

async function build(left: ChainRecord | undefined, options: ChainOptions): Promise<Anvil> {
  if (hasChainState(options.home))
    throw new Error('No saved state of the local chain can be read: start again with --reset.')
  const anvil = await launch(left, options)
  try {
    await options.prepare?.(anvil.rpcUrl)
    options.log.debug('chain built', { pid: anvil.pid, port: anvil.port })
    return anvil
  } catch (cause) {
    await endAnvil(anvil)
    throw cause
  }
}

/** On the port that was used before, if it is free: wallets have the address written down. */
function launch(left: ChainRecord | undefined, { home, anvil, log }: ChainOptions): Promise<Anvil> {
  const genesisTime = left?.genesisTime ?? unixSeconds(Date.now())
  const onSpawn = (mark: ProcessMark & { port: number }) =>
    writeRecord(home, { ...mark, genesisTime, ready: false })
  return launchAnvil(findAnvil(anvil), { home, port: left?.port ?? 0, genesisTime, log, onSpawn })
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
