import type { Log } from '../domain/log.ts'
import type { Network } from '../domain/network/network.ts'
import { blockHash, findCheckpoint, type Indexed } from '../storage/chain/indexed-logs.ts'
import { startProgrammaticHistory } from '../storage/chain/programmatic.ts'
import { startSolvers } from '../storage/chain/solvers.ts'
import { registerHolderTokens } from '../storage/token/holders.ts'
import { applyBlocks, applyFinality, applyReorg, type Indexing } from './apply.ts'
import type { ChainPosition, ChainReads, Checkpoint } from './block-range.ts'
import { createPoll, type HeadPoll, streamChain } from './chain-stream.ts'
import { type CompletionOptions, createCompletion } from './late/complete.ts'
import { createMissedBlocks } from './late/missed.ts'
import { readReverted } from './late/reverted.ts'
import { createProgress, type IndexerMeter } from './progress.ts'
import { type CatchUpOptions, createCatchUp } from './token-balances.ts'

export interface IndexerOptions
  extends Indexing,
    Pick<CatchUpOptions, 'tokenLogs'>,
    Pick<CompletionOptions, 'completeEveryMs'> {
  network: Network
  chain: ChainReads
  log: Log
  meter: IndexerMeter
  /** No settlements are sent here: the auctions of this network are held elsewhere. */
  isFollowing?: boolean
  /** Runs after blocks with trades are stored. */
  onTraded?: (() => void) | undefined
  /** Runs when the stored block is another; undefined is before the first. */
  onMoved?: (to: Indexed | null) => void
  /** Default: by the network's block time. */
  poll?: HeadPoll
}

/** Maximum number of blocks in one read of logs and in one transaction. */
const maxRange = 1_000
/** Blocks of this time become final together: on own networks, and on those that follow an order book. */
const finalityMs = { own: 1_000, followed: 10_000 }

/**
 * Follows the chain from the stored checkpoint and stores its facts, until `signal` aborts. One process at a
 * time may run it.
 */
export async function runIndexer(options: IndexerOptions, signal: AbortSignal): Promise<void> {
  const { db, network, chain, log, meter, chainId } = options
  const tokens = network.holderTokens.map(({ address }) => address)
  if (tokens.length > 0) await registerHolderTokens(db, chainId, network.holderTokens)
  const progressOf = (what: 'blocks' | 'transfers') =>
    createProgress({ ...options, network: network.name, what })
  const progress = progressOf('blocks')
  const catchUp = createCatchUp({ ...options, progress: progressOf('transfers'), tokens, maxRange })
  const completion = createCompletion(options)
  const rest = options.poll ?? createPoll(Math.min(1_000, Math.max(50, network.blockTimeMs / 4)))
  /** While there are no new blocks, tokens that are behind catch up. */
  const poll: HeadPoll = async (failures, signal) => {
    if (failures === 0 && checkpoint) await completion.step(checkpoint)
    if (failures > 0 || !(await catchUp.step(checkpoint))) await rest(failures, signal)
  }
  const indexed = await findCheckpoint(db, chainId)
  let checkpoint: Checkpoint | null = indexed
  options.onMoved?.(indexed)
  if (checkpoint) await startSolvers(db, chainId, checkpoint.number + 1)
  if (network.conditionalOrders) {
    const lastBlock = checkpoint?.number ?? network.firstBlock - 1
    const nextBlock = network.conditionalOrders.firstBlock
    await startProgrammaticHistory(db, chainId, { nextBlock, lastBlock })
  }
  const missed = createMissedBlocks(options)
  const finalityStep = Math.max(
    1,
    Math.floor(finalityMs[options.isFollowing ? 'followed' : 'own'] / network.blockTimeMs),
  )
  let finalized = Number.NEGATIVE_INFINITY
  const takeBack = async (to: ChainPosition) => {
    meter.reorganised((checkpoint?.number ?? to.number) - to.number)
    checkpoint = await applyReorg(checkpoint, to, options)
    options.onMoved?.(checkpoint ? { ...checkpoint, head: to.number } : null)
    catchUp.lookAgain()
  }
  /** Follows the chain. @returns whether it must be followed again from an earlier block */
  async function follow(): Promise<boolean> {
    const steps = streamChain({
      chain,
      from: checkpoint,
      firstBlock: network.firstBlock,
      storedHash: (number) => blockHash(db, chainId, number),
      finalityBlocks: network.finalityBlocks,
      maxRange,
      poll,
      ...(options.isFollowing && { restsAtHead: true }),
      signal,
      log,
    })
    for await (const step of steps) {
      if (step.type === 'blocks') {
        checkpoint = await applyBlocks(checkpoint, step, options, step.head)
        options.onMoved?.({ ...checkpoint, head: step.head })
        const { timestamp } = step.blocks.at(-1) ?? step.blocks[0]
        progress.moved(checkpoint.number, step.head)
        const state = progress.state()
        if (state) meter.stored({ ...state, timestamp })
        if (step.logs.some(({ type }) => type === 'trade')) options.onTraded?.()
        if (!options.isFollowing) await readReverted(options, checkpoint)
        await completion.step(checkpoint)
        await catchUp.step(checkpoint)
        const before = await beforeMissed(checkpoint)
        if (before) {
          await takeBack(before)
          return true
        }
      } else if (step.type === 'finalize') {
        if (step.number < finalized + finalityStep) continue
        await applyFinality(step.number, options)
        finalized = step.number
      } else {
        log.warn('chain reorganised', { from: checkpoint?.number, to: step.to.number })
        await takeBack(step.to)
      }
    }
    return false
  }
  /** The block before one whose logs the node left out; undefined without one, or without its stored hash. */
  async function beforeMissed(at: Checkpoint): Promise<Checkpoint | undefined> {
    const block = await missed.find(at)
    const hash = block === undefined ? undefined : await blockHash(db, chainId, block - 1)
    return block === undefined || hash === undefined ? undefined : { number: block - 1, hash }
  }
  while (await follow()) {
    // The blocks that were taken back are read again.
  }
}
