import type { Block } from '../chain/chain.ts'
import type { ChainLog } from '../chain/logs/chain-logs.ts'
import { RpcError } from '../chain/rpc/rpc.ts'
import { Outage } from '../domain/errors/error.ts'
import type { Bytes32 } from '../domain/evm/hex.ts'
import type { Log } from '../domain/log.ts'
import {
  type BlockRange,
  ChainMoved,
  type ChainPlace,
  type Checkpoint,
  type FollowedChain,
  maxLogs,
  RangeTooFull,
  readNewBlocks,
  readOldBlocks,
} from './block-range.ts'
import type { Poll } from './poll.ts'

export type ChainStep =
  /** Everything above `to` is undone. */
  | { type: 'reorg'; to: ChainPlace }
  /**
   * The chain goes on after the last step up to and with the last of `blocks`, which is the new checkpoint; `logs` are
   * all that happened on the way, and `head` the newest block that was seen. Deeper than the finality horizon only that last block is named, above it every one.
   */
  | { type: 'blocks'; blocks: [Block, ...Block[]]; logs: ChainLog[]; head: number }
  /** This block, and with it all before, is never undone. Only yielded for blocks that were followed. */
  | { type: 'finalize'; number: number }

export interface FollowOptions {
  chain: FollowedChain
  /** The consumer's checkpoint; null when it has nothing yet. */
  from: Checkpoint | null
  /** First block that is followed. */
  firstBlock: number
  /** The hash that the consumer stored for a block; `undefined` where it has none. */
  known: (number: number) => Promise<Bytes32 | undefined>
  finalityBlocks: number
  /** Most blocks in one read of logs. */
  maxRange: number
  poll: Poll
  signal: AbortSignal
  log: Log
  /**
   * Looks in a row at a chain that is a mere beginning of what was followed, before it is taken for a shorter chain
   * and not for a node that lags behind. Default 20.
   */
  maxLooksBehind?: number
}

/**
 * The chain as a stream, from the consumer's checkpoint on, without end: only `signal` ends it. The consumer has stored
 * a step before it asks for the next one. A node that lags behind, contradicts itself or is away is waited for.
 */
export async function* followChain(options: FollowOptions): AsyncGenerator<ChainStep, void> {
  const { chain, firstBlock, finalityBlocks, maxRange, poll, signal, log } = options
  const beginning: ChainPlace = { number: firstBlock - 1, hash: null }
  let last: ChainPlace = options.from ?? beginning
  let finalized = beginning.number
  let range = maxRange
  let looksBehind = 0
  let failures = 0

  while (!signal.aborted) {
    try {
      const head = await chain.head()
      const standing = await compare(options, last, head)
      looksBehind = standing === 'behind' ? looksBehind + 1 : 0
      if (standing === 'forked' || looksBehind > (options.maxLooksBehind ?? 20)) {
        const to = (await commonAncestor(options, Math.min(last.number, head.number))) ?? beginning
        const undone = to.number < last.number
        last = to
        finalized = Math.min(finalized, to.number)
        looksBehind = 0
        if (undone) yield { type: 'reorg', to }
      } else if (standing === 'ahead') {
        const { blocks, logs } = await readOn(options, last, head, range)
        last = blocks.at(-1) ?? last
        yield { type: 'blocks', blocks, logs, head: head.number }
        const horizon = Math.min(last.number, head.number - finalityBlocks)
        if (horizon > finalized) {
          finalized = horizon
          yield { type: 'finalize', number: finalized }
        }
        if (logs.length * 2 <= maxLogs) range = Math.min(maxRange, range * 2)
      } else {
        await poll(0, signal)
      }
      failures = 0
    } catch (fault) {
      if (fault instanceof RangeTooFull) {
        range = Math.max(1, range >> 1)
        continue
      }
      if (!(fault instanceof Outage || fault instanceof RpcError || fault instanceof ChainMoved)) throw fault
      // What the node could not answer in time for many blocks, it may for fewer.
      range = Math.max(1, range >> 1)
      failures++
      log.warn('the chain cannot be followed for the moment', { failures, fault: fault.message })
      await poll(failures, signal)
    }
  }
}

/**
 * Where `head` stands to the last place. `behind`: shorter, and a part of what was followed as far as that is known,
 * which is the look of a lagging node and of a chain that lost its end alike.
 */
async function compare(
  { chain, known }: FollowOptions,
  last: ChainPlace,
  head: Block,
): Promise<'ahead' | 'level' | 'behind' | 'forked'> {
  if (head.number < last.number) {
    const ours = await known(head.number)
    return ours === undefined || ours === head.hash ? 'behind' : 'forked'
  }
  if (last.hash !== null) {
    const theirs = head.number === last.number ? head : await chain.block(last.number)
    if (!theirs) throw new ChainMoved(`block ${last.number} is missing below the head`)
    if (theirs.hash !== last.hash) return 'forked'
  }
  return head.number === last.number ? 'level' : 'ahead'
}

/** The newest block at or below `from` that consumer and chain agree on. */
async function commonAncestor(
  { chain, known, firstBlock }: FollowOptions,
  from: number,
): Promise<Checkpoint | undefined> {
  for (let number = from; number >= firstBlock; number--) {
    const hash = await known(number)
    if (hash === undefined) continue
    const theirs = await chain.block(number)
    if (!theirs) throw new ChainMoved(`block ${number} is missing below the head`)
    if (theirs.hash === hash) return { number, hash }
  }
  return undefined
}

function readOn(
  { chain, finalityBlocks }: FollowOptions,
  last: ChainPlace,
  head: Block,
  range: number,
): Promise<BlockRange> {
  const horizon = head.number - finalityBlocks
  return last.number < horizon
    ? readOldBlocks(chain, last, Math.min(horizon, last.number + range))
    : readNewBlocks(chain, last, Math.min(head.number, last.number + range))
}
