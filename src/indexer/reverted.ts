import { RpcError } from '../chain/rpc/rpc.ts'
import type { MinedGas } from '../chain/settlement/mined.ts'
import { Outage } from '../domain/errors/error.ts'
import type { Log } from '../domain/log.ts'
import type { Network } from '../domain/network/network.ts'
import { storeRevertedGas, unreadAttempts } from '../storage/auction/reverted.ts'
import { blockHash } from '../storage/chain/log.ts'
import type { Database } from '../storage/database/database.ts'
import type { Checkpoint, FollowedChain } from './block-range.ts'

export interface RevertedOptions {
  chainId: number
  network: Pick<Network, 'finalityBlocks'>
  db: Database
  log: Log
  chain: Pick<FollowedChain, 'gasOf'>
}

/** Read in one request after each range of blocks. */
const atOnce = 20

/**
 * Stores what failed attempts cost whose transactions are on chain up to the checkpoint. A reorg makes them unread again. What is not
 * there when the deadline of its auction is final cost nothing.
 */
export async function readReverted(options: RevertedOptions, checkpoint: Checkpoint): Promise<void> {
  const { chainId, network, db, log, chain } = options
  const attempts = await unreadAttempts(db, chainId, atOnce)
  if (attempts.length === 0) return
  try {
    const gas = await chain.gasOf(attempts.map(({ txHash }) => txHash))
    for (const [index, attempt] of attempts.entries()) {
      const mined = gas[index]
      if (mined && (await isIndexed(mined))) {
        if (mined.isReverted) await storeRevertedGas(db, attempt, mined)
        // It is a settlement, whose log the indexer reads.
        else await storeRevertedGas(db, attempt, { gas: 0n, gasPrice: null, block: mined.block })
      } else if (!mined && attempt.deadlineBlock + network.finalityBlocks < checkpoint.number) {
        await storeRevertedGas(db, attempt, { gas: 0n, gasPrice: null, block: null })
      }
    }
  } catch (fault) {
    if (!(fault instanceof Outage || fault instanceof RpcError)) throw fault
    log.warn('the gas of failed settlements cannot be read for the moment', { fault: fault.message })
  }

  /** Hashes of final blocks are not stored. */
  async function isIndexed(mined: MinedGas): Promise<boolean> {
    if (mined.block > checkpoint.number) return false
    const stored = await blockHash(db, chainId, mined.block)
    return stored === undefined || stored === mined.blockHash
  }
}
