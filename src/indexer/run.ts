import type { Log } from '../domain/log.ts'
import type { Network } from '../domain/network/network.ts'
import { blockHash, findCheckpoint } from '../storage/chain/log.ts'
import { registerHolderTokens } from '../storage/token/holders.ts'
import { applyBlocks, applyFinality, applyReorg, type Indexing } from './apply.ts'
import type { FollowedChain } from './block-range.ts'
import { type CatchUpOptions, createCatchUp } from './catch-up.ts'
import { followChain } from './follow.ts'
import { createPoll, type Poll } from './poll.ts'

export interface IndexerOptions extends Indexing, Pick<CatchUpOptions, 'tokenLogs'> {
  network: Network
  chain: FollowedChain
  log: Log
  /** Default: by the network's block time. */
  poll?: Poll
}

/** Maximum number of blocks in one read of logs and in one transaction. */
const maxRange = 1_000

/** Follows the chain from the stored checkpoint and stores its facts, until `signal` aborts. One process at a time may run it. */
export async function runIndexer(options: IndexerOptions, signal: AbortSignal): Promise<void> {
  const { db, network, chain, log, chainId } = options
  const tokens = network.holderTokens.map(({ address }) => address)
  if (tokens.length > 0) await registerHolderTokens(db, chainId, network.holderTokens)
  const catchUp = createCatchUp({ ...options, tokens, maxRange })
  const rest = options.poll ?? createPoll(Math.min(1_000, Math.max(50, network.blockTimeMs / 4)))
  /** While there are no new blocks, tokens that are behind catch up. */
  const poll: Poll = async (failures, signal) => {
    if (failures > 0 || !(await catchUp.step(checkpoint))) await rest(failures, signal)
  }
  let checkpoint = await findCheckpoint(db, chainId)
  const steps = followChain({
    chain,
    from: checkpoint,
    firstBlock: network.firstBlock,
    storedHash: (number) => blockHash(db, chainId, number),
    finalityBlocks: network.finalityBlocks,
    maxRange,
    poll,
    signal,
    log,
  })
  for await (const step of steps) {
    if (step.type === 'blocks') {
      checkpoint = await applyBlocks(checkpoint, step.blocks, step.logs, options, step.head)
      await catchUp.step(checkpoint)
    } else if (step.type === 'finalize') await applyFinality(step.number, options)
    else {
      log.warn('chain reorganised', { from: checkpoint?.number, to: step.to.number })
      checkpoint = await applyReorg(checkpoint, step.to, options)
      catchUp.lookAgain()
    }
  }
}
