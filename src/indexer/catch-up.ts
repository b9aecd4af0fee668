import type { TokenLog } from '../chain/logs/transfer-logs.ts'
import { RpcError } from '../chain/rpc/rpc.ts'
import { Outage } from '../domain/errors/error.ts'
import type { Address } from '../domain/evm/address.ts'
import type { Clock, Log } from '../domain/log.ts'
import { blockHashesAbove, holdCheckpoint } from '../storage/chain/log.ts'
import type { Database } from '../storage/database/database.ts'
import { applyBalanceChanges, clearBalances, tokensBehind } from '../storage/token/holders.ts'
import { balanceChanges } from './balance-changes.ts'
import {
  ChainMoved,
  type Checkpoint,
  confirm,
  type FollowedChain,
  maxLogs,
  RangeTooFull,
} from './block-range.ts'

export interface CatchUpOptions {
  chainId: number
  db: Database
  now: Clock
  log: Log
  chain: Pick<FollowedChain, 'block'>
  /** Transfers of some tokens, both ends included. @throws Outage where `to` is not there */
  tokenLogs(tokens: readonly Address[], from: number, to: number): Promise<TokenLog[]>
  tokens: readonly Address[]
  /** Most blocks in one read of logs. */
  maxRange: number
}

/** Brings tokens whose balances are not as far as the checkpoint there, in pieces between the steps of following. */
export interface CatchUp {
  /** One piece. @returns whether there was something to do, and it was done */
  step(checkpoint: Checkpoint | null): Promise<boolean>
  /** After a reorg tokens may be behind again. */
  lookAgain(): void
}

/** Balances that are deleted at once. */
const maxCleared = 10_000
const longestPauseMs = 30_000

interface Piece {
  tokens: Address[]
  /** The block that they are indexed to. */
  from: number
  to: number
}

export function createCatchUp(options: CatchUpOptions): CatchUp {
  const { chainId, db, now, log, chain, tokenLogs, tokens, maxRange } = options
  let isLevel = tokens.length === 0
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
    isLevel = !first && checkpoint !== null
    if (!first || !checkpoint) return false
    const from = first.indexedTo
    const next = behind.find(({ indexedTo }) => indexedTo !== from)?.indexedTo ?? checkpoint.number
    const group = behind.filter(({ indexedTo }) => indexedTo === from).map(({ address }) => address)
    const piece = { tokens: group, from, to: Math.min(next, from + range) }
    const logs = await read(piece, checkpoint)
    await db.transaction(async (tx) => {
      await holdCheckpoint(tx, chainId, checkpoint)
      await applyBalanceChanges(tx, chainId, { ...piece, ...balanceChanges(logs) })
    })
    if (logs.length * 2 <= maxLogs) range = Math.min(maxRange, range * 2)
    return true
  }

  /** That these blocks lead to the checkpoint is known by its being there before and after, and by those that are known by their hash. */
  async function read({ tokens, from, to }: Piece, checkpoint: Checkpoint): Promise<TokenLog[]> {
    await confirm(chain, checkpoint)
    const logs = await tokenLogs(tokens, from + 1, to)
    if (logs.length > maxLogs && to > from + 1) throw new RangeTooFull(`${logs.length} logs`)
    await confirm(chain, checkpoint)
    const known = await blockHashesAbove(db, chainId, from)
    for (const { blockNumber, blockHash } of logs) {
      if ((known.get(blockNumber) ?? blockHash) !== blockHash)
        throw new ChainMoved(`a log of block ${blockNumber} is from another block`)
    }
    return logs
  }

  return {
    async step(checkpoint) {
      if (isLevel || now() < quietUntil) return false
      try {
        const moved = await proceed(checkpoint)
        failures = 0
        return moved
      } catch (fault) {
        const isChains = fault instanceof Outage || fault instanceof RpcError || fault instanceof ChainMoved
        if (!isChains && !(fault instanceof RangeTooFull)) throw fault
        range = Math.max(1, range >> 1)
        if (fault instanceof RangeTooFull) return true
        failures++
        quietUntil = now() + Math.min(longestPauseMs, 500 * 2 ** failures)
        log.warn('transfers cannot be caught up with for the moment', { failures, fault: fault.message })
        return false
      }
    },
    lookAgain() {
      isLevel = tokens.length === 0
    },
  }
}
