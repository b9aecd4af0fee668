import { RpcError } from '../../chain/rpc/rpc.ts'
import type { MinedGas } from '../../chain/settlement/mined.ts'
import { Outage } from '../../domain/errors/error.ts'
import type { Bytes32 } from '../../domain/evm/hex.ts'
import type { Log } from '../../domain/log.ts'
import type { Network } from '../../domain/network/network.ts'
import {
  type LostGas,
  storeLostGas,
  type UnreadAttempt,
  unreadAttempts,
} from '../../storage/auction/settlement-attempts.ts'
import { blockHash } from '../../storage/chain/indexed-logs.ts'
import type { Database } from '../../storage/database/database.ts'
import type { ChainReads, Checkpoint } from '../block-range.ts'

interface RevertedOptions {
  chainId: number
  network: Pick<Network, 'finalityBlocks'>
  db: Database
  log: Log
  chain: Pick<ChainReads, 'gasOf'>
}

/** Attempts read in one request after each range of blocks, with the transfers for their nonces. */
const atOnce = 20

/**
 * Stores the gas of attempts that settled nothing: their settlement reverted, or a transfer took its nonce.
 * Only transactions up to the checkpoint count, and a reorg makes them unread again. Attempts without one
 * when the deadline of their auction is final cost nothing.
 */
export async function readReverted(options: RevertedOptions, checkpoint: Checkpoint): Promise<void> {
  const { chainId, network, db, log, chain } = options
  const attempts = await unreadAttempts(db, chainId, atOnce)
  if (attempts.length === 0) return
  try {
    const hashes = attempts.flatMap(hashesOf)
    const receipts = await chain.gasOf(hashes)
    const mined = new Map(hashes.map((hash, index) => [hash, receipts[index] ?? undefined]))
    for (const attempt of attempts) {
      const lost = await lostOf(attempt, mined)
      if (lost) await storeLostGas(db, attempt, lost)
    }
  } catch (fault) {
    if (!(fault instanceof Outage || fault instanceof RpcError)) throw fault
    log.warn('the gas of failed settlements cannot be read for the moment', { fault: fault.message })
  }

  /** Undefined while that may change. Its transactions share a nonce, so that only one can be mined. */
  async function lostOf(
    attempt: UnreadAttempt,
    mined: ReadonlyMap<Bytes32, MinedGas | undefined>,
  ): Promise<LostGas | undefined> {
    const hash = hashesOf(attempt).find((each) => mined.get(each))
    const found = hash && mined.get(hash)
    if (!found) {
      const isFinal = attempt.deadlineBlock + network.finalityBlocks < checkpoint.number
      return isFinal ? { block: null } : undefined
    }
    if (!(await isIndexed(found))) return undefined
    if (hash !== attempt.txHash) return { cancellation: found, block: found.block }
    // A transaction that did not revert is a settlement, whose log the indexer reads.
    return { ...(found.isReverted && { reverted: found }), block: found.block }
  }

  /** Hashes of final blocks are not stored. */
  async function isIndexed(mined: MinedGas): Promise<boolean> {
    if (mined.block > checkpoint.number) return false
    const stored = await blockHash(db, chainId, mined.block)
    return stored === undefined || stored === mined.blockHash
  }
}

const hashesOf = ({ txHash, cancellations }: UnreadAttempt): Bytes32[] => [
  ...(txHash ? [txHash] : []),
  ...cancellations,
]
