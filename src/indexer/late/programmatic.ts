import { setTimeout as pause } from 'node:timers/promises'
import type { Authorisation } from '../../chain/authorisations.ts'
import type { Chain } from '../../chain/chain.ts'
import type { LogRange } from '../../chain/logs/logs.ts'
import type { ProgrammaticLog } from '../../chain/logs/programmatic-logs.ts'
import { type Bytes32, zeroWord } from '../../domain/evm/hex.ts'
import type { Log } from '../../domain/log.ts'
import type { Network } from '../../domain/network/network.ts'
import type { ProgrammaticKey } from '../../domain/programmatic/params.ts'
import type { Indexed } from '../../storage/chain/indexed-logs.ts'
import {
  dueProgrammaticOrders,
  findProgrammaticHistory,
  moveProgrammaticHistory,
  type ProgrammaticHistory,
  storeLooks,
} from '../../storage/chain/programmatic.ts'
import { storePartsRead, unknownParts } from '../../storage/chain/programmatic-parts.ts'
import type { Database, Tx } from '../../storage/database/database.ts'
import { holdBlock } from '../../storage/token/pools.ts'
import { ChainMoved, type Checkpoint, createRange, RangeTooFull, timeOf } from '../block-range.ts'
import { type IndexerView, repeat } from '../chain-stream.ts'
import { storeProgrammaticLogs } from '../programmatic-orders.ts'
import { looksOf, recordLooks } from './programmatic-endings.ts'

export interface ProgrammaticReading extends IndexerView {
  network: Pick<Network, 'chainId' | 'settlement' | 'name' | 'blockTimeMs' | 'conditionalOrders'>
  db: Database
  log: Log
  chain: Pick<Chain, 'block' | 'times'>
  /** Authorisations at a block, in the order of the keys. @throws Outage */
  readAuthorisations(keys: readonly ProgrammaticKey[], blockHash: Bytes32): Promise<Authorisation[]>
  /** Logs of programmatic orders. @throws Outage */
  programmaticLogs(range: LogRange): Promise<ProgrammaticLog[]>
  /** The first block whose facts are notified; all by default. */
  notifiedFrom?: number | undefined
}

/** An order is read again after this time: the contract does not log a removal. */
const lookEveryMs = 30_000
/** A removed order is looked at less often: its owner can authorise the order again without a log. */
const removedFactor = 20
/** Orders of one round, read in one request. */
const atOnce = 3_000
/** Parts whose signatures are read in one round. */
const partsAtOnce = 300
/** The key under which the contract has the context of all leaves of an owner. */
const contextOfLeaves = zeroWord
/** Blocks in one read of old logs. */
const maxRange = 10_000
/** Logs that one transaction writes, with the time of each block. */
const maxOldLogs = 500
/** The pause after each read of old logs, for nodes that limit requests. */
const pauseMs = 100
/** While the indexer is further behind the head than this, old logs wait. */
const maxBehind = 100

/**
 * Reads from the contract which programmatic orders are still authorised, and with which context, in rounds
 * up to the indexer's checkpoint; and the logs of blocks that were indexed without them. Runs until `signal`
 * aborts. One process at a time may run it. Never throws.
 */
export async function followProgrammaticOrders(
  options: ProgrammaticReading,
  signal: AbortSignal,
): Promise<void> {
  const { network, poll, log } = options
  if (!network.conditionalOrders) return
  const what = 'programmatic orders cannot be followed for the moment'
  await repeat(createStep(options), { poll, log, what, network: network.name }, signal)
}

/** Takes the next step. Returns whether there may be another. */
function createStep(options: ProgrammaticReading): () => Promise<boolean> {
  const { network, db, chain } = options
  const { chainId, blockTimeMs } = network
  const lookEvery = Math.ceil(lookEveryMs / blockTimeMs)
  const pauses = { authorised: lookEvery, removed: removedFactor * lookEvery }
  const range = createRange(maxRange)
  let isHistoryRead = false

  async function look(at: Indexed): Promise<boolean> {
    const due = await dueProgrammaticOrders(db, chainId, { block: at.number, limit: atOnce })
    if (due.length === 0) return false
    const owners = [...new Set(due.flatMap(({ owner, standing }) => (standing ? [owner] : [])))]
    const { read, block } = await readAt(at, [
      ...due,
      ...owners.map((owner) => ({ owner, hash: contextOfLeaves })),
    ])
    const shared = new Map(owners.map((owner, index) => [owner, read[due.length + index]]))
    const found = due.map((order, index) => ({ order, single: read[index], shared: shared.get(order.owner) }))
    const looked = looksOf(chainId, found, block, pauses)
    await db.transaction(async (tx) => {
      await hold(tx, at)
      const looks = looked.map(({ look }) => look)
      const stored = await storeLooks(tx, chainId, { number: at.number, time: timeOf(block) }, looks)
      await recordLooks(tx, looked, stored, { ...options, at: block, head: at.head })
    })
    return due.length === atOnce
  }

  /** Reads authorisations at the checkpoint. @throws ChainMoved */
  async function readAt(at: Checkpoint, keys: readonly ProgrammaticKey[]) {
    const read = await options.readAuthorisations(keys, at.hash)
    const block = await chain.block(at.number)
    if (block?.hash !== at.hash) throw new ChainMoved(`block ${at.number} changed`)
    return { read, block }
  }

  /** Stores the programmatic orders that parts in the book name and no log does, if they are authorised. */
  async function lookAtParts(at: Checkpoint): Promise<boolean> {
    const parts = await unknownParts(db, chainId, { block: at.number, limit: partsAtOnce })
    if (parts.length === 0) return false
    const { read, block } = await readAt(at, parts)
    const looked = parts.map((part, index) => ({ ...part, isSingle: read[index]?.isAuthorised === true }))
    await db.transaction(async (tx) => {
      await hold(tx, at)
      await storePartsRead(tx, chainId, { number: at.number, time: timeOf(block) }, looked)
    })
    return true
  }

  async function readOld(history: ProgrammaticHistory, at: Checkpoint, length: number): Promise<number> {
    const from = history.nextBlock
    const to = Math.min(history.lastBlock, at.number, from + length - 1)
    const logs = await options.programmaticLogs({ from, to })
    if (logs.length > maxOldLogs && from < to) throw new RangeTooFull(`${logs.length} logs`)
    const dated = new Set(logs.flatMap((log) => (log.type === 'shed' ? [] : [log.blockNumber])))
    const times = await chain.times([...dated])
    const missing = [...dated].find((number) => !times.has(number))
    if (missing !== undefined) throw new ChainMoved(`block ${missing} is missing below the head`)
    await db.transaction(async (tx) => {
      await hold(tx, at)
      await storeProgrammaticLogs(tx, chainId, logs, times, { areOld: true })
      await moveProgrammaticHistory(tx, chainId, { from, to })
    })
    return logs.length
  }

  /** @throws ChainMoved when a reorg has taken the block */
  async function hold(tx: Tx, at: Checkpoint): Promise<void> {
    if (!(await holdBlock(tx, chainId, at))) throw new ChainMoved(`block ${at.number} changed`)
  }

  return async () => {
    const at = await options.indexed()
    if (!at) return false
    if (await lookAtParts(at)) return true
    if (await look(at)) return true
    if (isHistoryRead || at.head - at.number > maxBehind) return false
    const history = await findProgrammaticHistory(db, chainId)
    isHistoryRead = history !== undefined && history.nextBlock > history.lastBlock
    if (!history || history.nextBlock > Math.min(history.lastBlock, at.number)) return false
    await range.use((length) => readOld(history, at, length))
    await pause(pauseMs)
    return true
  }
}
