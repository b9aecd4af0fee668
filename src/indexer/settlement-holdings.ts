import type { LogRange } from '../chain/logs/logs.ts'
import type { OwnerLogs } from '../chain/logs/transfer-logs.ts'
import { isNodeFault } from '../chain/rpc/rpc.ts'
import type { Bytes32 } from '../domain/evm/hex.ts'
import type { Log } from '../domain/log.ts'
import type { Network } from '../domain/network/network.ts'
import type { LoggedRight, Right } from '../domain/settlement/rights.ts'
import { blockHash, type Checkpoint } from '../storage/chain/indexed-logs.ts'
import {
  countHoldings,
  findHoldingIndex,
  type HoldingIndex,
  rightsToRead,
  startHoldingIndex,
  storeHoldings,
  storeReadRights,
} from '../storage/chain/settlement-holdings.ts'
import type { Database, Tx } from '../storage/database/database.ts'
import { holdBlock } from '../storage/token/pools.ts'
import { ChainMoved, createRange, maxLogs, RangeTooFull } from './block-range.ts'
import { type IndexerView, repeat } from './chain-stream.ts'

/** Figures of the settlement contract's holdings and rights for operators. */
export interface HoldingsMeter {
  known(figures: { tokens: number; rights: number }): void
  /** `missedBlock`: the first block with missing data. */
  moved(place: { blocksBehind: number; missedBlock: number | null }): void
}

export interface HoldingsIndexOptions extends IndexerView {
  network: Pick<Network, 'chainId' | 'name' | 'firstBlock' | 'finalityBlocks' | 'blockTimeMs'>
  db: Database
  /**
   * Logs of the settlement contract.
   * @throws Outage if the last block does not exist, or the range is refused
   */
  ownerLogs(range: LogRange): Promise<OwnerLogs>
  /** Rights that the settlement contract gave, at this block. @throws Outage */
  readRights(rights: readonly Right[], blockHash: Bytes32): Promise<LoggedRight[]>
  meter: HoldingsMeter
  log: Log
  /** Limit of kept tokens, and of kept rights. Default 100,000. */
  max?: number
}

/** Maximum number of blocks in one read of logs. */
const maxRange = 10_000
/** While the indexer is further behind the head than this, its reads come first. */
const maxBehind = 100
/** Rights that are read in one request. */
const rightsPerRead = 100
/** A right that was read is read again: allowances are used up without a log. */
const readAgainMs = 6 * 3_600_000
/** A block is left out after this many answers of a node that reads the one before. */
const maxTries = 10

/**
 * Reads which tokens the settlement contract received and which rights it gave, from the network's first
 * block up to the indexer's checkpoint, until `signal` aborts. One process at a time may run it. Never
 * throws.
 */
export async function runHoldingsIndex(options: HoldingsIndexOptions, signal: AbortSignal): Promise<void> {
  const { network, poll, log } = options
  const what = 'the holdings of the settlement contract cannot be followed for the moment'
  await repeat(createStep(options), { poll, log, what, network: network.name }, signal)
}

/** Takes the next step. Returns whether there may be another. */
function createStep(options: HoldingsIndexOptions): () => Promise<boolean> {
  const { network, db, ownerLogs, meter, log, max = 100_000 } = options
  const { chainId, finalityBlocks, firstBlock } = network
  const range = createRange(maxRange)
  const readAgainBlocks = Math.ceil(readAgainMs / network.blockTimeMs)
  let refused = { block: 0, times: 0 }
  let isCounted = false

  async function advance(index: HoldingIndex, at: Checkpoint, length: number): Promise<number> {
    const from = index.block + 1
    const to = Math.min(at.number, index.block + length)
    const endHash = to === at.number ? at.hash : await blockHash(db, chainId, to)
    const logs = await ownerLogs({ from, to, endHash }).catch(async (fault) => {
      if (from < to && !isNodeFault(fault, {})) throw new RangeTooFull(String(fault))
      if (from < to || !(await isUnreadable(index, fault))) throw fault
      log.error(
        'the logs of a block cannot be read: receipts and rights of the settlement contract in it are unknown',
        { network: network.name, block: to, fault: String(fault) },
      )
      return { count: 0, tokens: new Map(), rights: [], missedBlock: to }
    })
    if (logs.count > maxLogs && from < to) throw new RangeTooFull(`${logs.count} logs`)
    const final = at.number - finalityBlocks
    await db.transaction(async (tx) => {
      await hold(tx, at)
      const isMoved = await storeHoldings(tx, chainId, index, { ...logs, to, final, max })
      if (!isMoved) throw new ChainMoved('the index of holdings was moved')
    })
    if (logs.tokens.size > 0 || logs.rights.length > 0) isCounted = false
    return logs.count
  }

  /** Detects a node that responds, but refuses or floods for this block only. */
  async function isUnreadable({ block }: HoldingIndex, fault: unknown): Promise<boolean> {
    if (block < firstBlock || isNodeFault(fault, {})) return false
    refused = { block, times: refused.block === block ? refused.times + 1 : 1 }
    if (refused.times < maxTries) return false
    await ownerLogs({ from: block, to: block })
    return true
  }

  async function readDue(at: Checkpoint): Promise<boolean> {
    const before = at.number - readAgainBlocks
    const due = await rightsToRead(db, chainId, { before, limit: rightsPerRead })
    if (due.length === 0) return false
    const rights = await options.readRights(due, at.hash)
    await db.transaction(async (tx) => {
      await hold(tx, at)
      await storeReadRights(tx, chainId, at.number, rights)
    })
    isCounted = false
    return due.length === rightsPerRead
  }

  /** @throws ChainMoved when a reorg has taken the block */
  async function hold(tx: Tx, at: Checkpoint): Promise<void> {
    if (!(await holdBlock(tx, chainId, at))) throw new ChainMoved(`block ${at.number} changed`)
  }

  return async () => {
    const at = await options.indexed()
    if (!at) return false
    const index = await findHoldingIndex(db, chainId)
    meter.moved({
      blocksBehind: at.head - (index?.block ?? firstBlock - 1),
      missedBlock: index?.missedBlock ?? null,
    })
    if (at.head - at.number > maxBehind) return false
    if (!index || index.fromBlock > firstBlock) {
      await startHoldingIndex(db, chainId, firstBlock)
      return true
    }
    if (index.block < at.number) {
      await range.use((length) => advance(index, at, length))
      return true
    }
    if (await readDue(at)) return true
    // Counts rights after they are read: most allowances end with the settlement that gives them.
    if (!isCounted) meter.known(await countHoldings(db, chainId))
    isCounted = true
    return false
  }
}
