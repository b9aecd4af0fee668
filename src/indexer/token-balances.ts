import type { LogRange } from '../chain/logs/logs.ts'
import type { TokenLog } from '../chain/logs/transfer-logs.ts'
import { type Address, zeroAddress } from '../domain/evm/address.ts'
import type { Clock, Log } from '../domain/log.ts'
import { blockHashesAbove, holdCheckpoint } from '../storage/chain/indexed-logs.ts'
import type { Database } from '../storage/database/database.ts'
import {
  applyBalanceChanges,
  type BalanceChange,
  clearBalances,
  type RangeChanges,
  tokensBehind,
} from '../storage/token/holders.ts'
import {
  ChainMoved,
  type ChainReads,
  type Checkpoint,
  confirmBlock,
  isChainFault,
  maxLogs,
  RangeTooFull,
} from './block-range.ts'
import type { Progress } from './progress.ts'

/** Sums transfers to balance changes by token, holder and block. The zero address counts as no holder. */
export function balanceChanges(logs: readonly TokenLog[]): Pick<RangeChanges, 'changes' | 'unreadable'> {
  const sums = new Map<string, BalanceChange>()
  const add = ({ token, holder, blockNumber, change }: BalanceChange) => {
    if (holder === zeroAddress) return
    const key = `${token}${holder}${blockNumber}`
    const sum = sums.get(key)
    if (sum) sum.change += change
    else sums.set(key, { token, holder, blockNumber, change })
  }
  for (const log of logs) {
    if (log.type === 'unreadable') continue
    const { token, blockNumber, from, to, amount } = log
    add({ token, blockNumber, holder: from, change: -amount })
    add({ token, blockNumber, holder: to, change: amount })
  }
  return {
    changes: [...sums.values()].filter(({ change }) => change !== 0n),
    unreadable: logs.filter(({ type }) => type === 'unreadable'),
  }
}

export interface CatchUpOptions {
  chainId: number
  db: Database
  now: Clock
  log: Log
  chain: Pick<ChainReads, 'block'>
  /** Transfers of some tokens. @throws Outage if the last block does not exist */
  tokenLogs(tokens: readonly Address[], range: LogRange): Promise<TokenLog[]>
  tokens: readonly Address[]
  progress: Progress
  /** Maximum number of blocks in one read of logs. */
  maxRange: number
}

/**
 * Indexes the transfers of tokens whose balances lag behind the checkpoint, in block ranges between the steps
 * of the indexer.
 */
interface CatchUp {
  /** Indexes one range. @returns false if there was none */
  step(checkpoint: Checkpoint | null): Promise<boolean>
  /** Call it after a reorg: tokens may be behind again. */
  lookAgain(): void
}

/** Balances that are deleted in one step. */
const maxCleared = 10_000
const maxPauseMs = 30_000

interface TokenRange {
  tokens: Address[]
  /** The block up to which they are indexed. */
  from: number
  to: number
}

export function createCatchUp(options: CatchUpOptions): CatchUp {
  const { chainId, db, now, log, chain, tokenLogs, tokens, progress, maxRange } = options
  let isDone = tokens.length === 0
  let range = maxRange
  let failures = 0
  let quietUntil = Number.NEGATIVE_INFINITY

  async function proceed(checkpoint: Checkpoint | null): Promise<boolean> {
    const behind = await tokensBehind(db, chainId, tokens, checkpoint?.number ?? -1)
    const [first] = behind
    if (first?.indexedTo === null) {
      await clearBalances(db, chainId, first.address, maxCleared)
      return true
    }
    isDone = !first && checkpoint !== null
    if (isDone && checkpoint) progress.moved(checkpoint.number, checkpoint.number)
    if (!first || !checkpoint) return false
    const from = first.indexedTo
    const next = behind.find(({ indexedTo }) => indexedTo !== from)?.indexedTo ?? checkpoint.number
    const group = behind.filter(({ indexedTo }) => indexedTo === from).map(({ address }) => address)
    const tokenRange = { tokens: group, from, to: Math.min(next, from + range) }
    const logs = await readLogs(tokenRange, checkpoint)
    await db.transaction(async (tx) => {
      await holdCheckpoint(tx, chainId, checkpoint)
      await applyBalanceChanges(tx, chainId, { ...tokenRange, ...balanceChanges(logs) })
    })
    progress.moved(tokenRange.to, checkpoint.number)
    if (logs.length * 2 <= maxLogs) range = Math.min(maxRange, range * 2)
    return true
  }

  /**
   * Checks that these blocks lead to the checkpoint: it is in the chain before and after the read, and stored
   * block hashes match.
   */
  async function readLogs({ tokens, from, to }: TokenRange, checkpoint: Checkpoint): Promise<TokenLog[]> {
    await confirmBlock(chain, checkpoint)
    const storedHashes = await blockHashesAbove(db, chainId, from)
    const logs = await tokenLogs(tokens, { from: from + 1, to, endHash: storedHashes.get(to) })
    if (logs.length > maxLogs && to > from + 1) throw new RangeTooFull(`${logs.length} logs`)
    await confirmBlock(chain, checkpoint)
    for (const { blockNumber, blockHash } of logs) {
      if ((storedHashes.get(blockNumber) ?? blockHash) !== blockHash)
        throw new ChainMoved(`a log of block ${blockNumber} is from another block`)
    }
    return logs
  }

  return {
    async step(checkpoint) {
      if (isDone || now() < quietUntil) return false
      try {
        const moved = await proceed(checkpoint)
        failures = 0
        return moved
      } catch (fault) {
        if (!isChainFault(fault) && !(fault instanceof RangeTooFull)) throw fault
        range = Math.max(1, range >> 1)
        if (fault instanceof RangeTooFull) return true
        failures++
        quietUntil = now() + Math.min(maxPauseMs, 500 * 2 ** failures)
        log.warn('transfers cannot be caught up with for the moment', { failures, fault: fault.message })
        return false
      }
    },
    lookAgain() {
      isDone = tokens.length === 0
    },
  }
}
